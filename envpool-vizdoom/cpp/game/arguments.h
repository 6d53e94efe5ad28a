// SPDX-License-Identifier: Apache-2.0
// The engine's command line.
#pragma once

#include <string>
#include <vector>

#include "game/game.h"

namespace envpool::vizdoom {

/// The arguments of one player's engine. `port` is for games with a host.
std::vector<std::string> EngineArguments(const GameSetup& setup, std::uint32_t seed, int player,
                                         int port);

}  // namespace envpool::vizdoom
