// SPDX-License-Identifier: Apache-2.0
// Office: the parent's side of a pool's shared memory. It posts turns, collects answers, and sees
// which workers have ended.
#pragma once

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envpool/exchange.h"
#include "segment.h"

namespace envpool::remote {

class Office final : public Exchange {
 public:
  using Clock = std::chrono::steady_clock;
  /// What the side that has the processes does. Neither throws.
  struct Processes {
    /// A worker has ended, or is to be ended since it took too long; what became of it.
    std::function<std::string(int worker, bool too_late)> bury;
    /// Starts a worker and returns its pidfd, or a negative number and why not.
    std::function<std::pair<int, std::string>(int worker)> start;
  };

  /// `deadline`: seconds that one turn may take; 0: as long as it wants.
  Office(int fd, const Segment::Shape& shape, double deadline, Processes processes)
      : segment_(fd, shape, true),
        deadline_(deadline),
        processes_(std::move(processes)),
        workers_(static_cast<std::size_t>(shape.num_workers)),
        envs_(static_cast<std::size_t>(shape.num_envs)) {}

  Segment& segment() { return segment_; }
  ~Office() override {
    for (Worker& worker : workers_) Drop(worker);
  }
  /// The process of a worker runs; `pidfd` stays the caller's, who may close it at any time.
  void SetProcess(int worker, int pidfd) {
    Worker& one = workers_[static_cast<std::size_t>(worker)];
    Drop(one);
    one.pidfd = dup(pidfd);
    one.alive = one.pidfd >= 0;
  }

  struct EnvState {
    bool gone = false;        ///< it went with its worker
    bool unanswered = false;  ///< this turn has no result
    std::string why{};        ///< what became of the worker
    std::string problem{};    ///< why this turn was cut off, until Python has taken it
    bool waiting = false;     ///< it has a turn that was not taken yet
  };
  /// A turn was cut off, which the info of its row shall say.
  void Tell(int env_id, std::string problem) {
    if (state_of(env_id).problem.empty()) ++num_problems_;
    state_of(env_id).problem = std::move(problem);
  }
  int num_problems() const { return num_problems_; }
  /// What Tell was given for an environment, once; empty if nothing.
  std::string TakeProblem(int env_id) {
    if (!state_of(env_id).problem.empty()) --num_problems_;
    return std::exchange(state_of(env_id).problem, {});
  }
  EnvState& state_of(int env_id) { return envs_[static_cast<std::size_t>(env_id)]; }

  /// Asks for a turn, whose op is in the slot. An environment that is gone can only be reset.
  void Post(int env_id) noexcept {
    EnvState& env = state_of(env_id);
    const int index = segment_.worker_of(env_id);
    Worker& worker = workers_[static_cast<std::size_t>(index)];
    env.waiting = true;
    env.unanswered = env.gone && segment_.slot_head(env_id).op == Op::kStep;
    if (!env.unanswered && !worker.alive) {
      const auto [pidfd, why] = processes_.start(index);
      if (pidfd >= 0) {
        SetProcess(index, pidfd);
      } else {
        env.gone = env.unanswered = true;
        env.why = why;
      }
    }
    if (env.unanswered) return ready_.push_back(env_id);
    env.gone = false;
    Ask(index, env_id);
    if (!std::exchange(worker.dirty, true)) dirty_.push_back(index);
  }
  /// Has a worker look at its socket.
  void Call(int worker) {
    Ask(worker, kCall);
    Ring(worker);
  }
  void Flush() noexcept override {
    for (const int worker : dirty_) {
      workers_[static_cast<std::size_t>(worker)].dirty = false;
      Ring(worker);
    }
    dirty_.clear();
  }

  int Take(int* env_ids, int most) noexcept override {
    int count = 0;
    while (count < most && !ready_.empty()) {
      env_ids[count++] = ready_.front();
      ready_.pop_front();
    }
    const int workers = segment_.shape().num_workers;
    // The one that was first last time is last now, or the others might never have their turn.
    for (int i = 0; i < workers && count < most; ++i) {
      const int index = (first_ + i) % workers;
      Worker& worker = workers_[static_cast<std::size_t>(index)];
      const std::int64_t done = segment_.line(index).done.load(std::memory_order_acquire);
      for (; worker.taken < done && count < most; ++taken_) {
        env_ids[count++] = segment_.done(index, worker.taken++);
      }
    }
    first_ = (first_ + 1) % workers;
    for (int i = 0; i < count; ++i) state_of(env_ids[i]).waiting = false;
    return count;
  }

  void Await(int count, Clock::time_point end) noexcept override {
    const Clock::time_point now = Clock::now();
    if (now >= next_watch_) {
      next_watch_ = now + kWatch;
      if (Watch(now)) return;
    }
    Head& head = segment_.head();
    const int seen = head.bell.load(std::memory_order_seq_cst);
    // Who finishes after this store sees it, and who finished before is seen by the sum.
    head.wake_at.store(taken_ + count, std::memory_order_seq_cst);
    if (segment_.DoneByAll() < taken_ + count) {
      SharedFutexWait(head.bell, seen, std::min(end, next_watch_) - now);
    }
    head.wake_at.store(kNever, std::memory_order_relaxed);
  }

