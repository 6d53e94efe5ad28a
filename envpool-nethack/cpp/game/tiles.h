// SPDX-License-Identifier: Apache-2.0
// Tiles: pictures of the places of a map, read from the texts in nle's folder tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace envpool::nethack {

class Tiles {
 public:
  static constexpr int kSize = 16;  ///< rows and columns of a tile, in pixels

  /// The tiles of a folder, which all environments share. Throws Error(kConfig) if the texts are
  /// missing or are not tiles.
  static std::shared_ptr<const Tiles> Of(const std::string& folder);

  /// Draws rows x columns glyphs, as RGB without gaps.
  void Draw(const std::int16_t* glyphs, int rows, int columns, std::uint8_t* rgb) const;

 private:
  explicit Tiles(const std::string& folder);
  void Read(const std::string& path);

  static constexpr std::size_t kBytes = std::size_t{3} * kSize * kSize;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace envpool::nethack
