// SPDX-License-Identifier: Apache-2.0
// The scheduler and the batches, with numbers for environments: every one that is sent is advanced
// once, by one thread at a time, and gets the row that it should; never more than num_threads
// threads are inside; whatever the number of threads, the sizes, the duration of a step, the kind
// and the order of the calls.
#include <envpool/engine/scheduler.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "../engine/envs/pole.h"
#include "support.h"

namespace testing_envs {
namespace {

using envpool::PoolOptions;
using envpool::ResultBatches;
using envpool::Row;
using envpool::Scheduler;
using envpool::StepKind;

/// Stands for environments: writes its number into the row, after a while.
class Recorder final : public envpool::EnvArrayBase {
 public:
  Recorder(const PoolOptions& options, StepKind kind, int nanoseconds)
      : EnvArrayBase(options),
        running_(static_cast<std::size_t>(options.num_envs)),
        kind_(kind),
        time_(nanoseconds) {
    runs.resize(running_.size());
  }
  envpool::AdvanceResult Advance(const int* env_ids, int count, Row row,
                                 std::int32_t*) noexcept override {
    EXPECT(inside_.fetch_add(1) < options_.num_threads);
    EXPECT(count == 1 || kind_ == StepKind::kTrivial);
    for (int i = 0; i < count; ++i, ++row.index) {
      const auto id = static_cast<std::size_t>(env_ids[i]);
      EXPECT(!running_[id].exchange(true, std::memory_order_relaxed));
      if (time_ > 0) {
        const auto end = Clock::now() + std::chrono::nanoseconds(time_);
        while (Clock::now() < end) envpool::SpinPause();
      }
      ++runs[id];  // unguarded: a second thread here is a data race that ThreadSanitizer reports
      reinterpret_cast<int*>(row.columns[envpool::kElapsedStepColumn])[row.index] = env_ids[i];
      row.outcomes[row.index] = 0;
      running_[id].store(false, std::memory_order_relaxed);
    }
    inside_.fetch_sub(1);
    envpool::AdvanceResult result;
    result.count = count;
    return result;
  }
  StepKind step_kind() const override { return kind_; }
  envpool::ExternalSteps* external_steps() const override { return nullptr; }
  bool Submit(int) noexcept override { return false; }
  const envpool::Columns& state() const override { return spec_.state; }
  const envpool::Columns& action() const override { return spec_.action; }

  std::vector<int> runs;  // by environment

 private:
  std::pair<int, int> RenderSize(int, int, int) override { return {}; }
  void Render(int, int, int, int, unsigned char*) override {}
  std::string SaveState(int, std::int32_t) override { return {}; }
  std::int32_t LoadState(int, const std::string&) override { return 1; }
  std::string Call(int, const std::string&) override { return {}; }
  void Reserve() override {}
  void Free() override {}
  void Build(int) override {}
  void Destroy(int) override {}
  EnvState& state_of(int) const override { std::abort(); }  // only a pool asks for resets

  envpool::EnvSpec<PoleSpec> spec_;
  std::vector<std::atomic<bool>> running_;
  std::atomic<int> inside_{0};
  StepKind kind_;
  int time_;
};

/// The parts of a pool, without actions and ledgers.
struct Engine {
  Engine(const PoolOptions& given, StepKind kind, int nanoseconds)
      : options(given),
        recorder(options, kind, nanoseconds),
        results(recorder.state(), options, memory),
        scheduler(options, recorder, results) {}

  void Send(const std::vector<int>& ids, bool caller_waits) {
    const auto count = static_cast<int>(ids.size());
    scheduler.Send(ids.data(), count, results.Expect(count), caller_waits);
  }
  void SendAll(bool caller_waits) {
    scheduler.Send(nullptr, options.num_envs, results.Expect(options.num_envs), caller_waits);
  }
  /// Waits, at times for so short that the scheduler has to give up and go on.
  void Await(Batch& batch, int target, std::mt19937& random) {
    const auto deadline = Clock::now() + std::chrono::seconds(50);
    for (;;) {
      const bool limited = Below(4, random) == 0;
      const auto limit = std::chrono::microseconds(random() % 200);
      if (limited ? scheduler.Wait(batch, target, Clock::now() + limit)
                  : scheduler.Wait(batch, target)) {
        return;
      }
      EXPECT(Clock::now() < deadline);
    }
  }
  /// The ids of the oldest batch, which is complete.
  std::vector<int> Take() {
    const Received received = results.Acquire(results.oldest());
    const int* ids = received.batch->column<int>(envpool::kEnvIdColumn);
    const int* written = received.batch->column<int>(envpool::kElapsedStepColumn);
    for (int i = 0; i < received.rows; ++i) EXPECT(ids[i] == written[i]);
    std::vector<int> taken(ids, ids + received.rows);
    results.Release(*received.batch);
    return taken;
  }
  void Stop() { EXPECT(scheduler.Stop(Clock::now() + std::chrono::seconds(30))); }

