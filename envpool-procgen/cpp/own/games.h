// SPDX-License-Identifier: Apache-2.0
// Which games are computed here, and how one is made.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace envpool::procgen {

class Game;
struct Settings;

/// Their names, in the alphabet's order.
std::vector<std::string> OwnGames();
bool HasOwnGame(std::string_view name);
/// Makes the game of these settings, which must be computed here. `images`: the package's folder of
/// images, with a slash at its end.
std::unique_ptr<Game> MakeGame(const Settings& settings, const std::string& images);

}  // namespace envpool::procgen
