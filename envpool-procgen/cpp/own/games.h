// SPDX-License-Identifier: Apache-2.0
// The games that are computed here, and a function that makes one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace envpool::procgen {

class Game;
struct Settings;

/// Their names, in alphabetical order.
std::vector<std::string> OwnGames();
bool HasOwnGame(std::string_view name);
/// Makes the game of these settings, which must be one of OwnGames(). `images`: the package's
/// folder of images, with a slash at its end.
std::unique_ptr<Game> MakeGame(const Settings& settings, const std::string& images);

}  // namespace envpool::procgen
