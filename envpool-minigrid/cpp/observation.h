// SPDX-License-Identifier: Apache-2.0
// What is observed of a world: the array "image" in each of its forms, and frames.
//
//   image        what the agent sees: kind, color and state of each cell; [x][y], the agent at the
//                bottom in the middle, in whose cell is what it carries
//   full         the same of the whole grid, with the agent in it
//   rgb          the whole grid as a picture
//   rgb_partial  what the agent sees as a picture
//   onehot       image, each of its numbers as so many bits: 11, 6 and 3
//   symbolic     x, y and kind of each cell; -1 is empty
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tiles.h"
#include "world.h"

namespace minigrid {

enum class ObsMode { kImage, kFull, kRgb, kRgbPartial, kOnehot, kSymbolic };
inline ObsMode ObsModeOf(const std::string& name) {
  return static_cast<ObsMode>(
      Chosen("obs_mode", name, {"image", "full", "rgb", "rgb_partial", "onehot", "symbolic"}));
}
inline constexpr int kOnehotBits = kNumKinds + kNumColors + 3;

class Observer {
 public:
  /// `size`: how many cells wide the square is that the agent sees.
  explicit Observer(const World& world) : world_(world), size_(world.options["agent_view_size"_]) {}

  /// Writes an observation where there are as many bytes as it has.
  void Write(ObsMode mode, int tile_size, bool highlight, std::byte* out) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(out);
    switch (mode) {
      case ObsMode::kImage:
        See();
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

  /// A frame of the whole grid; the cells that the agent sees may be highlighted.
  void DrawGrid(int tile_size, bool highlight, std::uint8_t* rgb) {
    std::vector<std::uint8_t>& seen = highlighted_;
    const int width = world_.width(), height = world_.height();
    seen.assign(static_cast<std::size_t>(width * height), 0);
    if (highlight) {
      See();
      const Point ahead = Ahead(world_.direction), beside = Beside(world_.direction);
      for (int j = 0; j < size_; ++j) {
        for (int i = 0; i < size_; ++i) {
          const Point at = world_.agent + ahead * (size_ - 1 - j) + beside * (i - size_ / 2);
          if (Sees(i, j) && world_.grid.Has(at)) {
            seen[static_cast<std::size_t>(at.y * width + at.x)] = 1;
          }
        }
      }
    }
    const Tiles& tiles = Tiles::Of(tile_size);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const Point at(x, y);
        const int agent = at == world_.agent ? world_.direction : kNoAgent;
        const bool light = seen[static_cast<std::size_t>(y * width + x)] != 0;
        Copy(tiles, tiles.Get(world_.look(world_.At(at)), agent, light), x, y, width, rgb);
      }
    }
  }

  /// A frame of what the agent sees, which looks upwards in it.
  void DrawView(int tile_size, std::uint8_t* rgb) {
    See();
    const Tiles& tiles = Tiles::Of(tile_size);
    for (int j = 0; j < size_; ++j) {
      for (int i = 0; i < size_; ++i) {
        const bool agent = j == size_ - 1 && i == size_ / 2;
        const Look look = agent ? world_.look(world_.carrying) : Sees(i, j) ? LookAt(i, j) : Look{};
        Copy(tiles, tiles.Get(look, agent ? 3 : kNoAgent, Sees(i, j)), i, j, size_, rgb);
      }
    }
  }

 private:
  void See() {
    FillView(view_, size_, world_.grid, world_.looks(), world_.agent, world_.direction,
             world_.through_walls());
  }
  bool Sees(int i, int j) const { return (view_.seen[static_cast<std::size_t>(j)] >> i & 1) != 0; }
  Look LookAt(int i, int j) const {
    return world_.look(view_.ids[static_cast<std::size_t>(j * size_ + i)]);
  }

  [[gnu::always_inline]] void WriteImage(const int size, std::uint8_t* out) const {
    // Four bytes at a time, of which the last is overwritten by the next cell.
    const Looks& looks = world_.looks();
    const int count = size * size;
    int at = 0;
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j, ++at) {
        const bool agent = j == size - 1 && i == size / 2;
        const Id id = agent ? world_.carrying : view_.ids[static_cast<std::size_t>(j * size + i)];
        std::uint32_t code = 0;
        std::memcpy(&code, &looks[id], 4);
        const std::uint32_t seen = view_.seen[static_cast<std::size_t>(j)] >> i & 1;
        code &= std::uint32_t{0} - seen;
        std::memcpy(out + 3 * at, &code, at + 1 < count ? 4 : 3);
      }
    }
  }
  void WriteFull(std::uint8_t* out) const {
    for (int x = 0; x < world_.width(); ++x) {
      for (int y = 0; y < world_.height(); ++y) {
        const Look look = world_.look(world_.At({x, y}));
        *out++ = look.kind;
        *out++ = look.color;
        *out++ = look.state;
      }
    }
    out += 3 * (world_.agent.x * world_.height() + world_.agent.y) -
           3 * world_.width() * world_.height();
    out[0] = kAgent;
    out[1] = kRed;
    out[2] = static_cast<std::uint8_t>(world_.direction);
  }
  void WriteOnehot(std::uint8_t* out) {
    See();
    std::memset(out, 0, static_cast<std::size_t>(size_ * size_ * kOnehotBits));
    for (int i = 0; i < size_; ++i) {
      for (int j = 0; j < size_; ++j, out += kOnehotBits) {
        const bool agent = j == size_ - 1 && i == size_ / 2;
        Look look{kUnseen, kRed, 0, 0};
        if (Sees(i, j)) look = agent ? world_.look(world_.carrying) : LookAt(i, j);
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
    const auto row = static_cast<std::size_t>(3 * tiles.size());
    std::uint8_t* to = rgb + row * static_cast<std::size_t>(y * tiles.size() * width + x);
    for (int line = 0; line < tiles.size(); ++line) {
      std::memcpy(to, tile, row);
      tile += row;
      to += row * static_cast<std::size_t>(width);
    }
  }

  const World& world_;
  int size_;
  View view_;
  std::vector<std::uint8_t> highlighted_;
};

}  // namespace minigrid
