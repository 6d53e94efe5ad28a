// SPDX-License-Identifier: Apache-2.0
// Views: the parts of a screen that an observation shows: whole arrays, MiniHack's cuts around the
// agent (`chars_crop`), and pictures (`pixel`, `pixel_crop`).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envpool/error.h"
#include "envpool/spec.h"
#include "game/keys.h"
#include "game/screen.h"
#include "game/tiles.h"

namespace envpool::nethack {

/// The size of a cut, and its contents outside the map.
struct Crop {
  int height = 9, width = 9, pad = 0;
};

class View {
 public:
  /// Throws OptionError if there is no view of that name. The last `left_out` numbers of blstats
  /// are not shown.
  View(const std::string& name, const Crop& crop, int left_out) : crop_(crop) {
    std::string base = name;
    if (name.ends_with("_crop")) {
      is_crop_ = true;
      base.resize(base.size() - 5);
    }
    is_picture_ = base == "pixel";
    if (is_crop_ && !is_picture_ && !CanBeCut(base)) RefuseKey(name);
    key_ = KeyOf(is_picture_ ? "glyphs" : base, name);
    is_terminal_ = key().starts_with("tty_");
    is_glyphs_ = key() == "glyphs";
    if (key() == "blstats") left_out_ = left_out;
  }

  /// The name of the source array.
  std::string key() const { return std::string(kKeys[key_].name); }
  bool is_picture() const { return is_picture_; }
  bool is_crop() const { return is_crop_; }

  ArraySpec Spec(const std::string& name) const {
    ArraySpec whole = kKeys[key_].spec(name);
    whole.shape[0] -= left_out_;
    const int rows = is_crop_ ? crop_.height : kRows, columns = is_crop_ ? crop_.width : kColumns;
    if (is_picture_) {
      return SpecOf<std::uint8_t>(name, {rows * Tiles::kSize, columns * Tiles::kSize, 3}, 0, 255);
    }
    if (!is_crop_) return whole;
    ArraySpec cut = whole;
    cut.shape[0] = rows;
    cut.shape[1] = columns;
    for (double& high : cut.high) high = std::max<double>(high, crop_.pad);
    for (std::int64_t& high : cut.int_high) high = std::max<std::int64_t>(high, crop_.pad);
    return cut;
  }

  /// Number of glyphs of the scratch memory for a picture of a cut.
  std::size_t scratch_size() const {
    return is_picture_ && is_crop_ ? static_cast<std::size_t>(crop_.height * crop_.width) : 0;
  }

  void Write(const Screen& screen, const Tiles* tiles, std::int16_t* scratch, std::byte* out,
             std::size_t size) const {
    const std::byte* const array = screen.array(key_);
    if (!is_picture_) {
      if (is_crop_) return Cut(screen, array, out, size);
      std::memcpy(out, array, size);
      return;
    }
    auto* const rgb = reinterpret_cast<std::uint8_t*>(out);
    if (!is_crop_) {
      return tiles->Draw(reinterpret_cast<const std::int16_t*>(array), kRows, kColumns, rgb);
    }
    Cut(screen, array, reinterpret_cast<std::byte*>(scratch),
        scratch_size() * sizeof(std::int16_t));
    tiles->Draw(scratch, crop_.height, crop_.width, rgb);
  }

 private:
  static bool CanBeCut(const std::string& base) {
    constexpr std::string_view kCut[] = {
        "glyphs", "chars", "colors", "specials", "tty_chars", "tty_colors", "screen_descriptions"};
    return std::find(std::begin(kCut), std::end(kCut), base) != std::end(kCut);
  }

  // Cuts with the agent, or the cursor, in the middle.
  void Cut(const Screen& screen, const std::byte* array, std::byte* out, std::size_t size) const {
    const Observation& seen = screen.observation();
    const int rows = is_terminal_ ? kTerminalRows : kRows;
    const int columns = is_terminal_ ? kTerminalColumns : kColumns;
    const auto x = static_cast<int>(is_terminal_ ? seen.tty_cursor[1] : seen.blstats[0]);
    const auto y = static_cast<int>(is_terminal_ ? seen.tty_cursor[0] : seen.blstats[1]);
    const std::size_t item = size / static_cast<std::size_t>(crop_.height * crop_.width);
    for (int row = 0; row < crop_.height; ++row) {
      for (int column = 0; column < crop_.width; ++column, out += item) {
        const int at_y = y + row - crop_.height / 2, at_x = x + column - crop_.width / 2;
        if (at_y >= 0 && at_y < rows && at_x >= 0 && at_x < columns) {
          std::memcpy(out, array + static_cast<std::size_t>(at_y * columns + at_x) * item, item);
        } else if (is_glyphs_) {
          const auto pad = static_cast<std::int16_t>(crop_.pad);
          std::memcpy(out, &pad, item);
        } else {
          std::memset(out, crop_.pad, item);
        }
      }
    }
  }

  Crop crop_;
  std::size_t key_ = 0;
  int left_out_ = 0;
  bool is_crop_ = false, is_picture_ = false, is_terminal_ = false, is_glyphs_ = false;
};

}  // namespace envpool::nethack
