// SPDX-License-Identifier: Apache-2.0
#include "game/tiles.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "envpool/assets.h"
#include "envpool/error.h"
#include "envpool/shared_asset.h"

namespace envpool::nethack {
namespace {

// The tile of each glyph: NetHack's numbers of glyphs, and the places of tiles in the three texts.
constexpr int kMonsters = 381;
constexpr int kPets = 381, kInvisible = 762, kDetected = 763, kBodies = 1144, kRidden = 1525;
constexpr int kObjects = 1906, kSwallow = 2541, kWarnings = 5589, kStatues = 5595;
constexpr int kNumTiles = 1038;

// The tiles before these monsters' tiles are of monsters that the game lacks.
constexpr int kMonsterGaps[] = {27, 32, 134, 143, 176, 224, 283, 311, 345, 345, 358, 370};
constexpr int kObjectGaps[] = {1990, 1999, 2245};

int MonsterTile(int monster) {
  return monster + static_cast<int>(std::count_if(std::begin(kMonsterGaps), std::end(kMonsterGaps),
                                                  [&](int gap) { return monster >= gap; }));
}

int TileOf(int glyph) {
  if (glyph < kPets) return MonsterTile(glyph);
  if (glyph < kInvisible) return MonsterTile(glyph - kPets);
  if (glyph < kDetected) return MonsterTile(kMonsters);
  if (glyph < kBodies) return MonsterTile(glyph - kDetected);
  if (glyph < kRidden) return 636;
  if (glyph < kObjects) return MonsterTile(glyph - kRidden);
  if (glyph < kSwallow) {
    const auto gaps = std::count_if(std::begin(kObjectGaps), std::end(kObjectGaps),
                                    [&](int gap) { return glyph >= gap; });
    return glyph - kObjects + 394 + static_cast<int>(gaps);
  }
  if (glyph < kWarnings) return 929 + (glyph - kSwallow) % 8;
  return glyph < kStatues ? 1032 + glyph - kWarnings : 845;
}

[[noreturn]] void Refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::kConfig, "the tiles " + path, why, "the texts that nle brings",
              "install nle again, or run `envpool nethack fetch --again`");
}

}  // namespace

Tiles::Tiles(const std::string& folder) {
  for (const char* name : {"monsters", "objects", "other"}) Read(folder + "/" + name + ".txt");
  if (pixels_.size() < kNumTiles * kBytes) {
    Refuse(folder, std::to_string(pixels_.size() / kBytes) + " tiles");
  }
}

std::shared_ptr<const Tiles> Tiles::Of(const std::string& folder) {
  return SharedAsset<Tiles>::Get(FileKey(folder + "/monsters.txt"), [&] { return Tiles(folder); });
}

// Lines as `J = (145, 71, 0)` give letters their colors; tiles are letters between braces.
void Tiles::Read(const std::string& path) {
  std::ifstream file(path);
  if (!file) Refuse(path, "no such file");
  std::array<std::array<std::uint8_t, 3>, 256> colours{};
  std::string line;
  bool in_tile = false;
  while (std::getline(file, line)) {
    std::istringstream in(line);
    std::string word;
    if (!(in >> word) || word[0] == '#') continue;
    if (word == "{" || word == "}") {
      in_tile = word == "{";
    } else if (in_tile) {
      if (word.size() != kSize) Refuse(path, "the line '" + line + "'");
      for (const char letter : word) {
        const auto& colour = colours[static_cast<unsigned char>(letter)];
        pixels_.insert(pixels_.end(), colour.begin(), colour.end());
      }
    } else {
      char sign = 0, open = 0;
      int red = 0, green = 0, blue = 0;
      if (word.size() != 1 || !(in >> sign >> open >> red >> sign >> green >> sign >> blue)) {
        Refuse(path, "the line '" + line + "'");
      }
      colours[static_cast<unsigned char>(word[0])] = {static_cast<std::uint8_t>(red),
                                                      static_cast<std::uint8_t>(green),
                                                      static_cast<std::uint8_t>(blue)};
    }
  }
  if (pixels_.size() % kBytes != 0) Refuse(path, "a tile that is cut short");
}

void Tiles::Draw(const std::int16_t* glyphs, int rows, int columns, std::uint8_t* rgb) const {
  constexpr std::size_t kLine = std::size_t{3} * kSize;
  const std::size_t width = kLine * static_cast<std::size_t>(columns);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const auto tile = static_cast<std::size_t>(TileOf(glyphs[row * columns + column]));
      const std::uint8_t* from = pixels_.data() + tile * kBytes;
      std::uint8_t* to = rgb + static_cast<std::size_t>(row) * kSize * width +
                         kLine * static_cast<std::size_t>(column);
      for (int line = 0; line < kSize; ++line, from += kLine, to += width) {
        std::memcpy(to, from, kLine);
      }
    }
  }
}

}  // namespace envpool::nethack
