// SPDX-License-Identifier: Apache-2.0
// Images (sprites) that are parts of some drawings, and a function that puts a sprite on a canvas.
// The images are files of the installed gymnasium package; envpool_classic/_sprites.py decodes them
// and hands them over once per process, under their path below gymnasium/envs.
//
//   classic::SpriteStore::Set("toy_text/img/taxi/house.png", 96, 80, rgba);
//   classic::Blit(canvas, *classic::SpriteStore::Find("toy_text/img/taxi/house.png"), 403, 36);
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "envpool/drawing/canvas.h"

namespace envpool::classic {
using namespace envpool::drawing;

struct Sprite {
  Size size;
  std::vector<uint8_t> rgba;  // height x width x 4, rows from top to bottom
};

/// One store per process, safe to use from any thread.
class SpriteStore {
 public:
  /// Copies height x width x 4 bytes. Replaces a sprite of that name; callers who hold the old
  /// sprite keep it.
  static void Set(std::string_view name, int height, int width, const uint8_t* rgba) {
    if (height <= 0 || width <= 0) {
      throw std::invalid_argument("sprite " + std::string(name) + " has height " +
                                  std::to_string(height) + " and width " + std::to_string(width) +
                                  "; both must be at least 1");
    }
    const size_t bytes = 4 * static_cast<size_t>(height) * static_cast<size_t>(width);
    auto sprite = std::make_shared<const Sprite>(
        Sprite{{width, height}, std::vector<uint8_t>(rgba, rgba + bytes)});
    const std::unique_lock lock(mutex_);
    sprites_.insert_or_assign(std::string(name), std::move(sprite));
  }

  /// Never null: throws std::runtime_error when no sprite of that name was set.
  static std::shared_ptr<const Sprite> Find(std::string_view name) {
    const std::shared_lock lock(mutex_);
    const auto found = sprites_.find(name);
    if (found == sprites_.end()) {
      throw std::runtime_error(
          "cannot draw: the image " + std::string(name) +
          " was not loaded. It is a file of the gymnasium package (gymnasium/envs/" +
          std::string(name) + "): install gymnasium 1.4 or newer in this Python and make the " +
          "environment with render_mode set");
    }
    return found->second;
  }

 private:
  inline static std::shared_mutex mutex_;
  inline static std::map<std::string, std::shared_ptr<const Sprite>, std::less<>> sprites_;
};

/// The changes of a sprite when it is put on a canvas.
struct Placement {
  Size size;            // scaled to this by taking the nearest pixel, as pygame.transform.scale
  bool flip_x = false;  // mirrored left to right
  bool flip_y = false;  // mirrored top to bottom
};

/// Puts the sprite's upper left corner at (x, y), mixing by its alpha with pygame's rounding:
/// opaque pixels replace the canvas's, transparent pixels change nothing, other pixels are exact up
/// to one.
inline void Blit(const Canvas& canvas, const Sprite& sprite, int x, int y, const Placement& place) {
  const auto source = [](int target, int to, int from, bool flip) {
    const int nearest = static_cast<int>(int64_t{target} * from / to);
    return static_cast<size_t>(flip ? from - 1 - nearest : nearest);
  };
  const int first = std::max(0, -x);
  const int end = std::min(place.size.width, canvas.size().width - x);
  if (first >= end) return;
  std::vector<size_t> offsets;  // of the source pixels in their row, for columns first to end
  for (int i = first; i < end; ++i) {
    offsets.push_back(4 * source(i, place.size.width, sprite.size.width, place.flip_x));
  }
  const int last_row = std::min(place.size.height, canvas.size().height - y) - 1;
  for (int row = std::max(0, -y); row <= last_row; ++row) {
    const uint8_t* texels =
        sprite.rgba.data() + 4 * static_cast<size_t>(sprite.size.width) *
                                 source(row, place.size.height, sprite.size.height, place.flip_y);
    uint8_t* pixel = canvas.At(x + first, y + row);
    for (const size_t offset : offsets) {
      const uint8_t* texel = texels + offset;
      const int alpha = texel[3];
      if (alpha == 255) {
        std::memcpy(pixel, texel, 3);  // same result as the formula below, but faster
      } else if (alpha > 0) {
        for (int i = 0; i < 3; ++i) {
          const int change = ((texel[i] - pixel[i]) * alpha + texel[i]) >> 8;
          pixel[i] = static_cast<uint8_t>(pixel[i] + change);
        }
      }
      pixel += 3;
    }
  }
}

inline void Blit(const Canvas& canvas, const Sprite& sprite, int x, int y) {
  Blit(canvas, sprite, x, y, {.size = sprite.size});
}

}  // namespace envpool::classic
