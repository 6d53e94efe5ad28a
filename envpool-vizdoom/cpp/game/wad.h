// SPDX-License-Identifier: Apache-2.0
// CheckWads: checks that the files of a game exist and contain the map.
#pragma once

#include <string>

namespace envpool::vizdoom {

/// Throws OptionError for `wad_path` if the file does not exist, for `map_id` if neither it nor the
/// game's own data contains the map: the engine would silently play another map. `wad` may be
/// empty. Files that are not WADs, as PK3s, are not read.
void CheckWads(const std::string& wad, const std::string& game_wad, const std::string& map);

}  // namespace envpool::vizdoom
