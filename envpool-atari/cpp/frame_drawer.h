// SPDX-License-Identifier: Apache-2.0
// Draws observations and rendered frames from the console's screen.
//
//   FrameDrawer drawer(options, game.format());
//   drawer.Draw(game.screen(), game.screen_before(), observation);  // maximum of both screens
//   drawer.Render(game.screen(), 160, 210, rgb);
//
// Environments with equal options share one scaler.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "console/console.h"
#include "options.h"
#include "screen/scaler.h"

namespace envpool::atari {

/// The parameters of a scaler.
struct ScalerKind {
  int source_height, width, height;
  drawing::Interpolation interpolation;
  ColorMode mode;
  Format format;

  friend auto operator<=>(const ScalerKind&, const ScalerKind&) = default;
};

/// Returns the shared scaler of a kind. Makes it if no environment has one.
inline std::shared_ptr<const ScreenScaler> SharedScaler(const ScalerKind& kind) {
  static std::mutex mutex;
  static std::map<ScalerKind, std::weak_ptr<const ScreenScaler>> scalers;
  const std::lock_guard lock(mutex);
  std::weak_ptr<const ScreenScaler>& known = scalers[kind];
  std::shared_ptr<const ScreenScaler> scaler = known.lock();
  if (scaler == nullptr) {
    scaler = std::make_shared<const ScreenScaler>(
        kind.source_height, drawing::Size{kind.width, kind.height}, kind.interpolation, kind.mode,
        kind.format == Format::kNtsc ? kNtscPalette : kPalPalette);
    known = scaler;
  }
  return scaler;
}

class FrameDrawer {
 public:
  FrameDrawer(const Options& options, Format format)
      : format_(format),
        height_(options.ScreenHeight()),
        interpolation_(options.inter_area ? drawing::Interpolation::kArea
                                          : drawing::Interpolation::kLinear) {
    if (options.obs_type == ObsType::kScreen) {
      scaler_ = Scaler(options.img_width, options.img_height,
                       options.gray_scale                        ? ColorMode::kGray
                       : options.layout == Layout::kChannelFirst ? ColorMode::kRgbPlanar
                                                                 : ColorMode::kRgbLast);
    } else if (options.obs_type != ObsType::kRam) {
      scaler_ = Scaler(kScreenWidth, height_,
                       options.obs_type == ObsType::kGray ? ColorMode::kGray : ColorMode::kRgbLast);
    }
  }

  /// Draws an observation of a screen, or of the maximum of two screens.
  void Draw(const std::uint8_t* screen, const std::uint8_t* other, std::uint8_t* out) const {
    (*scaler_)(screen, other, out);
  }

  /// Width and height of a rendered frame. 0: not given; if one is given, the proportions are kept.
  std::pair<int, int> RenderSize(int width, int height) const {
    const auto scaled = [](int side, int wish, int other) {
      return std::max(1, static_cast<int>(std::lround(1.0 * side * wish / other)));
    };
    if (width == 0 && height == 0) return {kScreenWidth, height_};
    if (width == 0) return {scaled(kScreenWidth, height, height_), height};
    if (height == 0) return {width, scaled(height_, width, kScreenWidth)};
    return {width, height};
  }
  /// Draws a frame of width x height pixels of 3 bytes.
  void Render(const std::uint8_t* screen, int width, int height, std::uint8_t* rgb) const {
    (*Scaler(width, height, ColorMode::kRgbLast))(screen, nullptr, rgb);
  }

 private:
  std::shared_ptr<const ScreenScaler> Scaler(int width, int height, ColorMode mode) const {
    return SharedScaler({height_, width, height, interpolation_, mode, format_});
  }

  Format format_;
  int height_;
  drawing::Interpolation interpolation_;
  std::shared_ptr<const ScreenScaler> scaler_;  ///< null if observations show no screen
};

}  // namespace envpool::atari
