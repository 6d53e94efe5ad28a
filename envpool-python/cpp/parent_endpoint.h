// SPDX-License-Identifier: Apache-2.0
// ParentEndpoint: the parent's side of a pool's shared memory. It posts requests, collects results,
// and sees which workers have ended.
#pragma once

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envpool/external_steps.h"
#include "shared_segment.h"

namespace envpool::python_family {

class ParentEndpoint final : public ExternalSteps {
 public:
  using Clock = std::chrono::steady_clock;
  /// Functions of the owner of the processes. Neither throws.
  struct ProcessControl {
    /// Ends a worker that has ended by itself or has timed out; returns the way in which it ended.
    std::function<std::string(int worker, bool timed_out)> stop;
    /// Starts a worker and returns its pidfd, or a negative number and why not.
    std::function<std::pair<int, std::string>(int worker)> start;
  };

  /// `step_timeout`: seconds that one request may take; 0: as long as it wants. `repeats_resets`:
  /// whether a reset whose worker has ended is sent to the next worker.
  ParentEndpoint(int fd, const SharedSegment::Shape& shape, double step_timeout,
                 bool repeats_resets, ProcessControl processes)
      : segment_(fd, shape, true),
        step_timeout_(step_timeout),
        repeats_resets_(repeats_resets),
        processes_(std::move(processes)),
        workers_(static_cast<std::size_t>(shape.num_workers)),
        envs_(static_cast<std::size_t>(shape.num_envs)) {}

  SharedSegment& segment() { return segment_; }
  /// The process of a worker runs. `pidfd` stays the caller's; the caller keeps it open until
  /// `start` is called for this worker, or until Clear.
  void SetProcess(int worker, int pidfd) {
    workers_[static_cast<std::size_t>(worker)].pidfd = pidfd;
  }

  struct RequestState {
    bool lost = false;        ///< its worker has ended since it was reset
    bool unanswered = false;  ///< this request has no result
    std::string reason{};     ///< the way in which the worker ended
    std::string failure{};    ///< why this step was cut off, until Python has taken it
    bool pending = false;     ///< it has a request whose result was not taken yet
    int lost_resets = 0;      ///< workers that have ended since this reset was first submitted
  };
  /// A step was cut off, which the info of its row shall say.
  void SetFailure(int env_id, std::string failure) {
    if (state_of(env_id).failure.empty()) ++num_failures_;
    state_of(env_id).failure = std::move(failure);
  }
  int num_failures() const { return num_failures_; }
  /// Returns and forgets the text of SetFailure; empty if there is none.
  std::string TakeFailure(int env_id) {
    if (!state_of(env_id).failure.empty()) --num_failures_;
    return std::exchange(state_of(env_id).failure, {});
  }
  RequestState& state_of(int env_id) { return envs_[static_cast<std::size_t>(env_id)]; }

  /// Posts the request that is in the slot. An environment that is lost can only be reset.
  void Submit(int env_id) noexcept {
    RequestState& env = state_of(env_id);
    const int index = segment_.worker_of(env_id);
    Worker& worker = workers_[static_cast<std::size_t>(index)];
    env.pending = true;
    env.unanswered = env.lost && segment_.slot_header(env_id).request == RequestKind::kStep;
    if (!env.unanswered && worker.pidfd < 0) {
      const auto [pidfd, reason] = processes_.start(index);
      if (pidfd >= 0) {
        SetProcess(index, pidfd);
      } else {
        env.lost = env.unanswered = true;
        env.reason = reason;
      }
    }
    if (env.unanswered) return ready_.push_back(env_id);
    env.lost = false;
    SendRequest(index, env_id);
    if (!std::exchange(worker.needs_wake, true)) to_wake_.push_back(index);
  }
  /// Has a worker look at its socket.
  void PostControlMessage(int worker) {
    SendRequest(worker, kControlMessage);
    Wake(worker);
  }
  void Flush() noexcept override {
    for (const int worker : to_wake_) {
      workers_[static_cast<std::size_t>(worker)].needs_wake = false;
      Wake(worker);
    }
    to_wake_.clear();
  }

  int TakeFinished(int* env_ids, int most) noexcept override {
    int count = 0;
    while (count < most && !ready_.empty()) {
      env_ids[count++] = ready_.front();
      ready_.pop_front();
    }
    const int workers = segment_.shape().num_workers;
    // The one that was first last time is last now, or the others might never be looked at.
    for (int i = 0; i < workers && count < most; ++i) {
      const int index = (first_ + i) % workers;
      Worker& worker = workers_[static_cast<std::size_t>(index)];
      const std::int64_t end = segment_.rings(index).num_results.load(std::memory_order_acquire);
      for (; worker.taken < end && count < most; ++taken_) {
        env_ids[count++] = segment_.result(index, worker.taken++);
      }
    }
    first_ = (first_ + 1) % workers;
    for (int i = 0; i < count; ++i) {
      state_of(env_ids[i]).pending = false;
      state_of(env_ids[i]).lost_resets = 0;
    }
    return count;
  }

  void Await(int count, Clock::time_point end) noexcept override {
    const Clock::time_point now = Clock::now();
    if (now >= next_check_) {
      next_check_ = now + kCheckInterval;
      if (CheckWorkers(now)) return;
    }
    SegmentHeader& header = segment_.header();
    const int seen = header.wakeups.load(std::memory_order_seq_cst);
    // A worker that finishes after this store sees it; the sum has those that finished before.
    header.wake_at.store(taken_ + count, std::memory_order_seq_cst);
    if (segment_.NumResults() < taken_ + count) {
      SharedFutexWait(header.wakeups, seen, std::min(end, next_check_) - now);
    }
    header.wake_at.store(kNever, std::memory_order_relaxed);
  }

