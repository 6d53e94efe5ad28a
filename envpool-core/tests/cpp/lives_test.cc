// SPDX-License-Identifier: Apache-2.0
// Episodes that are parts of a game, against a model of it, in every mode and by several threads: a
// life is an episode, or a terminal state with which nothing ends. The dynamic array of a row has
// one owner, whatever copies are kept of the row.
#include "../engine/envs/lives.h"

#include "support.h"

namespace testing_envs {
namespace {

using envpool::Autoreset;
using envpool::PoolOptions;

constexpr int kLives = 2, kPerLife = 3, kLimit = 8;
constexpr std::size_t kObs = envpool::kNumCommonColumns, kPast = kObs + 2;

/// One environment as its caller knows it.
struct Game {
  int steps = 0;
  int lives = kLives;
  int elapsed = 0;
  bool over = false;  ///< the episode is
  bool may_go_on = false;
  bool terminated = false;
  int shown_end = -1;  ///< steps in the final copy; -1: there is none

  void Start(bool asked_for) {
    const bool goes_on = may_go_on && !asked_for && lives > 0;
    if (!goes_on) *this = {};
    over = may_go_on = terminated = false;
    shown_end = -1;
  }
  void Step(Autoreset mode, bool ends, bool marks) {
    if (over) return Start(false);
    ++steps;
    ++elapsed;
    shown_end = -1;
    const bool lost = steps % kPerLife == 0;
    lives -= lost ? 1 : 0;
    const bool done = lives == 0 || (lost && ends), truncated = elapsed >= kLimit;
    const bool shows_terminal = done || (lost && marks);
    over = done || truncated;
    may_go_on = done && !truncated;
    if (mode == Autoreset::kSameStep && (over || shows_terminal)) {
      const int end = steps;
      if (over) Start(false);
      shown_end = end;
    }
    terminated = shows_terminal;
  }
};

void Play(const PoolOptions& options, Autoreset mode, bool ends, bool marks, std::mt19937& random) {
  const int n = options.num_envs;
  const auto configure = [&](auto& config) {
    config["lives"_] = kLives;
    config["per_life"_] = kPerLife;
    config["ends"_] = ends;
    config["marks"_] = marks;
  };
  TestPool<Lives> pool(options, configure, mode, kLimit);
  std::vector<Game> games(static_cast<std::size_t>(n));
  pool.Send(Shuffled(n, random), Op::kReset);
  pool->Release(*pool.Recv().batch);
  for (int round = 0; round < 200; ++round) {
    const bool resets = Below(12, random) == 0;
    std::vector<int> stepped, reset;
    for (const int id : Shuffled(n, random)) {
      Game& game = games[static_cast<std::size_t>(id)];
      const bool must = mode == Autoreset::kDisabled && game.over;
      (resets || must ? reset : stepped).push_back(id);
      if (resets || must) {
        game.Start(mode != Autoreset::kDisabled);
      } else {
        game.Step(mode, ends, marks);
      }
    }
    for (const auto& [ids, op] : {std::pair(stepped, Op::kStep), std::pair(reset, Op::kReset)}) {
      if (ids.empty()) continue;
      pool.Send(ids, op);
      const Received received = pool.Recv();
      const Batch& batch = *received.batch;
      EXPECT(received.rows == static_cast<int>(ids.size()));
      for (int row = 0; row < received.rows; ++row) {
        const int id = batch.column<int>(envpool::kEnvIdColumn)[row];
        const Game& game = games[static_cast<std::size_t>(id)];
        const int* obs = batch.column<int>(kObs) + 2 * row;
        EXPECT(obs[0] == game.steps && obs[1] == game.lives);
        EXPECT(batch.column<int>(envpool::kElapsedStepColumn)[row] == game.elapsed);
        EXPECT(batch.column<bool>(envpool::kTerminatedColumn)[row] == game.terminated);
        const auto& past = batch.column<envpool::Container<int>>(kPast)[row];
        EXPECT(past != nullptr && past->size() == static_cast<std::size_t>(game.steps));
        if (mode != Autoreset::kSameStep) continue;
        const int* end = reinterpret_cast<int*>(batch.final_columns[kObs]) + 2 * row;
        EXPECT(end[0] == std::max(game.shown_end, 0));
      }
      pool->Release(*received.batch);
    }
  }
}

}  // namespace
}  // namespace testing_envs

int main() {
  using namespace testing_envs;
  std::mt19937 random(5);
  for (const int threads : {1, 3}) {
    for (const auto mode : {Autoreset::kNextStep, Autoreset::kSameStep, Autoreset::kDisabled}) {
      for (const bool ends : {false, true}) {
        for (const bool marks : {false, true}) {
          const PoolOptions options{.num_envs = 7, .batch_size = 7, .num_threads = threads};
          Play(options, mode, ends, marks, random);
        }
      }
    }
  }
  return 0;
}
