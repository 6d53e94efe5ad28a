// SPDX-License-Identifier: Apache-2.0
// The observations of a world: the array "image" in each of its forms, and frames.
//
//   image        the agent's view: kind, color and state of each cell; [x][y], the agent at the
//   full         the whole grid in the same form, with the agent in it
//   rgb          the whole grid as a picture
//   rgb_partial  the agent's view as a picture
//   onehot       image, each of its numbers as 11, 6 and 3 bits
//   symbolic     x, y and kind of each cell; -1 is empty
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "gridworld.h"
#include "tiles.h"

namespace envpool::minigrid {

enum class ObsMode { kImage, kFull, kRgb, kRgbPartial, kOnehot, kSymbolic };
inline ObsMode ObsModeOf(const std::string& name) {
  return static_cast<ObsMode>(
      Chosen("obs_mode", name, {"image", "full", "rgb", "rgb_partial", "onehot", "symbolic"}));
}
inline constexpr int kOnehotBits = kNumKinds + kNumColors + 3;

class Observer {
 public:
  explicit Observer(const Gridworld& world)
      : world_(world), size_(world.options["agent_view_size"_]) {}

  /// Writes an observation into a buffer of its size.
  void Write(ObsMode mode, int tile_size, bool highlight, std::byte* out) const {
    auto* bytes = reinterpret_cast<std::uint8_t*>(out);
    switch (mode) {
      case ObsMode::kImage:
        return size_ == 7 ? WriteImage(7, bytes) : WriteImage(size_, bytes);
      case ObsMode::kFull:
        return WriteFull(bytes);
      case ObsMode::kRgb:
        return DrawGrid(tile_size, highlight, bytes);
      case ObsMode::kRgbPartial:
        return DrawView(tile_size, bytes);
      case ObsMode::kOnehot:
        return WriteOnehot(bytes);
      case ObsMode::kSymbolic:
        return WriteSymbolic(out);
    }
  }

  /// Draws the whole grid; the cells that the agent sees may be highlighted.
  void DrawGrid(int tile_size, bool highlight, std::uint8_t* rgb) const {
    const View view = See();
    const Tiles& tiles = Tiles::Of(tile_size);
    const Point ahead = Ahead(world_.direction), beside = Beside(world_.direction);
    for (int y = 0; y < world_.height(); ++y) {
      for (int x = 0; x < world_.width(); ++x) {
        const Point at(x, y), away = at - world_.agent;
        const int i = away.x * beside.x + away.y * beside.y + size_ / 2;
        const int j = size_ - 1 - (away.x * ahead.x + away.y * ahead.y);
        const bool in_view = i >= 0 && j >= 0 && i < size_ && j < size_;
        const int agent = at == world_.agent ? world_.direction : kNoAgent;
        Copy(tiles,
             tiles.Get(world_.look(world_.At(at)), agent, highlight && in_view && view.Sees(i, j)),
             x, y, world_.width(), rgb);
      }
    }
  }

  /// Draws the agent's view; the agent faces up.
  void DrawView(int tile_size, std::uint8_t* rgb) const {
    const View view = See();
    const Tiles& tiles = Tiles::Of(tile_size);
    for (int j = 0; j < size_; ++j) {
      for (int i = 0; i < size_; ++i) {
        const bool seen = view.Sees(i, j);
        const Look look = seen ? world_.look(IdAt(view, size_, i, j)) : Look{};
        Copy(tiles, tiles.Get(look, IsAgent(size_, i, j) ? 3 : kNoAgent, seen), i, j, size_, rgb);
      }
    }
  }

 private:
  View See() const {
    View view;
    FillView(view, size_, world_.grid, world_.looks(), world_.agent, world_.direction,
             world_.through_walls());
    return view;
  }
  static bool IsAgent(int size, int i, int j) { return j == size - 1 && i == size / 2; }
  /// The content of a cell of the view; in the agent's cell, the thing in its hand.
  Id IdAt(const View& view, int size, int i, int j) const {
    return IsAgent(size, i, j) ? world_.carrying : view.ids[j * size + i];
  }

  [[gnu::always_inline]] void WriteImage(const int size, std::uint8_t* out) const {
    // Writes four bytes per cell; the next cell overwrites the last of them.
    const View view = See();
    const Looks& looks = world_.looks();
    const int count = size * size;
    int at = 0;
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j, ++at) {
        std::uint32_t code = 0;
        std::memcpy(&code, &looks[IdAt(view, size, i, j)], 4);
        code &= std::uint32_t{0} - static_cast<std::uint32_t>(view.Sees(i, j));
        std::memcpy(out + 3 * at, &code, at + 1 < count ? 4 : 3);
      }
    }
  }
  void WriteFull(std::uint8_t* out) const {
    for (int x = 0; x < world_.width(); ++x) {
      for (int y = 0; y < world_.height(); ++y) {
        Look look = world_.look(world_.At({x, y}));
        if (Point(x, y) == world_.agent) look = Look::Of(kAgent, kRed, world_.direction);
        std::memcpy(out, &look, 3);
        out += 3;
      }
    }
  }
  void WriteOnehot(std::uint8_t* out) const {
    const View view = See();
    std::memset(out, 0, static_cast<std::size_t>(size_) * size_ * kOnehotBits);
    for (int i = 0; i < size_; ++i) {
      for (int j = 0; j < size_; ++j, out += kOnehotBits) {
        const Look look =
            view.Sees(i, j) ? world_.look(IdAt(view, size_, i, j)) : Look::Of(kUnseen, kRed);
        out[look.kind] = out[kNumKinds + look.color] = 1;
        out[kNumKinds + kNumColors + look.state] = 1;
      }
    }
  }
  void WriteSymbolic(std::byte* out) const {
    for (int x = 0; x < world_.width(); ++x) {
      for (int y = 0; y < world_.height(); ++y, out += 3 * sizeof(std::int64_t)) {
        const Kind kind = world_.look(world_.At({x, y})).kind;
        const std::int64_t shown = Point(x, y) == world_.agent ? kAgent
                                   : kind == kEmpty            ? -1
                                                               : kind;
        const std::int64_t cell[] = {x, y, shown};
        std::memcpy(out, cell, sizeof(cell));
      }
    }
  }
  static void Copy(const Tiles& tiles, const std::uint8_t* tile, int x, int y, int width,
                   std::uint8_t* rgb) {
    const std::ptrdiff_t row = 3 * tiles.size();
    std::uint8_t* to = rgb + row * (y * tiles.size() * width + x);
    for (int line = 0; line < tiles.size(); ++line) {
      std::memcpy(to, tile, static_cast<std::size_t>(row));
      tile += row;
      to += row * width;
    }
  }

  const Gridworld& world_;
  const int size_;  // side of the agent's view in cells
};

}  // namespace envpool::minigrid
