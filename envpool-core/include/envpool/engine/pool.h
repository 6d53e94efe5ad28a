// SPDX-License-Identifier: Apache-2.0
// Pool: the components of the engine, composed. An action meets them in this order:
//
//   ActionTable -> InFlight -> Scheduler -> EnvArray<E> -> ResultBatches
//
// Why a call may be refused also stands here, in InFlight and in Pool's own checks.
//
//   AsyncEnvPool<CartPole> pool(std::move(spec), options, memory);
//   pool.actions().Write(...);
//   pool.Send(ids, n, Op::kStep);
//   Received r = pool.Recv(false, on_nap);         // r.batch has r.rows rows
//   ...                                            // read the columns
//   pool.Release(r.batch);
//
// Python-free. One thread at a time may call it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "envpool/engine/action_table.h"
#include "envpool/engine/env_array.h"
#include "envpool/engine/pool_options.h"
#include "envpool/engine/result_batches.h"
#include "envpool/engine/scheduler.h"
#include "envpool/error.h"

namespace envpool {

/// Which environments are on their way, and every reason to refuse to send or receive.
class InFlight {
 public:
  /// `options` outlives it.
  explicit InFlight(const PoolOptions& options)
      : options_(options),
        least_(options.synchronous() ? 1 : options.batch_size),
        flags_(static_cast<std::size_t>(options.num_envs)) {}

  int count() const { return count_; }
  /// How many results a batch needs at least.
  int least() const { return least_; }
  /// Whether a batch can be filled when `more` environments are sent.
  bool fills_batch(int more) const { return count_ + more >= least(); }
  bool contains(int env_id) const { return flags(env_id) & kInFlight; }

  /// Throws Error when an id is out of range, named twice, in flight or failed before (null: all
  /// environments). `may_step(id)` says whether an environment has an episode to step in. With
  /// `drops`, what is in flight does not matter, because it is dropped first.
  template <typename MayStep>
  void CheckSend(const int* env_ids, int count, Op op, const MayStep& may_step, bool drops) const;
  /// Throws Error(kState) when `more` environments are sent and a batch still cannot be filled.
  void CheckRecv(int more) const;
  /// Throws Error when the id is unknown, or its environment in flight or failed.
  void CheckIdle(int env_id, const char* what) const;

  /// Environments that CheckSend has let pass are on their way.
  void Sent(const int* env_ids, int count, Op op);
  void Received(const int* env_ids, int count);
  /// A result that nobody will see.
  void Gone(int env_id, bool failed) {
    --count_;
    if (failed) ++num_broken_;
    flags(env_id) = failed ? kBroken : 0;
  }

 private:
  static constexpr std::uint8_t kInFlight = 1, kBroken = 2, kNamed = 4;  // kNamed: within a check

  std::uint8_t& flags(int env_id) const { return flags_[static_cast<std::size_t>(env_id)]; }
  bool known(int env_id) const {
    return static_cast<unsigned>(env_id) < static_cast<unsigned>(options_.num_envs);
  }
  /// Throws Error, of kind `busy` when it is in flight, unless the environment is known and idle
  /// and did not fail.
  void CheckRuns(int env_id, const std::string& asked, ErrorKind busy) const;

