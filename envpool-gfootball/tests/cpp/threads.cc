// SPDX-License-Identifier: Apache-2.0
// Games on several threads, for ThreadSanitizer: threads FOLDER games steps [one]
//
// Another thread makes each next step of each game. All threads make the first games at the same
// time. With `one`, as a control, two threads play one game at the same time.
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/game.h"
#include "scenario.h"

using envpool::gfootball::Game;
using envpool::gfootball::Kickoff;
using envpool::gfootball::Scenario;

namespace {

constexpr int kThreads = 3;

/// Eleven players per side, with agents on both.
Scenario Match() {
  Scenario scenario;
  scenario.second_half = 999999999;
  scenario.left_team_difficulty = scenario.right_team_difficulty = 1;
  scenario.offsides = true;
  for (auto& team : scenario.teams) {
    for (int i = 0; i < 11; ++i)
      team.push_back({-0.9 + 0.08 * i, 0.07 * (i - 5), i % 10, false, true});
  }
  return scenario;
}

Kickoff Seeded(int seed) {
  Kickoff kickoff;
  kickoff.seed = static_cast<unsigned>(seed);
  kickoff.agents[1] = 1;
  return kickoff;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argv[1];
  const int games = std::atoi(argv[2]), steps = std::atoi(argv[3]);
  const bool one = argc > 4;
  std::vector<std::unique_ptr<Game>> all(static_cast<std::size_t>(games));
  pthread_barrier_t together;  // race detectors know this function
  pthread_barrier_init(&together, nullptr, kThreads);
  const auto play = [&](int thread) {
    for (int i = thread; i < games; i += kThreads) {
      auto& game = all[static_cast<std::size_t>(i)];
      game = std::make_unique<Game>(folder, 10);
      game->Begin(Match(), Seeded(i));
    }
    pthread_barrier_wait(&together);
    for (int step = 0; step < steps; ++step) {
      for (int i = (thread + step) % kThreads; i < games; i += kThreads) {
        Game& game = *all[one ? 0 : static_cast<std::size_t>(i)];
        game.Act(0, 0, (step * 7 + i) % 13);
        game.Act(1, 0, (step * 5 + i) % 13);
        game.Step();
        if (step % 20 == 19) game.Begin(Match(), Seeded(i + step));
        if (step % 7 == 6) game.Load(game.Save());
      }
      pthread_barrier_wait(&together);
    }
    for (int i = thread; i < games; i += kThreads) all[static_cast<std::size_t>(i)] = nullptr;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(play, i);
  for (std::thread& thread : threads) thread.join();
  std::puts("played");
}
