// SPDX-License-Identifier: Apache-2.0
#include "game/wad.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "envpool/error.h"
#include "game/names.h"

namespace envpool::vizdoom {
namespace {

/// An entry of a WAD's directory; numbers are little-endian, like the CPUs that this supports.
struct Entry {
  std::int32_t position, size;
  char name[8];  // padded with zeros
};
static_assert(sizeof(Entry) == 16);

/// The names of all parts; no value if the file is not a WAD.
std::optional<std::vector<std::string>> PartsOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<char, 4> magic{};
  std::int32_t count = 0, position = 0;
  in.read(magic.data(), magic.size());
  in.read(reinterpret_cast<char*>(&count), sizeof(count));
  in.read(reinterpret_cast<char*>(&position), sizeof(position));
  const std::string_view kind(magic.data(), magic.size());
  if (!in || (kind != "IWAD" && kind != "PWAD") || count < 0) return std::nullopt;
  in.seekg(position);
  std::vector<std::string> names;
  for (Entry entry{}; count > 0 && in.read(reinterpret_cast<char*>(&entry), sizeof(entry));
       --count) {
    names.push_back(Upper({entry.name, strnlen(entry.name, sizeof(entry.name))}));
  }
  return names;
}

}  // namespace

void CheckWads(const std::string& wad, const std::string& game_wad, const std::string& map) {
  if (!wad.empty() && !std::ifstream(wad)) {
    throw envpool::OptionError("wad_path", "no file that can be read at '" + wad + "'",
                               "the path of a file with the maps of the scenario",
                               "correct wad_path, or what the configuration names");
  }
  std::vector<std::string> maps;
  for (const std::string& path : {wad, game_wad}) {
    if (path.empty()) continue;
    const auto parts = PartsOf(path);
    if (!parts) return;
    for (std::size_t i = 0; i < parts->size(); ++i) {
      if ((*parts)[i] == Upper(map)) return;
      // A map is an empty part before the map's own parts.
      if (i + 1 < parts->size() && ((*parts)[i + 1] == "THINGS" || (*parts)[i + 1] == "TEXTMAP")) {
        maps.push_back((*parts)[i]);
      }
    }
  }
  std::string all;
  for (const std::string& name : maps) all += (all.empty() ? "" : ", ") + name;
  throw envpool::OptionError("map_id", "'" + map + "'", all.empty() ? "files with maps" : all,
                             "pass a map that the files have", maps);
}

}  // namespace envpool::vizdoom
