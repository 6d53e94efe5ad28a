// SPDX-License-Identifier: Apache-2.0
// The engine alone, with numbers for environments: every one that is sent is run once, by one
// thread at a time, and gets the row that it should; whatever the number of threads, the sizes, the
// duration of a step and the order of the calls.
#include <envpool/engine.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <thread>

#include "../engine/envs/pole.h"
#include "support.h"

namespace testing_envs {
namespace {

using envpool::Engine;
using envpool::EngineOptions;

/// Stands for environments: writes its number into the row, after a while.
class Recorder final : public Engine::Runner {
 public:
  Recorder(int n, int nanoseconds) : running_(static_cast<std::size_t>(n)), time_(nanoseconds) {
    runs.resize(static_cast<std::size_t>(n));
  }
  void Run(const int* env_ids, int count, envpool::RowSource& rows) noexcept override {
    for (int i = 0; i < count; ++i) {
      const auto id = static_cast<std::size_t>(env_ids[i]);
      EXPECT(!running_[id].exchange(true, std::memory_order_relaxed));
      if (time_ > 0) {
        const auto end = Clock::now() + std::chrono::nanoseconds(time_);
        while (Clock::now() < end) envpool::SpinPause();
      }
      ++runs[id];  // unguarded: a second thread here is a data race that ThreadSanitizer reports
      rows.Offer();
      rows.Take(1);
      EXPECT(static_cast<int>(rows.row()) < rows.batch().capacity);
      running_[id].store(false, std::memory_order_relaxed);
    }
  }

  std::vector<int> runs;  // by environment

 private:
  std::vector<std::atomic<bool>> running_;
  int time_;
};

/// Batches in use and their memory.
class Batches {
 public:
  explicit Batches(const EngineOptions& options) : rows_(options.batch_size) {}

  Batch* Make() {
    Batch* batch = nullptr;
    if (free_.empty()) {
      all_.push_back(std::make_unique<Batch>());
      batch = all_.back().get();
      batch->layout = &spec_.state;
      batch->capacity = rows_;
      batch->id = all_.size() - 1;
      batch->columns.resize(spec_.state.arrays.size());
      batch->players.resize(static_cast<std::size_t>(rows_));
      memory_.Attach(*batch);
    } else {
      batch = free_.back();
      free_.pop_back();
    }
    std::fill_n(batch->column<int>(envpool::kEnvIdColumn), rows_, -1);
    return batch;
  }
  void Free(Batch* batch) { free_.push_back(batch); }