  /// All workers have ended, and nothing that they had to do is of interest any more.
  void Clear() {
    for (int i = 0; i < segment_.shape().num_workers; ++i) {
      Worker& worker = workers_[static_cast<std::size_t>(i)];
      Line& line = segment_.line(i);
      const std::int64_t done = line.done.load();
      Drop(worker);
      taken_ += done - worker.taken;
      worker = {.asked = worker.asked, .taken = done};
      line.begun.store(worker.asked);
    }
    std::fill(envs_.begin(), envs_.end(), EnvState());
    num_problems_ = 0;
    ready_.clear();
    dirty_.clear();
  }

  /// Waits for the answer to a lone Post, and takes it.
  void AwaitOne(int env_id) noexcept {
    Flush();
    for (std::vector<int> others;;) {
      int next = -1;
      if (Take(&next, 1) == 0) {
        Await(1, Clock::now() + kWatch);
      } else if (next != env_id) {
        state_of(next).waiting = true;
        others.push_back(next);
      } else {
        ready_.insert(ready_.begin(), others.begin(), others.end());
        return;
      }
    }
  }

  /// The environment that a worker is in, or -1.
  int CurrentOf(int worker) const { return segment_.line(worker).current.load(); }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  static constexpr std::chrono::milliseconds kWatch{50};
  struct Worker {
    std::int64_t asked = 0, taken = 0;
    int pidfd = -1;
    bool alive = false;
    bool dirty = false;  // was posted to since the last Flush
  };

  static void Drop(Worker& worker) {
    if (worker.pidfd >= 0) close(worker.pidfd);
    worker.pidfd = -1;
    worker.alive = false;
  }
  void Ask(int worker, std::int32_t entry) noexcept {
    std::int64_t& asked = workers_[static_cast<std::size_t>(worker)].asked;
    segment_.asked(worker, asked++) = entry;
    segment_.line(worker).asked.store(asked, std::memory_order_seq_cst);
  }
  void Ring(int worker) noexcept {
    Line& line = segment_.line(worker);
    if (line.asleep.load(std::memory_order_seq_cst) == 0) return;
    line.bell.fetch_add(1, std::memory_order_seq_cst);
    SharedFutexWake(line.bell);
  }

  /// Looks for workers that have ended or take too long; true if there was one.
  bool Watch(Clock::time_point now) noexcept {
    bool any = false;
    for (int i = 0; i < segment_.shape().num_workers; ++i) {
      const Worker& worker = workers_[static_cast<std::size_t>(i)];
      if (!worker.alive) continue;
      pollfd ended{.fd = worker.pidfd, .events = POLLIN, .revents = 0};
      const bool is_gone = poll(&ended, 1, 0) > 0;
      const bool too_late = !is_gone && TakesTooLong(i, now);
      if (!is_gone && !too_late) continue;
      any = true;
      Lose(i, too_late);
    }
    return any;
  }
  bool TakesTooLong(int worker, Clock::time_point now) const {
    const Line& line = segment_.line(worker);
    if (deadline_ <= 0 || line.current.load() < 0) return false;
    const std::chrono::nanoseconds since(line.since.load());
    if (since == std::chrono::nanoseconds::max()) return false;  // it is being made
    return now.time_since_epoch() - since > std::chrono::duration<double>(deadline_);
  }
  void Lose(int index, bool too_late) noexcept {
    Worker& worker = workers_[static_cast<std::size_t>(index)];
    Drop(worker);
    const int current = CurrentOf(index);
    const std::string why = processes_.bury(index, too_late);
    // What it has finished counts; the rest of its environments are gone.
    const std::int64_t done = segment_.line(index).done.load(std::memory_order_acquire);
    std::vector<int> finished;
    for (std::int64_t p = worker.taken; p < done; ++p) finished.push_back(segment_.done(index, p));
    for (int env_id = 0; env_id < segment_.shape().num_envs; ++env_id) {
      if (segment_.worker_of(env_id) != index) continue;
      EnvState& env = state_of(env_id);
      const bool has_result = std::find(finished.begin(), finished.end(), env_id) != finished.end();
      env.gone = true;
      env.why = (env_id == current ? "in this environment: " : "in a neighbour: ") + why;
      if (!env.waiting || has_result) continue;
      env.unanswered = true;
      if (std::find(ready_.begin(), ready_.end(), env_id) == ready_.end()) ready_.push_back(env_id);
    }
    // The next one starts with nothing to do.
    segment_.line(index).current.store(-1, std::memory_order_seq_cst);
    segment_.line(index).begun.store(worker.asked, std::memory_order_seq_cst);
  }

  Segment segment_;
  const double deadline_;
  const Processes processes_;
  std::vector<Worker> workers_;
  std::vector<EnvState> envs_;
  std::vector<int> dirty_;  // workers to wake
  std::deque<int> ready_;   // environments whose turn came without an answer
  std::int64_t taken_ = 0;  // out of all rings
  int first_ = 0;
  int num_problems_ = 0;
  Clock::time_point next_watch_{};
};

}  // namespace envpool::remote