  const PoolOptions& options_;
  const int least_;
  mutable std::vector<std::uint8_t> flags_;  // by environment
  int count_ = 0;
  int num_broken_ = 0;
};

class Pool {
 public:
  /// Builds all environments; throws Error(kWorker) when a constructor throws, its own
  /// Error(kConfig) if that is it. `memory` outlives the pool.
  Pool(std::unique_ptr<EnvArrayBase> envs, PoolOptions options, BatchMemory& memory)
      : options_(std::move(options)), memory_(memory), envs_(std::move(envs)) {
    Open();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Throws Error when an id is out of range, named twice, in flight, or may not be sent now (null:
  /// all environments). With `drops`, what is in flight does not matter: Drop comes before Send.
  void CheckSend(const int* env_ids, int count, Op op, bool drops = false) const;
  /// Throws Error(kState) when `more` environments are sent and Recv still lacks results.
  void CheckRecv(int more) const;
  /// Whether CheckRecv(0) would let pass; throws Error(kState) when the pool is closed.
  bool CanRecv() const;
  /// Rows that Recv returns at most, fewer if environments fail; CheckRecv(0) has let pass.
  int NextRows(bool newest) const {
    const ResultBatches& results = run_->results;
    return results.Expected(newest ? results.newest() : results.oldest());
  }
  /// Queues environments, which CheckSend has let pass and whose actions are in place. `then_recv`:
  /// Recv without a limit comes next.
  void Send(const int* env_ids, int count, Op op, bool then_recv = false);
  /// The oldest batch, or what was sent last. `on_nap` is called about every 100 ms of waiting and
  /// may throw. Throws Error(kState) when too few results are on the way, Error(kTimeout) at
  /// `deadline`, Error(kWorker) when environments failed: the others' results are then what the
  /// next Recv returns.
  Received Recv(bool newest, const std::function<void()>& on_nap,
                Clock::time_point deadline = Clock::time_point::max());
  /// Throws Error(kTimeout): nobody has sent enough for a batch in time.
  [[noreturn]] void ThrowTooFew() const;
  /// A batch without rows, for a call that names no environment.
  Received Nothing() { return run_->results.Nothing(); }
  /// The columns of a received batch are not needed any more.
  void Release(Batch& batch) { run_->results.Release(batch); }
  /// Waits for what is in flight and drops the results of `env_ids` (null: everything).
  void Drop(const int* env_ids, int count, const std::function<void()>& on_nap);

  /// Ends threads and frees environments, actions and batches; false when a thread is stuck in an
  /// environment at `deadline`.
  bool Close(Clock::time_point deadline);
  /// Builds the environments again after Close; throws Error(kState) when Close has not ended.
  void Reopen();
  bool closed() const { return run_ == nullptr; }
  /// Leaves threads and memory behind, for a pool whose environment never returns.
  void Abandon() { run_->scheduler.Abandon(); }

  /// Throws Error when the id is unknown or its environment in flight, failed or not started.
  void CheckIdle(int env_id, const char* what) const;
  /// Draw, save and load environments that CheckIdle has let pass.
  EnvArrayBase& envs() { return *envs_; }

  ActionTable& actions() { return run_->actions; }
  int num_in_flight() const { return closed() ? 0 : run_->in_flight.count(); }
  int num_envs() const { return options_.num_envs; }
  const PoolOptions& options() const { return options_; }
  const Columns& state_layout() const { return envs_->state(); }
  const Columns& action_layout() const { return envs_->action(); }

 private:
  // What there is between opening and closing.
  struct Running {
    Running(const PoolOptions& options, EnvArrayBase& envs, BatchMemory& memory)
        : actions(envs.action(), options.num_envs, options.task_id),
          in_flight(options),
          results(envs.state(), options, memory),
          scheduler(options, envs, results) {}
    ActionTable actions;
    InFlight in_flight;
    ResultBatches results;
    Scheduler scheduler;
  };

  void Open();
  void CheckOpen(const char* what) const;
  [[noreturn]] void ThrowTimeout(int written, int target, const char* of) const;
  void Await(Batch& batch, const std::function<void()>& on_nap, Clock::time_point deadline);
  void Fill(Batch& batch, const std::function<bool(int env_id)>& drop);
  [[noreturn]] void ThrowFailures(Batch& batch);

  const PoolOptions options_;
  BatchMemory& memory_;
  std::unique_ptr<EnvArrayBase> envs_;
  std::unique_ptr<Running> run_;
  bool closing_ = false;  // a Close ran out of time: the threads that are idle have ended
};

/// A pool of one type of environments; the spelling of the EnvPool documentation.
template <typename E>
class AsyncEnvPool : public Pool {
 public:
  AsyncEnvPool(std::unique_ptr<typename E::Spec> spec, const PoolOptions& options,
               BatchMemory& memory)
      : Pool(std::make_unique<EnvArray<E>>(std::move(spec), options), options, memory) {}
};

template <typename MayStep>
void InFlight::CheckSend(const int* env_ids, int count, Op op, const MayStep& may_step,
                         bool drops) const {
  const bool disabled = op == Op::kStep && options_.autoreset == Autoreset::kDisabled;
  if (env_ids == nullptr && count_ == 0 && num_broken_ == 0 && !disabled) return;
  const auto id_at = [&](int i) { return env_ids == nullptr ? i : env_ids[i]; };
  const unsigned wrong = kNamed | (drops ? 0 : kInFlight) | (op == Op::kStep ? kBroken : 0);
  int checked = 0;
  for (; checked < count; ++checked) {
    const int id = id_at(checked);
    if (!known(id) || (flags(id) & wrong) || (disabled && !may_step(id))) break;
    flags(id) |= kNamed;
  }
  const bool refused = checked < count;
  const bool twice = refused && known(id_at(checked)) && (flags(id_at(checked)) & kNamed);
  for (int i = 0; i < checked; ++i) flags(id_at(i)) &= static_cast<std::uint8_t>(~kNamed);
  if (!refused) return;
  const std::string asked = (op == Op::kStep ? "step or send to " : "reset of ") + options_.task_id;
  const std::string name = "env " + std::to_string(id_at(checked));
  if (twice) {
    throw Error(ErrorKind::kEnvId, asked, name + " twice", "every env id once per call",
                "remove the duplicate");
  }
  CheckRuns(id_at(checked), asked, ErrorKind::kEnvId);
  throw Error(ErrorKind::kState, asked, name + ", whose episode is over or has not begun",
              "running episodes, since autoreset_mode is \"disabled\"", "reset it first");
}

inline void InFlight::CheckRuns(int env_id, const std::string& asked, ErrorKind busy) const {
  if (!known(env_id)) {
    throw Error(ErrorKind::kEnvId, asked, "env id " + std::to_string(env_id),
                "0 .. " + std::to_string(options_.num_envs - 1),
                "pass ids of this pool, see all_env_ids");
  }
  const std::string name = "env " + std::to_string(env_id);
  if (contains(env_id)) {
    throw Error(busy, asked, name + ", which is in flight",
                "environments whose result was received", "call recv() first");
  }
  if (flags(env_id) & kBroken) {
    throw Error(ErrorKind::kState, asked, name + ", which failed before", "environments that run",
                "reset it first");
  }
}

inline void InFlight::CheckRecv(int more) const {
  if (fills_batch(more)) return;
  const int on_the_way = count_ + more, wanted = least();
  throw Error(ErrorKind::kState, "recv of " + options_.task_id,
              std::to_string(on_the_way) + " results on the way",
              "at least " + std::to_string(wanted) +
                  (options_.synchronous() ? "" : " (batch_size), so that a batch can be filled"),
              "send actions to, or reset, more environments first");
}

inline void InFlight::CheckIdle(int env_id, const char* what) const {
  CheckRuns(env_id, what + (" of " + options_.task_id), ErrorKind::kState);
}

inline void InFlight::Sent(const int* env_ids, int count, Op op) {
  count_ += count;
  if (env_ids == nullptr && (op == Op::kStep || num_broken_ == 0)) {
    std::memset(flags_.data(), kInFlight, flags_.size());
    return;
  }
  for (int i = 0; i < count; ++i) {
    std::uint8_t& own = flags(env_ids == nullptr ? i : env_ids[i]);
    if (own & kBroken) --num_broken_;
    own = kInFlight;
  }
}

inline void InFlight::Received(const int* env_ids, int count) {
  count_ -= count;
  if (count == options_.num_envs) {
    std::memset(flags_.data(), 0, flags_.size());
    return;
  }
  for (int i = 0; i < count; ++i) flags(env_ids[i]) = 0;
}

inline void Pool::Open() {
  auto run = std::make_unique<Running>(options_, *envs_, memory_);
  envs_->BuildAll(run->actions);
  run_ = std::move(run);
}

inline void Pool::CheckOpen(const char* what) const {
  if (!closed() && !closing_) return;
  const std::string asked = what + (" of " + options_.task_id);
  if (closing_) {
    throw Error(ErrorKind::kState, asked, "a pool whose close() is waiting for an environment",
                "close(), until that environment returns", "call close() again");
  }
  throw Error(ErrorKind::kState, asked, "a closed pool",
              "reset and async_reset, which open it again", "call reset() or make a new pool");
}

inline void Pool::CheckSend(const int* env_ids, int count, Op op, bool drops) const {
  CheckOpen(op == Op::kStep ? "step or send" : "reset");
  const auto may_step = [&](int env_id) { return envs_->in_episode(env_id); };
  run_->in_flight.CheckSend(env_ids, count, op, may_step, drops);
}

inline void Pool::CheckRecv(int more) const {
  CheckOpen("recv");
  if (!run_->results.any_full()) run_->in_flight.CheckRecv(more);
}

inline bool Pool::CanRecv() const {
  CheckOpen("recv");
  return run_->results.any_full() || run_->in_flight.fills_batch(0);
}

inline void Pool::CheckIdle(int env_id, const char* what) const {
  CheckOpen(what);
  run_->in_flight.CheckIdle(env_id, what);
}

inline void Pool::Send(const int* env_ids, int count, Op op, bool then_recv) {
  const int first_row = run_->results.Expect(count);
  for (int i = 0; op != Op::kStep && i < count; ++i) {
    envs_->AskReset(env_ids == nullptr ? i : env_ids[i], op);
  }
  run_->in_flight.Sent(env_ids, count, op);
  run_->scheduler.Send(env_ids, count, first_row, then_recv);
}

inline void Pool::Await(Batch& batch, const std::function<void()>& on_nap,
                        Clock::time_point deadline) {
  const int target = run_->results.Expected(batch);
  while (!run_->scheduler.Wait(batch, target, deadline)) {
    on_nap();
    if (Clock::now() < deadline) continue;
    ThrowTimeout(batch.written.load(), target, " results");
  }
}

inline void Pool::ThrowTooFew() const {
  ThrowTimeout(run_->in_flight.count(), run_->in_flight.least(), " results on the way");
}

inline void Pool::ThrowTimeout(int written, int target, const char* of) const {
  throw Error(
      ErrorKind::kTimeout, "recv(timeout=...) of " + options_.task_id,
      std::to_string(written) + " of " + std::to_string(target) + of + " before the time was over",
      "any timeout, or None to wait for as long as it takes",
      "call recv() again: nothing was lost");
}

inline Received Pool::Recv(bool newest, const std::function<void()>& on_nap,
                           Clock::time_point deadline) {
  CheckRecv(0);
  Batch& batch = newest ? run_->results.newest() : run_->results.oldest();
  if (batch.state != BatchState::kFull) {
    Await(batch, on_nap, deadline);
    if (!batch.failures.empty()) Fill(batch, [](int) { return false; });
  }
  if (!batch.failures.empty()) ThrowFailures(batch);
  const Received received = run_->results.Hand(batch);
  run_->in_flight.Received(batch.column<int>(kEnvIdColumn), received.rows);
  return received;
}

inline void Pool::Fill(Batch& batch, const std::function<bool(int)>& drop) {
  run_->results.Fill(batch, drop,
                     [&](int env_id, bool failed) { run_->in_flight.Gone(env_id, failed); });
}

inline void Pool::ThrowFailures(Batch& batch) {
  const std::vector<Failure> failures = std::exchange(batch.failures, {});
  const Failure& first = failures.front();
  const std::string others =
      failures.size() == 1 ? "" : " (and " + std::to_string(failures.size() - 1) + " more)";
  Error error(ErrorKind::kWorker, detail::TextFirst(first.text, "recv of " + options_.task_id),
              "this exception in env " + std::to_string(first.env_id) + others,
              "none in Reset and Step",
              "reset that environment to go on with it; the results of the other " +
                  std::to_string(batch.rows) + " environments are kept for the next recv()");
  error.task_id = options_.task_id;
  error.failures = failures;
  if (batch.rows == 0) run_->results.Retire(batch);
  throw error;
}

inline void Pool::Drop(const int* env_ids, int count, const std::function<void()>& on_nap) {
  ResultBatches& results = run_->results;
  if (results.empty()) return;
  std::vector<bool> named(static_cast<std::size_t>(num_envs()), env_ids == nullptr);
  bool any = env_ids == nullptr;
  for (int i = 0; i < count && env_ids != nullptr; ++i) {
    named[static_cast<std::size_t>(env_ids[i])] = true;
    any = any || run_->in_flight.contains(env_ids[i]);
  }
  const auto is_named = [&](int env_id) { return named[static_cast<std::size_t>(env_id)]; };
  // A failure that was not reported yet is of no interest after a reset.
  for (const Batch* batch : results.queue()) {
    if (batch->state != BatchState::kFull) break;
    any = any || std::any_of(batch->failures.begin(), batch->failures.end(),
                             [&](const Failure& failure) { return is_named(failure.env_id); });
  }
  if (!any) return;
  for (Batch* batch : results.queue()) {
    if (batch->state != BatchState::kFull) Await(*batch, on_nap, Clock::time_point::max());
  }
  const std::vector<Batch*> queue = results.queue();
  for (Batch* batch : queue) {
    Fill(*batch, is_named);
    if (batch->rows == 0 && batch->failures.empty()) results.Retire(*batch);
  }
  if (!options_.synchronous()) results.SkipToNextBatch();
}

inline bool Pool::Close(Clock::time_point deadline) {
  if (closed()) return true;
  closing_ = true;
  if (!run_->scheduler.Stop(deadline)) return false;
  closing_ = false;
  envs_->DestroyAll();
  run_.reset();
  return true;
}

inline void Pool::Reopen() {
  if (closing_) CheckOpen("reset");
  if (closed()) Open();
}

}  // namespace envpool
