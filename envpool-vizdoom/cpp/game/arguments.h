// SPDX-License-Identifier: Apache-2.0
// What the engine is started with.
#pragma once

#include <string>
#include <vector>

#include "game/game.h"

namespace envpool::vizdoom {

/// The arguments of one player's engine. `port` is of games with a host.
std::vector<std::string> EngineArguments(const GameSetup& setup, std::uint32_t seed, int player,
                                         int port);

}  // namespace envpool::vizdoom
