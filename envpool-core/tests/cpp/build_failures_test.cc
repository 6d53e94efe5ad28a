// SPDX-License-Identifier: Apache-2.0
// Constructors that throw while several threads build a pool: every error is kept, nothing that was
// built stays, and ThreadSanitizer sees nobody read what another one writes.
#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support.h"

namespace testing_envs {
namespace {

using namespace envpool::literals;
using envpool::PoolOptions;

std::atomic<int> alive{0};

struct FragileSpec {
  static auto DefaultConfig() {
    return envpool::Dict{"failing"_ = std::vector<int>{}, "first_us"_ = 0, "work_us"_ = 0,
                         "as_config_error"_ = false};
  }
  static auto StateSpec(const auto&) { return envpool::Dict{"obs"_ = envpool::Spec<int>({})}; }
  static auto ActionSpec(const auto&) { return envpool::Dict{"action"_ = envpool::Discrete(5)}; }
};

/// Takes its time to be built. The first one may take longer: from it the pool learns whether
/// threads are worth it.
class Fragile : public envpool::Env<FragileSpec> {
 public:
  Fragile(const Spec& spec, int env_id) : Env(spec, env_id) {
    const int first = spec.config["first_us"_], other = spec.config["work_us"_];
    const int time = env_id == 0 ? first : other;
    if (time > 0) std::this_thread::sleep_for(std::chrono::microseconds(time));
    const std::vector<int>& failing = spec.config["failing"_];
    if (std::find(failing.begin(), failing.end(), env_id) != failing.end()) {
      const std::string text = "crack in " + std::to_string(env_id);
      if (spec.config["as_config_error"_]) {
        throw envpool::Error(envpool::ErrorKind::kConfig, text, "glass", "steel", "take steel");
      }
      throw std::runtime_error(text);
    }
    ++alive;
  }
  ~Fragile() override { --alive; }

  bool IsDone() override { return false; }
  void Reset() override { Allocate()["obs"_] = 0; }
  void Step(const Action& action) override { Allocate()["obs"_] = action["action"_]; }
};

struct Trial {
  int num_envs, num_threads, batch_size;
  std::vector<int> failing;
  int first_us, work_us;
  bool as_config_error = false;
};

TestPool<Fragile> Make(const Trial& trial) {
  return TestPool<Fragile>({.num_envs = trial.num_envs,
                            .batch_size = trial.batch_size,
                            .num_threads = trial.num_threads},
                           [&](auto& config) {
                             config["failing"_] = trial.failing;
                             config["first_us"_] = trial.first_us;
                             config["work_us"_] = trial.work_us;
                             config["as_config_error"_] = trial.as_config_error;
                           });
}

void Fails(const Trial& trial) {
  const std::set<int> failing(trial.failing.begin(), trial.failing.end());
  std::set<int> told;
  try {
    Make(trial);
    EXPECT(failing.empty());
  } catch (const envpool::Error& error) {
    if (trial.as_config_error) {
      EXPECT(error.kind == envpool::ErrorKind::kConfig);
      EXPECT(std::string(error.what()).starts_with("crack in "));
    } else {
      EXPECT(error.kind == envpool::ErrorKind::kWorker && error.task_id == "Test-v0");
      EXPECT(!error.failures.empty());
      for (const envpool::Failure& failure : error.failures) {
        EXPECT(failing.contains(failure.env_id) && told.insert(failure.env_id).second);
        EXPECT(failure.text == "crack in " + std::to_string(failure.env_id));
      }
      // The message is about the first of them.
      EXPECT(std::string(error.what()).starts_with(error.failures[0].text + "\nmake of Test-v0"));
      // One that fails alone is the one that is told.
      if (failing.size() == 1) EXPECT(told == failing);
    }
  }
  EXPECT(alive == 0);
}

/// A pool built on many threads runs like a pool built on a single thread.
void Builds(const Trial& trial) {
  TestPool<Fragile> pool = Make(trial);
  EXPECT(alive == trial.num_envs);
  std::mt19937 random(3);
  pool.Send(Shuffled(trial.num_envs, random), Op::kReset);
  const Received received = pool.Recv();
  EXPECT(received.rows == trial.batch_size);
  pool->Release(*received.batch);
}

std::vector<int> Range(int begin, int end) {
  std::vector<int> ids;
  for (int i = begin; i < end; ++i) ids.push_back(i);
  return ids;
}

}  // namespace
}  // namespace testing_envs

int main() {
  using namespace testing_envs;
  constexpr int kEnvs = 60;
  std::mt19937 random(7);
  for (const int threads : {1, 2, 4, 8}) {
    for (const int batch_size : {kEnvs, 7}) {
      Builds({kEnvs, threads, batch_size, {}, 300, 100});
      // The first one takes long, so that many threads are started; the others fail at once, while
      // they are, or after a while, when all are at work.
      for (const int work_us : {0, 200}) {
        const auto trial = [&](std::vector<int> failing, bool as_config_error = false) {
          Fails({kEnvs, threads, batch_size, std::move(failing), 300, work_us, as_config_error});
        };
        trial({});
        trial({0});
        trial({1});
        trial({kEnvs - 1});
        trial({kEnvs / 2});
        trial({1, kEnvs / 2, kEnvs - 1});
        trial(Range(1, kEnvs));
        trial(Range(0, kEnvs));
        trial(Range(1, kEnvs), true);
        for (int i = 0; i < 5; ++i) {
          std::vector<int> some = Shuffled(kEnvs, random);
          some.resize(static_cast<std::size_t>(1 + Below(6, random)));
          trial(std::move(some));
        }
      }
    }
  }
  return 0;
}
