// SPDX-License-Identifier: Apache-2.0
// The function that makes each game.
#pragma once

#include <memory>
#include <string>

#include "own/game.h"

namespace envpool::procgen {

std::unique_ptr<Game> MakeBigFish(const Settings& settings, const std::string& images);
std::unique_ptr<Game> MakeChaser(const Settings& settings, const std::string& images);
std::unique_ptr<Game> MakeClimber(const Settings& settings, const std::string& images);
std::unique_ptr<Game> MakeCoinRun(const Settings& settings, const std::string& images);
std::unique_ptr<Game> MakeDodgeball(const Settings& settings, const std::string& images);
std::unique_ptr<Game> MakeFruitBot(const Settings& settings, const std::string& images);
std::unique_ptr<Game> MakeHeist(const Settings& settings, const std::string& images);
std::unique_ptr<Game> MakeLeaper(const Settings& settings, const std::string& images);
std::unique_ptr<Game> MakeMaze(const Settings& settings, const std::string& images);
std::unique_ptr<Game> MakeMiner(const Settings& settings, const std::string& images);
std::unique_ptr<Game> MakeNinja(const Settings& settings, const std::string& images);
std::unique_ptr<Game> MakePlunder(const Settings& settings, const std::string& images);
std::unique_ptr<Game> MakeStarPilot(const Settings& settings, const std::string& images);

}  // namespace envpool::procgen