  /// All workers have ended, and nothing that they had to do is of interest any more.
  void Clear() {
    for (int i = 0; i < segment_.shape().num_workers; ++i) {
      Worker& worker = workers_[static_cast<std::size_t>(i)];
      WorkerRings& rings = segment_.rings(i);
      const std::int64_t results = rings.num_results.load();
      taken_ += results - worker.taken;
      worker = {.requests = worker.requests, .taken = results};
      rings.num_taken.store(worker.requests);
    }
    std::fill(envs_.begin(), envs_.end(), RequestState());
    num_failures_ = 0;
    ready_.clear();
    to_wake_.clear();
  }

  /// Waits for the result of a single Submit, and takes it.
  void AwaitOne(int env_id) noexcept {
    Flush();
    for (std::vector<int> others;;) {
      int next = -1;
      if (TakeFinished(&next, 1) == 0) {
        Await(1, Clock::now() + kCheckInterval);
      } else if (next != env_id) {
        state_of(next).pending = true;
        others.push_back(next);
      } else {
        ready_.insert(ready_.begin(), others.begin(), others.end());
        return;
      }
    }
  }

  /// The environment that a worker is in, or -1.
  int CurrentEnv(int worker) const { return segment_.rings(worker).current_env.load(); }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  static constexpr std::chrono::milliseconds kCheckInterval{50};
  static constexpr int kMostLostResets = 3;  // more are no accident
  struct Worker {
    std::int64_t requests = 0, taken = 0;
    int pidfd = -1;           // negative: there is no process
    bool needs_wake = false;  // was written to since the last Flush
  };

  void SendRequest(int worker, std::int32_t entry) noexcept {
    std::int64_t& requests = workers_[static_cast<std::size_t>(worker)].requests;
    segment_.request(worker, requests++) = entry;
    segment_.rings(worker).num_requests.store(requests, std::memory_order_seq_cst);
  }
  void Wake(int worker) noexcept {
    WorkerRings& rings = segment_.rings(worker);
    if (rings.asleep.load(std::memory_order_seq_cst) == 0) return;
    rings.wakeups.fetch_add(1, std::memory_order_seq_cst);
    SharedFutexWake(rings.wakeups);
  }

  /// Looks for workers that have ended or take too long; true if there was one.
  bool CheckWorkers(Clock::time_point now) noexcept {
    bool any = false;
    for (int i = 0; i < segment_.shape().num_workers; ++i) {
      const Worker& worker = workers_[static_cast<std::size_t>(i)];
      if (worker.pidfd < 0) continue;
      pollfd ended{.fd = worker.pidfd, .events = POLLIN, .revents = 0};
      const bool has_ended = poll(&ended, 1, 0) > 0;
      const bool timed_out = !has_ended && HasTimedOut(i, now);
      if (!has_ended && !timed_out) continue;
      any = true;
      LoseWorker(i, timed_out);
    }
    return any;
  }
  bool HasTimedOut(int worker, Clock::time_point now) const {
    const WorkerRings& rings = segment_.rings(worker);
    if (step_timeout_ <= 0 || rings.current_env.load() < 0) return false;
    const std::chrono::nanoseconds since(rings.since.load());
    if (since == std::chrono::nanoseconds::max()) return false;  // it is being made
    return now.time_since_epoch() - since > std::chrono::duration<double>(step_timeout_);
  }
  void LoseWorker(int index, bool timed_out) noexcept {
    Worker& worker = workers_[static_cast<std::size_t>(index)];
    worker.pidfd = -1;
    const int current = CurrentEnv(index);
    const std::string reason = processes_.stop(index, timed_out);
    // Results that it has finished count; the rest of its environments are lost.
    const std::int64_t results = segment_.rings(index).num_results.load(std::memory_order_acquire);
    std::vector<int> finished, repeated;
    for (std::int64_t p = worker.taken; p < results; ++p)
      finished.push_back(segment_.result(index, p));
    for (int env_id = 0; env_id < segment_.shape().num_envs; ++env_id) {
      if (segment_.worker_of(env_id) != index) continue;
      RequestState& env = state_of(env_id);
      const bool has_result = std::find(finished.begin(), finished.end(), env_id) != finished.end();
      env.lost = true;
      env.reason = (env_id == current ? "in this environment: "
                    : current >= 0    ? "in a neighbour: "
                                      : "between two calls: ") +
                   reason;
      if (!env.pending || has_result) continue;
      if (repeats_resets_ && segment_.slot_header(env_id).request != RequestKind::kStep &&
          env.lost_resets < kMostLostResets) {
        ++env.lost_resets;
        repeated.push_back(env_id);
        continue;
      }
      env.unanswered = true;
      if (std::find(ready_.begin(), ready_.end(), env_id) == ready_.end()) ready_.push_back(env_id);
    }
    // The next one starts with nothing to do.
    segment_.rings(index).current_env.store(-1, std::memory_order_seq_cst);
    segment_.rings(index).num_taken.store(worker.requests, std::memory_order_seq_cst);
    for (const int env_id : repeated) {
      SlotHeader& header = segment_.slot_header(env_id);
      header.request = RequestKind::kSeed;
      ++header.num_rebuilds;
      Submit(env_id);
    }
    Flush();
  }

  SharedSegment segment_;
  const double step_timeout_;
  const bool repeats_resets_;
  const ProcessControl processes_;
  std::vector<Worker> workers_;
  std::vector<RequestState> envs_;
  std::vector<int> to_wake_;  // workers to wake
  std::deque<int> ready_;     // environments whose request has no result
  std::int64_t taken_ = 0;    // out of all rings
  int first_ = 0;
  int num_failures_ = 0;
  Clock::time_point next_check_{};
};

}  // namespace envpool::python_family
