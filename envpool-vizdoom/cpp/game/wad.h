// SPDX-License-Identifier: Apache-2.0
// CheckWads: whether the files of a game are there, and have the map that is to be played.
#pragma once

#include <string>

namespace envpool::vizdoom {

/// Throws OptionError of `wad_path` if there is no such file, of `map_id` if neither it nor the
/// game's own data has the map: the engine would play another one, and say nothing. `wad` may be
/// empty. Files that are no WADs, as PK3s, are not looked into.
void CheckWads(const std::string& wad, const std::string& game_wad, const std::string& map);

}  // namespace envpool::vizdoom
