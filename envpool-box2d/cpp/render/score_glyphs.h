// SPDX-License-Identifier: Apache-2.0
// The characters of CarRacing's score: digits and minus, in pygame's default font. They come from
// an installed pygame (_glyphs.py), never from this wheel.
//
//   ScoreGlyphs::Set(glyphs);
//   if (const auto glyphs = ScoreGlyphs::Get()) glyphs->Draw(canvas, "-012", {60, 750});
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "envpool/drawing/canvas.h"
#include "envpool/drawing/shapes.h"

namespace envpool::box2d {

struct ScoreGlyphs {
  static constexpr std::string_view kCharacters = "0123456789-";

  struct Glyph {
    int width = 0;                  // pixels, also the distance to the next character
    std::vector<std::uint8_t> ink;  // height x width, from 0 to 255
  };
  std::array<Glyph, kCharacters.size()> glyphs;
  int height = 0;
  /// Added to the distance between two characters, in 1/64 pixel.
  std::array<std::array<int, kCharacters.size()>, kCharacters.size()> kerning{};

  /// Draws white characters. The pixels below must be black.
  template <int kBytes>
  void Draw(const drawing::BasicCanvas<kBytes>& canvas, std::string_view text,
            drawing::Point center) const {
    std::array<int, 32> places{};
    int pen = 0;  // in 1/64 pixel
    std::size_t before = kCharacters.npos, count = 0;
    for (const char c : text.substr(0, places.size())) {
      const std::size_t i = kCharacters.find(c);
      if (before != kCharacters.npos) pen += kerning[before][i];
      places[count++] = pen >> 6;
      pen += 64 * glyphs[i].width;
      before = i;
    }
    const int left = center.x - (pen >> 7), top = center.y - height / 2;
    for (std::size_t k = 0; k < count; ++k) {
      const Glyph& glyph = glyphs[kCharacters.find(text[k])];
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < glyph.width; ++x) {
          const std::uint8_t ink = glyph.ink[static_cast<std::size_t>(y * glyph.width + x)];
          const int column = left + places[k] + x, row = top + y;
          if (ink == 0 || !canvas.Contains(column, row)) continue;
          const auto both = static_cast<std::uint8_t>(*canvas.At(column, row) | ink);
          canvas.Pixel(column, row, {both, both, both});
        }
      }
    }
  }

  /// Sets the characters for environments that are made later.
  static void Set(ScoreGlyphs glyphs);
  /// nullptr if there are none.
  static std::shared_ptr<const ScoreGlyphs> Get();
};

}  // namespace envpool::box2d
