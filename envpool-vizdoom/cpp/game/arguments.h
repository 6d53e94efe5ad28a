// SPDX-License-Identifier: Apache-2.0
// What the engine is started with, and the port of a game over the network.
#pragma once

#include <string>
#include <vector>

#include "game/game.h"

namespace vizdoom {

/// A port of this machine that nobody uses; a game with several engines talks through it.
int FreePort();

/// The arguments of one player's engine. `port` is of games with a host.
std::vector<std::string> EngineArguments(const GameSetup& setup, std::uint32_t seed, int player,
                                         int port);

}  // namespace vizdoom
