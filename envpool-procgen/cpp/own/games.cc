// SPDX-License-Identifier: Apache-2.0
#include "own/games.h"

namespace envpool::procgen {
namespace {

struct Maker {
  std::string_view name;
  std::unique_ptr<World> (*make)(const Settings&, const std::string&);
};
constexpr Maker kMakers[] = {
    {"bigfish", MakeBigfish}, {"chaser", MakeChaser}, {"heist", MakeHeist},
    {"leaper", MakeLeaper},   {"maze", MakeMaze},     {"miner", MakeMiner},
    {"plunder", MakePlunder},
};

}  // namespace

std::unique_ptr<World> MakeWorld(const Settings& settings, const std::string& image_folder) {
  for (const Maker& maker : kMakers) {
    if (maker.name == settings.game->name) return maker.make(settings, image_folder);
  }
  return nullptr;
}

std::vector<std::string> OwnGames() {
  std::vector<std::string> names;
  for (const Maker& maker : kMakers) names.emplace_back(maker.name);
  return names;
}

}  // namespace envpool::procgen
