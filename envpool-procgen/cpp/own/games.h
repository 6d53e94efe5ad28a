// SPDX-License-Identifier: Apache-2.0
// MakeGame: a game by its name.
#pragma once

#include <memory>
#include <string>

#include "own/game.h"

namespace envpool::procgen {

/// Makes the game of these settings, which must be computed here.
std::unique_ptr<Game> MakeGame(const Settings& settings, const std::string& images);

}  // namespace envpool::procgen
