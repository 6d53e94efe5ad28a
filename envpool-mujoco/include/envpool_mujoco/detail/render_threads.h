// SPDX-License-Identifier: Apache-2.0
// Threads for work that is bound to a thread, like OpenGL.
//
//   RenderThreads& threads = envpool::ForkLocal<RenderThreads>::Get();
// const RenderThreads::Use use(threads);   // the threads run while a Use exists
//   threads.Run(surface, [&](RenderThreads::Slot& slot) {
//     if (slot == nullptr) slot = std::make_unique<Canvas>(...);
//     ...
//   });
//   threads.Forget(surface);
//
// The caller waits, so as many threads work as there are concurrent callers, and at most one per
// CPU. A thread keeps the resources that it made for an owner in a slot, and gets that owner's work
// again if possible: with one caller, only one thread makes resources. Handing over takes about 10
// us.
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
  /// A resource that a thread keeps, and destroys itself.
  class Resource {
   public:
    virtual ~Resource() = default;
  };
  using Slot = std::unique_ptr<Resource>;
  using Work = std::function<void(Slot&)>;

  /// While a Use exists, the threads are kept. The last Use ends them, and waits for their end.
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

  /// Does the work in one of the threads, with its slot for this owner, and rethrows its exception.
  /// Throws std::runtime_error in a process that was forked while there were threads.
  void Run(const void* owner, const Work& work);
  /// Empties all slots of an owner that has no work in flight.
  void Forget(const void* owner);
  /// True if the threads belong to this process, not to the process it was forked from.
  bool alive() const;

 private:
  struct Task {
    const void* owner;
    const Work* work;  // null: empty the slot
    std::exception_ptr error{};
    // C++ semaphores spin for some microseconds before they sleep: handing over by condition
    // variables takes ten times as long.
    std::binary_semaphore finished{0};
  };
  struct Worker {
    std::thread thread{};
    std::counting_semaphore<> wake{0};
    std::deque<Task*> tasks{};
    std::set<const void*> owners{};  // owners with a resource in a slot
    bool stop = false;
  };

  void Begin();
  void End();
  /// Takes an idle thread, or null.
  Worker* TakeIdle(const void* owner);
  Worker* Start();
  void Work_(Worker& worker);
  static void PrepareThread();
  static void Execute(Task& task, std::map<const void*, Slot>& slots);

  const int process_;  // the process with the threads
  const bool forked_;  // true: forked while there were threads; OpenGL does not survive that
  std::mutex mutex_;   // of all members below
  int uses_ = 0;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> idle_;  // the thread that worked last is last
  std::deque<Task*> waiting_;  // wait for an idle thread
};

}  // namespace envpool::mujoco
