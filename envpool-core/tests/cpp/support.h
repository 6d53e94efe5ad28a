// SPDX-License-Identifier: Apache-2.0
// Shared code of the C++ tests: a check that ends the program, memory for batches, and a pool of
// one environment type.
//
//   TestPool<Counter> pool({.num_envs = 4, .batch_size = 2, .num_threads = 2}, [](auto& config)
//   {...}); EXPECT(pool->num_in_flight() == 0);
#pragma once

#include <envpool/engine/pool.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#define EXPECT(condition)                                                                \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (false)

namespace testing_envs {

using namespace envpool::literals;
using envpool::Batch;
using envpool::Op;
using envpool::Received;
using Clock = envpool::Clock;

/// Gives every batch object memory of its own, once. What a batch left there stays there.
class PlainMemory final : public envpool::BatchMemory {
 public:
  explicit PlainMemory(bool same_step = false) : same_step_(same_step) {}

  void Attach(Batch& batch) override {
    if (memory_.size() <= batch.id) memory_.resize(batch.id + 1);
    auto& own = memory_[batch.id];
    if (own.empty()) Make(batch, own);
    std::size_t next = 0;
    for (std::byte*& column : batch.columns) column = own[next++].get();
    if (!same_step_) return;
    batch.final_columns.resize(batch.columns.size());
    for (std::size_t i = envpool::kNumCommonColumns; i < batch.columns.size(); ++i) {
      batch.final_columns[i] = own[next++].get();
    }
  }

 private:
  using Block = std::unique_ptr<std::byte[]>;

  void Make(Batch& batch, std::vector<Block>& own) const {
    const auto add = [&](std::size_t column) {
      const std::size_t size = batch.layout->row_sizes[column];
      // Rubbish to begin with, as memory that was used before.
      own.push_back(std::make_unique<std::byte[]>(size * static_cast<std::size_t>(batch.capacity)));
      std::memset(own.back().get(), 0xa5, size * static_cast<std::size_t>(batch.capacity));
    };
    for (std::size_t i = 0; i < batch.columns.size(); ++i) add(i);
    for (std::size_t i = envpool::kNumCommonColumns; same_step_ && i < batch.columns.size(); ++i) {
      add(i);
    }
  }

  bool same_step_;
  std::vector<std::vector<Block>> memory_;
};

/// A pool and its memory; closed at the end.
template <typename E>
class TestPool {
 public:
  template <typename Configure>
  TestPool(const envpool::PoolOptions& engine, const Configure& configure,
           envpool::Autoreset autoreset = envpool::Autoreset::kNextStep, int max_steps = 1 << 30)
      : memory_(autoreset == envpool::Autoreset::kSameStep) {
    auto config = E::Spec::DefaultConfig();
    config["num_envs"_] = engine.num_envs;
    configure(config);
    envpool::PoolOptions options = engine;
    options.task_id = "Test-v0";
    options.max_episode_steps = max_steps;
    options.autoreset = autoreset;
    pool_ = std::make_unique<envpool::AsyncEnvPool<E>>(
        std::make_unique<typename E::Spec>(std::move(config)), options, memory_);
  }
  explicit TestPool(const envpool::PoolOptions& engine) : TestPool(engine, [](auto&) {}) {}
  ~TestPool() { EXPECT(pool_->Close(Clock::now() + std::chrono::seconds(30))); }

  envpool::Pool* operator->() { return pool_.get(); }

  /// Checks, sends and, for a step, writes `action` for everybody named.
  void Send(const std::vector<int>& ids, Op op, int action = 0) {
    if (ids.empty()) return;  // null would mean all
    const auto count = static_cast<int>(ids.size());
    pool_->CheckSend(ids.data(), count, op);
    if (op == Op::kStep) {
      for (const int id : ids) {
        const std::size_t size = pool_->action_layout().row_sizes[2];
        *reinterpret_cast<int*>(pool_->actions().columns()[2] +
                                static_cast<std::size_t>(id) * size) = action;
      }
    }
    pool_->Send(ids.data(), count, op);
  }
  Received Recv(bool newest = false) {
    return pool_->Recv(newest, [] {}, Clock::now() + std::chrono::seconds(50));
  }

 private:
  PlainMemory memory_;
  std::unique_ptr<envpool::Pool> pool_;
};

/// 0 .. n-1 in any order.
inline std::vector<int> Shuffled(int n, std::mt19937& random) {
  std::vector<int> ids(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) ids[static_cast<std::size_t>(i)] = i;
  std::shuffle(ids.begin(), ids.end(), random);
  return ids;
}

inline int Below(int n, std::mt19937& random) {
  return static_cast<int>(random() % static_cast<unsigned>(n));
}

/// The text of the exception that `act` throws; "" if it throws none.
template <typename F>
std::string TextOf(const F& act) {
  try {
    act();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

/// Steps until every environment has had about `rounds` steps; they must have been reset.
inline void Play(envpool::Pool& pool, int rounds) {
  const envpool::PoolOptions& options = pool.options();
  if (options.synchronous()) {
    for (int i = 0; i < rounds; ++i) {
      pool.CheckSend(nullptr, options.num_envs, Op::kStep);
      pool.Send(nullptr, options.num_envs, Op::kStep, true);
      pool.Release(*pool.Recv(true, [] {}).batch);
    }
    return;
  }
  for (int i = 0; i < rounds * options.num_envs / options.batch_size; ++i) {
    const Received received = pool.Recv(false, [] {});
    const int* ids = received.batch->column<int>(envpool::kEnvIdColumn);
    pool.CheckSend(ids, received.rows, Op::kStep);
    pool.Send(ids, received.rows, Op::kStep);
    pool.Release(*received.batch);
  }
}

}  // namespace testing_envs
