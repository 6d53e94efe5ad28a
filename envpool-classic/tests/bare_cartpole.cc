// SPDX-License-Identifier: Apache-2.0
// The least cost of CartPole: a loop over environments in one block of memory that calls their Step
// (and Reset at the end of an episode), which write observation and reward. It has no ids, no
// flags, no time limit and no queue.
//
//   bare_cartpole <environments> <threads>
//
// It answers as tools/benchmarks/worker.py does: a line {"calls": n} on standard input by the wall
// and CPU seconds of n passes over all environments. Several threads each step their own part, and
// all wait for each other after each pass, as a caller who wants all results must.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <thread>
#include <vector>

#include "cartpole.h"
#include "envpool/engine/env_array.h"
#include "envpool/engine/result_batches.h"

namespace {

using envpool::classic::CartPole;

}  // namespace

namespace envpool {
/// EnvArray normally sets an environment's row; here a loop does.
template <>
class EnvArray<CartPole> {
 public:
  EnvArray(int n, int threads) : threads_(threads), batch_(spec_.state, n, 0) {
    std::size_t column = 0;
    for (const std::size_t size : spec_.state.row_sizes) {
      memory_.emplace_back(size * static_cast<std::size_t>(n));
      batch_.columns[column++] = memory_.back().data();
    }
    for (const std::size_t size : spec_.action.row_sizes) {
      memory_.emplace_back(size * static_cast<std::size_t>(n));
      actions_.push_back(memory_.back().data());
    }
    envs_ = std::allocator<CartPole>().allocate(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) std::construct_at(envs_ + i, spec_, i);
  }

  void Pass(int thread) {
    const int n = batch_.capacity;
    const int begin = n * thread / threads_, end = n * (thread + 1) / threads_;
    Row row = batch_.row(begin);
    for (int i = begin; i < end; ++i, ++row.index) {
      CartPole& env = envs_[i];
      row.players = Row::kOffered;
      static_cast<EnvBase&>(env).row_ = &row;
      if (env.CartPole::IsDone()) {
        env.CartPole::Reset();
        continue;
      }
      env.CartPole::Step(detail::PointedViews<CartPole::Action>::At(
          spec_.action, actions_.data(), static_cast<std::size_t>(i), 1));
    }
  }
  int* actions() { return reinterpret_cast<int*>(actions_.back()); }

 private:
  int threads_;
  CartPole::Spec spec_{};
  Batch batch_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<std::byte*> actions_;
  CartPole* envs_;
};
}  // namespace envpool

/// Spins for a limited time: another program may hold the CPU that the other thread needs.
template <typename Condition>
void AwaitWhile(Condition&& waiting) {
  for (int spins = 1; waiting(); ++spins) {
    if (spins % 2000 == 0) std::this_thread::yield();
  }
}

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bare_cartpole environments threads\n");
    return 2;
  }
  const int n = std::atoi(argv[1]), threads = std::atoi(argv[2]);
  envpool::EnvArray<CartPole> pool(n, threads);
  std::atomic<int> go{0}, done{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> helpers;
  for (int t = 1; t < threads; ++t) {
    helpers.emplace_back([&, t] {
      for (int seen = 0; !stop;) {
        AwaitWhile([&] { return go.load(std::memory_order_acquire) == seen && !stop; });
        if (stop) break;
        ++seen;
        pool.Pass(t);
        done.fetch_add(1, std::memory_order_acq_rel);
      }
    });
  }
  for (int i = 0; i < n; ++i) pool.actions()[i] = 1 - (i & 1);
  std::puts("ready");
  std::fflush(stdout);
  for (int calls = 0; std::scanf(" {\"calls\": %d}", &calls) == 1;) {
    const std::clock_t cpu = std::clock();
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call) {
      go.fetch_add(1, std::memory_order_acq_rel);
      pool.Pass(0);
      AwaitWhile([&] { return done.load(std::memory_order_acquire) < threads - 1; });
      done.store(0, std::memory_order_relaxed);
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    std::printf("{\"wall\": %.9f, \"cpu\": %.9f}\n", wall.count(),
                static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
    std::fflush(stdout);
  }
  stop = true;
  for (std::thread& helper : helpers) helper.join();
}
