// SPDX-License-Identifier: Apache-2.0
#include "own/games.h"

#include <algorithm>

#include "own/games/all.h"

namespace envpool::procgen {
namespace {

struct OwnGame {
  std::string_view name;
  std::unique_ptr<Game> (*make)(const Settings& settings, const std::string& images);
};
constexpr OwnGame kOwnGames[] = {
    {"bigfish", MakeBigFish},     {"chaser", MakeChaser},       {"climber", MakeClimber},
    {"coinrun", MakeCoinRun},     {"dodgeball", MakeDodgeball}, {"fruitbot", MakeFruitBot},
    {"heist", MakeHeist},         {"leaper", MakeLeaper},       {"maze", MakeMaze},
    {"miner", MakeMiner},         {"ninja", MakeNinja},         {"plunder", MakePlunder},
    {"starpilot", MakeStarPilot},
};

const OwnGame* Find(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kOwnGames), std::end(kOwnGames),
                                         [&](const OwnGame& game) { return game.name == name; });
  return found == std::end(kOwnGames) ? nullptr : found;
}

}  // namespace

std::vector<std::string> OwnGames() {
  std::vector<std::string> names;
  for (const OwnGame& game : kOwnGames) names.emplace_back(game.name);
  return names;
}

bool HasOwnGame(std::string_view name) { return Find(name) != nullptr; }

std::unique_ptr<Game> MakeGame(const Settings& settings, const std::string& images) {
  return Find(settings.game->name)->make(settings, images);
}

}  // namespace envpool::procgen