 private:
  envpool::EnvSpec<PoleSpec> spec_;
  int rows_;
  PlainMemory memory_;
  std::vector<std::unique_ptr<Batch>> all_;
  std::vector<Batch*> free_;
};

void AwaitRows(Engine& engine, Batch& batch, int target) {
  const auto patience = Clock::now() + std::chrono::seconds(50);
  while (!engine.Wait(batch, target)) EXPECT(Clock::now() < patience);
}

void Synchronous(int n, int threads, int nanoseconds, std::mt19937& random) {
  const EngineOptions options{.num_envs = n, .batch_size = n, .num_threads = threads};
  Recorder recorder(n, nanoseconds);
  Engine engine(options, recorder);
  Batches batches(options);
  std::vector<int> expected_runs(static_cast<std::size_t>(n));
  for (int round = 0; round < 30; ++round) {
    Batch* batch = batches.Make();
    engine.Open(batch);
    std::vector<int> ids = Shuffled(n, random);
    if (Below(2, random) == 0) {
      std::sort(ids.begin(), ids.end());
      engine.Send(nullptr, n);
    } else {  // some of them, in several pieces
      ids.resize(static_cast<std::size_t>(1 + Below(n, random)));
      for (std::size_t at = 0; at < ids.size();) {
        const auto piece = std::min<std::size_t>(1 + random() % 40, ids.size() - at);
        engine.Send(ids.data() + at, static_cast<int>(piece));
        at += piece;
        if (Below(4, random) == 0) AwaitRows(engine, *batch, static_cast<int>(at));
      }
    }
    const auto count = static_cast<int>(ids.size());
    EXPECT(engine.Expected(*batch) == count);
    AwaitRows(engine, *batch, count);
    const int* got = batch->column<int>(envpool::kEnvIdColumn);
    for (int row = 0; row < n; ++row)
      EXPECT(got[row] == (row < count ? ids[static_cast<std::size_t>(row)] : -1));
    for (const int id : ids) ++expected_runs[static_cast<std::size_t>(id)];
    EXPECT(recorder.runs == expected_runs);
    batches.Free(batch);
  }
  EXPECT(engine.threads_started() <= threads);
  EXPECT(engine.Stop(Clock::now() + std::chrono::seconds(30)));
}

void Asynchronous(int n, int size, int threads, int nanoseconds, std::mt19937& random) {
  const EngineOptions options{.num_envs = n, .batch_size = size, .num_threads = threads};
  Recorder recorder(n, nanoseconds);
  Engine engine(options, recorder);
  Batches batches(options);
  std::deque<Batch*> open;
  std::vector<int> idle = Shuffled(n, random);
  std::vector<int> expected_runs(static_cast<std::size_t>(n));
  int in_flight = 0;
  for (int round = 0; round < 200; ++round) {
    if (!idle.empty() && (in_flight < size || Below(2, random) == 0)) {
      const auto count = std::max<std::size_t>(
          std::min<std::size_t>(idle.size(),
                                static_cast<std::size_t>(std::max(size - in_flight, 0))),
          1 + random() % idle.size());
      const std::vector<int> ids(idle.end() - static_cast<std::ptrdiff_t>(count), idle.end());
      idle.resize(idle.size() - count);
      while (engine.NeedsBatch(static_cast<int>(count))) {
        open.push_back(batches.Make());
        engine.Open(open.back());
      }
      engine.Send(ids.data(), static_cast<int>(count));
      in_flight += static_cast<int>(count);
      for (const int id : ids) ++expected_runs[static_cast<std::size_t>(id)];
    }
    if (in_flight < size) continue;
    Batch* batch = open.front();
    open.pop_front();
    EXPECT(engine.Expected(*batch) == size);
    AwaitRows(engine, *batch, size);
    const int* got = batch->column<int>(envpool::kEnvIdColumn);
    idle.insert(idle.end(), got, got + size);
    in_flight -= size;
    batches.Free(batch);
    std::vector<int> sorted = idle;
    std::sort(sorted.begin(), sorted.end());
    EXPECT(sorted.front() >= 0 && sorted.back() < n);
    EXPECT(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
    std::shuffle(idle.begin(), idle.end(), random);
  }
  if (!open.empty()) {  // the last batch stays short
    AwaitRows(engine, *open.back(), engine.Expected(*open.back()));
    for (Batch* batch : open) AwaitRows(engine, *batch, engine.Expected(*batch));
  }
  EXPECT(engine.Stop(Clock::now() + std::chrono::seconds(30)));
  EXPECT(recorder.runs == expected_runs);
}

/// Whoever takes a batch and sends its environments again must in time see all of them, about
/// equally often.
void Fair(int n, int size, int threads, int nanoseconds) {
  const EngineOptions options{.num_envs = n, .batch_size = size, .num_threads = threads};
  Recorder recorder(n, nanoseconds);
  Engine engine(options, recorder);
  Batches batches(options);
  std::deque<Batch*> open;
  std::mt19937 random(0);
  std::vector<int> ids = Shuffled(n, random);
  // Many times as long as a thread can lose its processor for, in the middle of a chunk.
  const auto end = Clock::now() + std::chrono::milliseconds(300);
  long rounds = 0;
  for (; rounds < 50 * n / size || Clock::now() < end; ++rounds) {
    while (engine.NeedsBatch(static_cast<int>(ids.size()))) {
      open.push_back(batches.Make());
      engine.Open(open.back());
    }
    engine.Send(ids.data(), static_cast<int>(ids.size()));
    Batch* batch = open.front();
    open.pop_front();
    AwaitRows(engine, *batch, size);
    const int* got = batch->column<int>(envpool::kEnvIdColumn);
    ids.assign(got, got + size);
    batches.Free(batch);
  }
  EXPECT(engine.Stop(Clock::now() + std::chrono::seconds(30)));
  const long mean = rounds * size / n;
  for (const int runs : recorder.runs) {
    // A tenth leaves room for a thread that lost its processor; before shards took turns, some
    // environments had the first few runs only.
    if (runs >= mean / 10) continue;
    std::fprintf(stderr,
                 "num_envs %d, batch_size %d, num_threads %d, %d ns: %d runs, %ld on average\n", n,
                 size, threads, nanoseconds, runs, mean);
    std::exit(1);
  }
}

}  // namespace
}  // namespace testing_envs

int main() {
  using namespace testing_envs;
  std::mt19937 random(7);
  for (const int threads : {1, 2, 3, 8}) {
    for (const int n : {1, 2, 7, 64, 65, 300}) {
      for (const int time : {0, 3'000, 40'000}) {
        if (time * n > 3'000'000) continue;
        Synchronous(n, threads, time, random);
        Asynchronous(n, 1 + Below(n, random), threads, time, random);
        Asynchronous(n, 1, threads, time, random);
      }
    }
  }
  for (const int threads : {2, 8}) {
    for (const int time : {0, 30'000}) {
      Fair(8, 2, threads, time);
      Fair(12, 1, threads, time);
      Fair(40, 10, threads, time / 4);
    }
  }
  return 0;
}
