// SPDX-License-Identifier: Apache-2.0
// Image: a picture of Procgen's, decoded when it is first used and shared by all games.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace envpool::procgen {

/// Pixels are 0xAARRGGBB, colors multiplied by alpha.
struct Image {
  int width = 0, height = 0;
  bool opaque = false;    ///< all pixels are
  bool has_alpha = true;  ///< it could have others
  std::vector<std::uint32_t> pixels;

  const std::uint32_t* row(int y) const {
    return pixels.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
  }
};

enum class ImageKind { kSprite, kMirrored, kBackground };

/// The picture `name` in the folder of images; the same object each time. A background has no
/// alpha. Throws Error(kConfig) where there is none, or it is damaged.
const Image& LoadImage(const std::string& folder, const std::string& name, ImageKind kind);

}  // namespace envpool::procgen
