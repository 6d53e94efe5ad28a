// SPDX-License-Identifier: Apache-2.0
// Sprites: a game's images, read from the package's files when they are first drawn.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "own/image.h"

namespace envpool::procgen {

/// The files of a thing's themes; names without ".png".
struct SpriteNames {
  int type;
  std::vector<std::string_view> names;
};

/// Sets of pictures behind a level, in Procgen's order.
enum class Backdrop { kTopDown, kTopDownSimple, kWater, kWaterSurface, kSpace, kPlatform };

/// Names of a set, without ".png".
const std::vector<std::string>& BackdropNames(Backdrop set);

/// The images of one game. All games of the process share the images; an image is freed with the
/// last game that has drawn it.
class Sprites {
 public:
  static constexpr int kMostTypes = 100;

  /// `folder`: the folder of images, with a slash at its end. Throws Error(kConfig) if an image is
  /// missing.
  Sprites(std::string folder, const std::vector<SpriteNames>& names, Backdrop set);

  int CountThemes(int type) const { return static_cast<int>(Of(type).themes.size()); }
  const Image& Get(int type, int theme, bool mirrored) {
    Theme& found = Of(type).themes.at(static_cast<std::size_t>(theme));
    const std::shared_ptr<const Image>& image = mirrored ? found.mirrored : found.plain;
    return image == nullptr ? Read(found, mirrored) : *image;
  }
  int CountBackdrops() const { return static_cast<int>(backdrops_.size()); }
  const Image& Behind(int index);

 private:
  struct Theme {
    std::string name;
    std::shared_ptr<const Image> plain, mirrored;
  };
  struct Kind {
    std::vector<Theme> themes;
  };
  const Kind& Of(int type) const { return kinds_.at(static_cast<std::size_t>(type)); }
  Kind& Of(int type) { return kinds_.at(static_cast<std::size_t>(type)); }
  void Check(const std::vector<Theme>& themes) const;
  const Image& Read(Theme& theme, bool mirrored);

  const std::string folder_;
  std::vector<Kind> kinds_;
  std::vector<Theme> backdrops_;
};

}  // namespace envpool::procgen
