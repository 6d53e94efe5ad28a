// SPDX-License-Identifier: Apache-2.0

#include "envpool_mujoco/detail/render_threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace envpool::mujoco {
namespace {

std::atomic<bool> there_were_threads{false};

/// The process's CPUs: those of its first thread, since a pool's worker may be bound to one CPU.
bool ProcessCpus(cpu_set_t& set) { return sched_getaffinity(getpid(), sizeof(set), &set) == 0; }

std::size_t MostThreads() {
  cpu_set_t set;
  return ProcessCpus(set) ? static_cast<std::size_t>(std::max(1, CPU_COUNT(&set))) : 1;
}

/// Blocks signals: they are for Python's thread, and a signal to our thread would not wake it.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

RenderThreads::RenderThreads() : process_(getpid()), forked_(there_were_threads.load()) {}

bool RenderThreads::alive() const { return process_ == getpid(); }

void RenderThreads::Begin() {
  const std::scoped_lock lock(mutex_);
  ++uses_;
}

void RenderThreads::End() {
  if (!alive()) return;
  std::vector<std::unique_ptr<Worker>> ending;
  {
    const std::scoped_lock lock(mutex_);
    if (--uses_ > 0) return;
    ending.swap(workers_);
    for (const auto& worker : ending) {
      worker->stop = true;
      worker->wake.release();
    }
  }
  for (const auto& worker : ending) worker->thread.join();
}

void RenderThreads::Run(const void* owner, const Work& work) {
  if (forked_ || !alive()) {
    throw std::runtime_error(
        "a process that was forked from one that had rendered, where OpenGL is of no use: start "
        "processes by 'spawn' or 'forkserver', or render in them only");
  }
  Task task{owner, &work};
  {
    const std::scoped_lock lock(mutex_);
    Worker* worker = TakeIdle(owner);
    if (worker == nullptr && workers_.size() < MostThreads()) worker = Start();
    if (worker == nullptr) {
      waiting_.push_back(&task);
    } else {
      worker->tasks.push_back(&task);
      worker->wake.release();
    }
  }
  task.finished.acquire();
  if (task.error) std::rethrow_exception(task.error);
}

void RenderThreads::Forget(const void* owner) {
  if (!alive()) return;
  std::deque<Task> tasks;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& worker : workers_) {
      if (!worker->owners.contains(owner)) continue;
      worker->tasks.push_back(&tasks.emplace_back(owner, nullptr));
      worker->wake.release();
    }
  }
  for (Task& task : tasks) task.finished.acquire();
}

RenderThreads::Worker* RenderThreads::TakeIdle(const void* owner) {
  if (idle_.empty()) return nullptr;
  const auto has = [&](const Worker* worker) { return worker->owners.contains(owner); };
  const auto found = std::find_if(idle_.rbegin(), idle_.rend(), has);
  const auto taken = found == idle_.rend() ? std::prev(idle_.end()) : std::prev(found.base());
  Worker* worker = *taken;
  idle_.erase(taken);
  return worker;
}

RenderThreads::Worker* RenderThreads::Start() {
  auto worker = std::make_unique<Worker>();
  there_were_threads = true;
  const NoSignals no_signals;
  try {
    worker->thread = std::thread([this, w = worker.get()] { Work_(*w); });
  } catch (const std::system_error&) {
    if (workers_.empty()) throw;
    return nullptr;  // the existing threads must suffice
  }
  return workers_.emplace_back(std::move(worker)).get();
}

void RenderThreads::PrepareThread() {
  pthread_setname_np(pthread_self(), "envpool-render");
  cpu_set_t set;
  if (ProcessCpus(set)) sched_setaffinity(0, sizeof(set), &set);
}

void RenderThreads::Execute(Task& task, std::map<const void*, Slot>& slots) {
  try {
    Slot& slot = slots[task.owner];
    if (task.work == nullptr) {
      slot.reset();
    } else {
      (*task.work)(slot);
    }
  } catch (...) {
    task.error = std::current_exception();
  }
}

void RenderThreads::Work_(Worker& worker) {
  PrepareThread();
  std::map<const void*, Slot> slots;
  std::unique_lock lock(mutex_);
  for (;;) {
    std::deque<Task*>& tasks = worker.tasks.empty() ? waiting_ : worker.tasks;
    if (tasks.empty()) {
      if (worker.stop) break;
      idle_.push_back(&worker);
      lock.unlock();
      worker.wake.acquire();
      lock.lock();
      std::erase(idle_, &worker);
      continue;
    }
    Task& task = *tasks.front();
    tasks.pop_front();
    lock.unlock();
    Execute(task, slots);
    const bool keeps = slots[task.owner] != nullptr;
    if (!keeps) slots.erase(task.owner);
    lock.lock();
    if (keeps) {
      worker.owners.insert(task.owner);
    } else {
      worker.owners.erase(task.owner);
    }
    // Under the lock, so that this thread is idle before the caller can submit more.
    task.finished.release();
  }
  lock.unlock();
  slots.clear();
}

}  // namespace envpool::mujoco
