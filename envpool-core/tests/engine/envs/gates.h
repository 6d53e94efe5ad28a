// SPDX-License-Identifier: Apache-2.0
// Gates: lets a test hold environments in the middle of Step, and know that they are held.
//
//   Gates::Get().Close({3});               // test: environment 3 will wait in its next Step
//   Gates::Get().Pass(env_id_);            // environment: waits as long as its gate is closed
//   Gates::Get().AwaitHeld(1, seconds);    // test: returns when one environment waits
//   Gates::Get().Open();                   // test: everybody goes on
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <vector>

namespace testing_envs {

class Gates {
 public:
  static Gates& Get() {
    // Never destroyed: an environment may still wait here when the process ends.
    static auto* gates = new Gates;
    return *gates;
  }

  void Close(const std::vector<int>& env_ids) {
    const std::lock_guard lock(mutex_);
    closed_.insert(env_ids.begin(), env_ids.end());
  }
  void Open() {
    const std::lock_guard lock(mutex_);
    closed_.clear();
    changed_.notify_all();
  }
  /// False when fewer than `count` environments are held after `seconds`.
  bool AwaitHeld(int count, double seconds) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                             [&] { return held_ >= count; });
  }
  void Pass(int env_id) {
    std::unique_lock lock(mutex_);
    if (!closed_.contains(env_id)) return;
    ++held_;
    changed_.notify_all();
    const bool open = changed_.wait_for(lock, std::chrono::seconds(60),
                                        [&] { return !closed_.contains(env_id); });
    --held_;
    changed_.notify_all();
    if (!open) throw std::runtime_error("no test opened the gate");
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<int> closed_;
  int held_ = 0;
};

}  // namespace testing_envs
