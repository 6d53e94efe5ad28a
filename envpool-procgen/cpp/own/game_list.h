// SPDX-License-Identifier: Apache-2.0
// Which games are computed here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace envpool::procgen {

/// Their names, in the alphabet's order.
std::vector<std::string> OwnGames();
bool HasOwnGame(std::string_view name);

}  // namespace envpool::procgen