  const PoolOptions options;
  Recorder recorder;
  PlainMemory memory;
  ResultBatches results;
  Scheduler scheduler;
};

void Synchronous(int n, int threads, StepKind kind, int nanoseconds, std::mt19937& random) {
  Engine engine({.num_envs = n, .batch_size = n, .num_threads = threads}, kind, nanoseconds);
  std::vector<int> expected_runs(static_cast<std::size_t>(n));
  for (int round = 0; round < 30; ++round) {
    std::vector<int> ids = Shuffled(n, random);
    if (Below(2, random) == 0) {
      std::sort(ids.begin(), ids.end());
      engine.SendAll(Below(2, random) == 0);
    } else {  // some of them, in several pieces
      ids.resize(static_cast<std::size_t>(1 + Below(n, random)));
      for (std::size_t at = 0; at < ids.size();) {
        const auto piece = std::min<std::size_t>(1 + random() % 40, ids.size() - at);
        const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(at);
        engine.Send({begin, begin + static_cast<std::ptrdiff_t>(piece)}, Below(2, random) == 0);
        at += piece;
        if (Below(4, random) == 0) {
          engine.Await(engine.results.newest(), static_cast<int>(at), random);
        }
      }
    }
    Batch& batch = engine.results.newest();
    const auto count = static_cast<int>(ids.size());
    EXPECT(engine.results.Expected(batch) == count);
    engine.Await(batch, count, random);
    EXPECT(engine.Take() == ids);
    for (const int id : ids) ++expected_runs[static_cast<std::size_t>(id)];
    EXPECT(engine.recorder.runs == expected_runs);
  }
  EXPECT(engine.scheduler.threads_started() <= threads);
  engine.Stop();
}

void Asynchronous(int n, int size, int threads, StepKind kind, int nanoseconds,
                  std::mt19937& random) {
  Engine engine({.num_envs = n, .batch_size = size, .num_threads = threads}, kind, nanoseconds);
  std::vector<int> idle = Shuffled(n, random);
  std::vector<int> expected_runs(static_cast<std::size_t>(n));
  int in_flight = 0;
  if (Below(2, random) == 0) {
    engine.SendAll(Below(2, random) == 0);
    idle.clear();
    in_flight = n;
    std::fill(expected_runs.begin(), expected_runs.end(), 1);
  }
  for (int round = 0; round < 200; ++round) {
    if (!idle.empty() && (in_flight < size || Below(2, random) == 0)) {
      const auto count = std::max<std::size_t>(
          std::min<std::size_t>(idle.size(),
                                static_cast<std::size_t>(std::max(size - in_flight, 0))),
          1 + random() % idle.size());
      const std::vector<int> ids(idle.end() - static_cast<std::ptrdiff_t>(count), idle.end());
      idle.resize(idle.size() - count);
      engine.Send(ids, Below(2, random) == 0);
      in_flight += static_cast<int>(count);
      for (const int id : ids) ++expected_runs[static_cast<std::size_t>(id)];
    }
    if (in_flight < size) continue;
    EXPECT(engine.results.Expected(engine.results.oldest()) == size);
    engine.Await(engine.results.oldest(), size, random);
    const std::vector<int> got = engine.Take();
    idle.insert(idle.end(), got.begin(), got.end());
    in_flight -= size;
    std::vector<int> sorted = idle;
    std::sort(sorted.begin(), sorted.end());
    EXPECT(sorted.front() >= 0 && sorted.back() < n);
    EXPECT(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
    std::shuffle(idle.begin(), idle.end(), random);
  }
  for (Batch* batch : engine.results.queue()) {  // the last one stays short
    engine.Await(*batch, engine.results.Expected(*batch), random);
  }
  engine.Stop();
  EXPECT(engine.recorder.runs == expected_runs);
}

/// Whoever takes a batch and sends its environments again must in time see all of them, about
/// equally often.
void Fair(int n, int size, int threads, StepKind kind, int nanoseconds) {
  Engine engine({.num_envs = n, .batch_size = size, .num_threads = threads}, kind, nanoseconds);
  std::mt19937 random(0);
  std::vector<int> ids = Shuffled(n, random);
  // Many times as long as a thread can lose its CPU for, in the middle of a claim.
  const auto end = Clock::now() + std::chrono::milliseconds(300);
  long rounds = 0;
  for (; rounds < 50 * n / size || Clock::now() < end; ++rounds) {
    engine.Send(ids, true);
    engine.Await(engine.results.oldest(), size, random);
    ids = engine.Take();
  }
  engine.Stop();
  const long mean = rounds * size / n;
  for (const int runs : engine.recorder.runs) {
    // A tenth leaves room for a thread that lost its CPU; when each thread began
    // with the same shard, some
    // environments had the first few runs only.
    if (runs >= mean / 10) continue;
    std::fprintf(stderr,
                 "num_envs %d, batch_size %d, num_threads %d, %d ns: %d runs, %ld on average\n", n,
                 size, threads, nanoseconds, runs, mean);
    std::exit(1);
  }
}

/// One long wait changes nothing, however often it comes back between short ones.
void PredictionOfWaits() {
  using std::chrono::microseconds;
  envpool::ShortWaits waits;
  EXPECT(waits.likely());
  for (int i = 0; i < 5; ++i) {
    waits.Add(microseconds(400));
    EXPECT(waits.likely());
    waits.Add(microseconds(3));
    EXPECT(waits.likely());
  }
  for (int i = 0; i < 5; ++i) waits.Add(microseconds(400));
  EXPECT(!waits.likely());
  waits.Add(microseconds(3));
  EXPECT(waits.likely());
}

/// CPU microseconds of the caller in each wait for an environment that takes 300 us.
double CpuOfLongWaits(StepKind kind) {
  Engine engine({.num_envs = 2, .batch_size = 1, .num_threads = 1}, kind, 300'000);
  constexpr int kWaits = 100;
  engine.SendAll(true);
  timespec start, end;
  EXPECT(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start) == 0);
  for (int i = 0; i < kWaits; ++i) {
    const auto deadline = Clock::now() + std::chrono::seconds(50);
    while (!engine.scheduler.Wait(engine.results.oldest(), 1)) EXPECT(Clock::now() < deadline);
    engine.Send(engine.Take(), true);
  }
  EXPECT(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end) == 0);
  engine.Stop();
  return (1e6 * static_cast<double>(end.tv_sec - start.tv_sec) +
          1e-3 * static_cast<double>(end.tv_nsec - start.tv_nsec)) /
         kWaits;
}

/// The caller does not spin for 50 us first: they cost no more than where it never spins. The least
/// of some trials counts, since other work on the machine only adds to them.
void LongWaitsAreSlept() {
  double waits = 1e9, sleeps = 1e9;
  for (int trial = 0; trial < 10; ++trial) {
    sleeps = std::min(sleeps, CpuOfLongWaits(StepKind::kBlocking));
    waits = std::min(waits, CpuOfLongWaits(StepKind::kDefault));
  }
  if (waits < sleeps + 25) return;
  std::fprintf(stderr, "a long wait takes %.1f us of CPU time, a sleep %.1f\n", waits, sleeps);
  std::exit(1);
}

}  // namespace
}  // namespace testing_envs

int main() {
  using namespace testing_envs;
  PredictionOfWaits();
  LongWaitsAreSlept();
  std::mt19937 random(7);
  for (const StepKind kind : {StepKind::kTrivial, StepKind::kDefault, StepKind::kBlocking}) {
    for (const int threads : {1, 2, 3, 8}) {
      for (const int n : {1, 2, 7, 64, 65, 300}) {
        for (const int time : {0, 3'000, 40'000}) {
          if (time * n > 2'000'000) continue;
          Synchronous(n, threads, kind, time, random);
          Asynchronous(n, 1 + Below(n, random), threads, kind, time, random);
          Asynchronous(n, 1, threads, kind, time, random);
        }
      }
    }
    for (const int threads : {2, 8}) {
      Fair(8, 2, threads, kind, 0);
      Fair(12, 1, threads, kind, 30'000);
      Fair(40, 10, threads, kind, 8'000);
    }
  }
  return 0;
}
