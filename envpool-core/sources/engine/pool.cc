// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/pool.h"

#include <algorithm>
#include <string>
#include <vector>

#include "envpool/engine/in_flight.h"
#include "envpool/engine/result_batches.h"
#include "envpool/engine/scheduler.h"
#include "envpool/error.h"

namespace envpool {

// The parts of a pool that exist between opening and closing.
struct Pool::Running {
  Running(const PoolOptions& options, EnvArrayBase& envs, BatchMemory& memory)
      : actions(envs.action(), options.num_envs, options.task_id),
        in_flight(options, envs.action().max_players),
        results(envs.state(), options, memory),
        scheduler(options, envs, results) {}
  ActionTable actions;
  InFlight in_flight;
  ResultBatches results;
  Scheduler scheduler;
};

Pool::Pool(std::unique_ptr<EnvArrayBase> envs, PoolOptions options, BatchMemory& memory,
           const std::function<void()>& check_signals)
    : options_(std::move(options)), memory_(memory), envs_(std::move(envs)) {
  Open(check_signals);
}
Pool::~Pool() { Close(Clock::time_point::max()); }

int Pool::NextRows(bool newest) const {
  const ResultBatches& results = run_->results;
  const Batch& batch = newest ? results.newest() : results.oldest();
  return batch.state == BatchState::kFull ? batch.rows : results.Expected(batch);
}
const std::vector<int>& Pool::last_ids() const {
  static const std::vector<int> kNone;
  return run_ == nullptr ? kNone : run_->in_flight.last_ids();
}
std::int32_t Pool::last_players(int env_id) const { return run_->in_flight.last_players(env_id); }

std::string Pool::SaveState(int env_id) {
  CheckIdle(env_id, "save_state");
  return envs_->SaveState(env_id, run_->in_flight.last_players(env_id));
}

void Pool::LoadState(int env_id, const std::string& state) {
  ++num_changes_;
  run_->in_flight.set_last_players(env_id, envs_->LoadState(env_id, state));
}

Received Pool::Nothing() { return run_->results.Nothing(); }
void Pool::Release(Batch& batch) { run_->results.Release(batch); }
void Pool::Abandon() { run_->scheduler.Abandon(); }
ActionTable& Pool::actions() { return run_->actions; }

void Pool::CountInFlight() {
  num_in_flight_.store(run_ == nullptr ? 0 : run_->in_flight.count(), std::memory_order_relaxed);
}

int Pool::RowsAfterStep(int count) const {
  const ResultBatches& results = run_->results;
  if (!options_.synchronous()) {
    return results.any_full() ? results.oldest().rows : options_.batch_size;
  }
  const bool goes_on = !results.empty() && results.newest().state == BatchState::kOpen;
  return (goes_on ? results.Expected(results.newest()) : 0) + count;
}

void Pool::CheckStep(const int* env_ids, int count, bool then_recv) const {
  CheckSend(env_ids, count, Op::kStep, false);
  if (then_recv && count > 0) CheckRecv(count);
}

void Pool::PrepareReset(const int* env_ids, int count, bool then_recv,
                        const std::function<void()>& check_signals) {
  Reopen(check_signals);
  // The reset replaces results in flight. An asynchronous pool can only drop everything: its
  // rows are already taken in the order in which environments finish.
  const bool drops = count > 0 && (options_.synchronous() || env_ids == nullptr);
  CheckSend(env_ids, count, Op::kReset, drops);  // before anything is lost
  if (drops) Drop(env_ids, count, check_signals);
  if (then_recv && count > 0 && env_ids == nullptr) CheckRecv(count);
  if (then_recv && count > 0 && options_.synchronous()) CompleteNewest(check_signals);
}

void Pool::SendReset(const int* env_ids, int count, const std::int64_t* seeds, bool then_recv) {
  if (count > 0) Send(env_ids, count, Op::kReset, then_recv, seeds);
}

/// Completes the newest batch, so that environments that are sent next go into another.
void Pool::CompleteNewest(const std::function<void()>& check_signals) {
  const ResultBatches& results = run_->results;
  if (results.empty() || results.newest().state == BatchState::kFull) return;
  Await(results.newest(), check_signals, Clock::time_point::max());
  Complete(results.newest(), [](int) { return false; });
}

void Pool::Open(const std::function<void()>& check_signals) {
  auto run = std::make_unique<Running>(options_, *envs_, memory_);
  envs_->BuildAll(run->actions, check_signals);
  run_ = std::move(run);
  closed_.store(false, std::memory_order_relaxed);
}

void Pool::CheckOpen(const char* what) const {
  if (run_ != nullptr && !closing_) return;
  const std::string asked = what + (" of " + options_.task_id);
  if (closing_) {
    throw Error(ErrorKind::kState, asked, "a pool whose close() is waiting for an environment",
                "close(), until that environment returns", "call close() again");
  }
  throw Error(ErrorKind::kState, asked, "a closed pool",
              "reset and async_reset, which open it again", "call reset() or make a new pool");
}

void Pool::CheckSend(const int* env_ids, int count, Op op, bool drops) const {
  CheckOpen(op == Op::kStep ? "step or send" : "reset");
  run_->in_flight.CheckSend(env_ids, count, op, *envs_, drops);
}

void Pool::CheckRecv(int more) const {
  CheckOpen("recv");
  if (!run_->results.any_full()) run_->in_flight.CheckRecv(more);
}

bool Pool::CanRecv() const {
  CheckOpen("recv");
  return run_->results.any_full() || run_->in_flight.fills_batch(0);
}

void Pool::CheckIdle(int env_id, const char* what) const {
  CheckOpen(what);
  run_->in_flight.CheckIdle(env_id, what);
}

void Pool::Send(const int* env_ids, int count, Op op, bool then_recv, const std::int64_t* seeds) {
  const int first_row = run_->results.Expect(count);
  for (int i = 0; op != Op::kStep && i < count; ++i) {
    const int env_id = env_ids == nullptr ? i : env_ids[i];
    const bool is_seeded = seeds != nullptr && seeds[i] >= 0;
    if (is_seeded) envs_->SetSeed(env_id, seeds[i]);
    envs_->AskReset(env_id, is_seeded ? Op::kReseed : op);
  }
  ++num_changes_;
  run_->in_flight.Sent(env_ids, count, op);
  CountInFlight();
  run_->scheduler.Send(env_ids, count, first_row, then_recv);
}

void Pool::Await(Batch& batch, const std::function<void()>& check_signals,
                 Clock::time_point deadline) {
  const int target = run_->results.Expected(batch);
  while (!run_->scheduler.Wait(batch, target, deadline)) {
    check_signals();
    if (Clock::now() < deadline) continue;
    ThrowTimeout(batch.written.load(), target, " results");
  }
}

void Pool::ThrowTooFew() const {
  ThrowTimeout(run_->in_flight.count(), run_->in_flight.least(), " results in flight");
}

void Pool::ThrowTimeout(int written, int target, const char* of) const {
  throw Error(
      ErrorKind::kTimeout, "recv(timeout=...) of " + options_.task_id,
      std::to_string(written) + " of " + std::to_string(target) + of + " before the time was over",
      "any timeout, or None to wait for as long as it takes",
      "call recv() again: nothing was lost");
}

Received Pool::Recv(bool newest, const std::function<void()>& check_signals,
                    Clock::time_point deadline) {
  CheckRecv(0);
  Batch& batch = newest ? run_->results.newest() : run_->results.oldest();
  if (batch.state != BatchState::kFull) {
    Await(batch, check_signals, deadline);
    if (!batch.failures.empty()) Complete(batch, [](int) { return false; });
  }
  if (!batch.failures.empty()) ThrowFailures(batch);
  const Received received = run_->results.Acquire(batch);
  run_->in_flight.Received(received);
  CountInFlight();
  return received;
}

void Pool::Complete(Batch& batch, const std::function<bool(int)>& drop) {
  run_->results.Complete(batch, drop,
                         [&](int env_id, bool failed) { run_->in_flight.Removed(env_id, failed); });
  CountInFlight();
}

void Pool::AwaitAll(const std::function<void()>& check_signals) {
  for (Batch* batch : run_->results.queue()) {
    if (batch->state != BatchState::kFull) Await(*batch, check_signals, Clock::time_point::max());
  }
}

Received Pool::RecvOf(const int* env_ids, int count) {
  ResultBatches& results = run_->results;
  std::vector<int> row_of(static_cast<std::size_t>(num_envs()), -1);
  for (int i = 0; i < count; ++i) row_of[static_cast<std::size_t>(env_ids[i])] = i;
  std::vector<Failure> failures;
  for (Batch* batch : results.queue()) {
    if (batch->state != BatchState::kFull) Complete(*batch, [](int) { return false; });
    std::erase_if(batch->failures, [&](const Failure& failure) {
      const bool named = row_of[static_cast<std::size_t>(failure.env_id)] >= 0;
      if (named) failures.push_back(failure);
      return named;
    });
  }
  if (!failures.empty()) {
    results.ExtractRows([](int) { return -1; }, 0);
    ThrowFailures(std::move(failures), run_->in_flight.count());
  }
  const Received received =
      results.ExtractRows([&](int id) { return row_of[static_cast<std::size_t>(id)]; }, count);
  run_->in_flight.Received(received);
  CountInFlight();
  return received;
}

void Pool::ThrowFailures(Batch& batch) {
  std::vector<Failure> failures = std::exchange(batch.failures, {});
  const int rows = batch.rows;
  if (rows == 0) run_->results.DropEmpty(batch);
  ThrowFailures(std::move(failures), rows);
}

void Pool::ThrowFailures(std::vector<Failure> failures, int rows_kept) {
  const Failure& first = failures.front();
  const std::string others =
      failures.size() == 1 ? "" : " (and " + std::to_string(failures.size() - 1) + " more)";
  Error error(ErrorKind::kWorker, detail::TextFirst(first.text, "recv of " + options_.task_id),
              "this exception in env " + std::to_string(first.env_id) + others,
              "none in Reset and Step",
              "reset that environment to go on with it; the results of the other " +
                  std::to_string(rows_kept) + " environments are kept for the next recv()");
  error.task_id = options_.task_id;
  error.failures = std::move(failures);
  throw error;
}

void Pool::Drop(const int* env_ids, int count, const std::function<void()>& check_signals) {
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
  AwaitAll(check_signals);
  const std::vector<Batch*> queue = results.queue();
  for (Batch* batch : queue) {
    Complete(*batch, is_named);
    if (batch->rows == 0 && batch->failures.empty()) results.DropEmpty(*batch);
  }
  if (!options_.synchronous()) results.SkipToNextBatch();
}

bool Pool::Close(Clock::time_point deadline) {
  if (run_ == nullptr) return true;
  closing_ = true;
  if (!run_->scheduler.Stop(deadline)) return false;
  closing_ = false;
  closed_.store(true, std::memory_order_relaxed);
  envs_->DestroyAll();
  run_.reset();
  ++num_changes_;
  CountInFlight();
  return true;
}

void Pool::Reopen(const std::function<void()>& check_signals) {
  if (closing_) CheckOpen("reset");
  if (run_ == nullptr) Open(check_signals);
}

}  // namespace envpool
