// SPDX-License-Identifier: Apache-2.0
// Threads for work that is bound to a thread, as OpenGL is.
//
//   RenderThreads& threads = envpool::ForkLocal<RenderThreads>::Get();
//   const RenderThreads::Use use(threads);   // they run while somebody uses them
//   threads.Run(surface, [&](RenderThreads::Slot& slot) {
//     if (slot == nullptr) slot = std::make_unique<Canvas>(...);
//     ...
//   });
//   threads.Forget(surface);
//
// The caller waits meanwhile, so as many threads work as there are callers at a time, and no more
// than CPUs. Each keeps what it made for an owner in a slot, and does that owner's work again if it
// can: where one caller draws, one thread has made something. To hand over takes about 10 us.
#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <semaphore>
#include <set>
#include <thread>
#include <vector>

namespace envpool::mujoco {

class RenderThreads {
 public:
  /// What a thread keeps, and destroys itself.
  class Resource {
   public:
    virtual ~Resource() = default;
  };
  using Slot = std::unique_ptr<Resource>;
  using Work = std::function<void(Slot&)>;

  /// As long as there is one, the threads are kept. The last one ends them, and waits for that.
  class Use {
   public:
    explicit Use(RenderThreads& threads) : threads_(threads) { threads.Begin(); }
    ~Use() { threads_.End(); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    RenderThreads& threads_;
  };

  RenderThreads();
  RenderThreads(const RenderThreads&) = delete;
  RenderThreads& operator=(const RenderThreads&) = delete;

  /// Does the work in one of the threads, with its slot for this owner, and rethrows what it
  /// throws. Throws std::runtime_error in a process that was forked while there were threads.
  void Run(const void* owner, const Work& work);
  /// Empties all slots of an owner, for whom nothing runs any more.
  void Forget(const void* owner);
  /// Whether they belong to this process, not to one that it was forked from.
  bool alive() const;

 private:
  struct Task {
    const void* owner;
    const Work* work;  // null: empty the slot
    std::exception_ptr error{};
    // Semaphores of C++ look for some microseconds before they sleep: to hand over by condition
    // variables takes ten times as long.
    std::binary_semaphore finished{0};
  };
  struct Worker {
    std::thread thread{};
    std::counting_semaphore<> wake{0};
    std::deque<Task*> tasks{};
    std::set<const void*> owners{};  // who has something in a slot
    bool stop = false;
  };

  void Begin();
  void End();
  /// A thread that has nothing to do, or none. Not idle any more.
  Worker* TakeIdle(const void* owner);
  Worker* Start();
  void Work_(Worker& worker);
  static void PrepareThread();
  static void Execute(Task& task, std::map<const void*, Slot>& slots);

  const int process_;  // that has the threads
  const bool forked_;  // while there were some, which OpenGL does not outlive
  std::mutex mutex_;   // of all that follows
  int uses_ = 0;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> idle_;  // the one that worked last comes last
  std::deque<Task*> waiting_;  // for a thread to become idle
};

}  // namespace envpool::mujoco
