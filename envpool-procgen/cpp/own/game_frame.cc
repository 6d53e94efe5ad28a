// SPDX-License-Identifier: Apache-2.0
// Draws a level.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "own/game.h"

namespace envpool::procgen {
namespace {

// True if no pixel of it is visible, in any rounding: the case for most of a large level.
bool IsFarFromFrame(const Rect& rect) {
  constexpr double kMargin = 1;
  return rect.left > kSide + kMargin || rect.top > kSide + kMargin ||
         rect.left + rect.width < -kMargin || rect.top + rect.height < -kMargin;
}

}  // namespace

void Game::Draw() {
  FindView();
  painter_.Begin();
  if (settings_.backgrounds && !DrawsBackdrop()) DrawBackdrop();
  DrawLayer(-1);
  DrawGrid();
  DrawLayer(0);
  DrawLayer(1);
  if (settings_.paint_vel_info && shows_velocity_) DrawVelocity();
  DrawOver();
  painter_.Finish();
}

void Game::FindView() {
  center_x_ = static_cast<float>(width_ * 0.5);
  center_y_ = static_cast<float>(height_ * 0.5);
  if (center_agent_) {
    Center(center_x_, center_y_);
  } else {
    visibility_ = std::max(static_cast<float>(std::max(width_, height_)), min_visibility_);
  }
  unit_ = kSide / visibility_;
  view_ = kSide / unit_;
  shift_x_ = unit_ * (center_x_ - view_ * 0.5f);
  shift_y_ = unit_ * (center_y_ - view_ * 0.5f);
}

Rect Game::InWorld(float x, float y, float width, float height, float margin) const {
  const float left = (x - margin) * unit_ - shift_x_;
  const float top = (view_ - y - margin) * unit_ + shift_y_;
  const float wide = (width + 2 * margin) * unit_, high = (height + 2 * margin) * unit_;
  return {left, top, wide, high};
}

Rect Game::InView(float x, float y, float width, float height) const {
  const float left = x * unit_, top = y * unit_, wide = width * unit_, high = height * unit_;
  return {left, top, wide, high};
}

void Game::DrawBackdrop() {
  const auto width = static_cast<float>(width_), height = static_cast<float>(height_);
  const Rect world = InWorld(0, height, width, height);
  const Image& image = Behind();
  if (backdrop_ratio_ < 0) {
    DrawTiled(image, world, backdrop_ratio_, 1);
    return;
  }
  const float image_aspect = static_cast<float>(image.width) / static_cast<float>(image.height);
  const auto aspect = static_cast<float>(width_ * 1.0 / height_);
  const float shift = backdrop_shift_ * (image_aspect - aspect);
  const float wider = image_aspect / aspect;
  painter_.Draw(image, {world.left + world.width * -double{shift}, world.top,
                        world.width * double{wider}, world.height});
}

void Game::DrawGrid() {
  constexpr float kMargin = 0.02f;  // avoids gaps between cells
  int left = 0, right = width_ - 1, low = 0, high = height_ - 1;
  if (center_agent_) {
    const auto margin = static_cast<float>(visibility_ / 2.0 + 1);
    left = static_cast<int>(center_x_ - margin);
    right = static_cast<int>(center_x_ + margin);
    low = static_cast<int>(center_y_ - margin);
    high = static_cast<int>(center_y_ + margin);
  }
  tiles_.lefts.clear();
  tiles_.tops.clear();
  for (int x = left; x <= right; ++x) {
    const Rect rect = InWorld(static_cast<float>(x), 0, 1, 1, kMargin);
    tiles_.lefts.push_back(rect.left);
    tiles_.width = rect.width;
  }
  for (int y = low; y <= high; ++y) {
    const Rect rect = InWorld(0, static_cast<float>(y + 1), 1, 1, kMargin);
    tiles_.tops.push_back(rect.top);
    tiles_.height = rect.height;
  }
  if (const CellRange range = {left, right, low, high, grid_.version()}; range != shown_cells_) {
    tiles_.cells.clear();
    shown_looks_.fill(false);
    for (int x = left; x <= right; ++x) {
      for (int y = low; y <= high; ++y) {
        tiles_.cells.push_back(LookNumber(Cell(x, y)));
        shown_looks_[tiles_.cells.back()] = true;
      }
    }
    shown_cells_ = range;
  }
  for (std::size_t i = 0; i < tiles_.looks.size(); ++i) {
    if (shown_looks_[i]) tiles_.looks[i] = LookOfCell(cell_types_[i]);
  }
  painter_.DrawTiles(tiles_);
}

// Types get their numbers when they are first visible.
std::uint8_t Game::LookNumber(int type) {
  auto found = std::find(cell_types_.begin(), cell_types_.end(), type);
  if (found == cell_types_.end()) {
    if (cell_types_.size() == shown_looks_.size()) {
      throw std::runtime_error("the level has cells of more than 256 types");
    }
    found = cell_types_.insert(found, type);
    tiles_.looks.emplace_back();
  }
  return static_cast<std::uint8_t>(found - cell_types_.begin());
}

Look Game::LookOfCell(int cell) {
  Look look;
  const int type = cell == kNothing ? kNothing : ImageType(cell);
  if (type < 0 || type == kSpace || DescribeCell(type, look)) return look;
  look.seen = true;
  const int theme = ShownTheme(type, GridTheme(cell));
  if (IsColored(type)) {
    look.color = ColorOf(type, theme);
  } else {
    look.image = &sprites_.Get(type, theme, false);
  }
  return look;
}

int Game::ShownTheme(int type, int theme) const {
  return settings_.restrict_themes && !KeepsThemes(type) ? 0 : theme;
}

void Game::DrawLayer(int layer) {
  for (int i = 0; i < entities_.size(); ++i) {
    const Entity& e = entities_[i];
    if (e.layer != layer || !Shows(e)) continue;
    const Rect rect = e.of_view ? InView(view_ * (e.x - e.rx), view_ * (e.y + e.ry),
                                         2 * view_ * e.rx, 2 * view_ * e.ry)
                                : InWorld(e.x - e.rx, e.y + e.ry, 2 * e.rx, 2 * e.ry);
    DrawThing(rect, e.image_type, e.theme, e.mirrored, e.rotation, e.alpha, TileRatio(e));
  }
}

void Game::DrawThing(const Rect& rect, int image_type, int theme, bool mirrored, float rotation,
                     float alpha, float tile_ratio) {
  const int type = ImageType(image_type);
  if (type < 0 || type == kSpace) return;
  theme = ShownTheme(type, theme);
  if (IsColored(type)) {
    painter_.Fill(rect, ColorOf(type, theme));
    return;
  }
  Rect adjusted = rect;
  Adjust(adjusted, type);
  if (adjusted.width == 0 || adjusted.height == 0) return;
  if (rotation == 0 && IsFarFromFrame(adjusted)) return;
  const Image& image = sprites_.Get(type, theme, mirrored);
  if (rotation == 0) {
    DrawTiled(image, adjusted, tile_ratio, alpha);
  } else {
    painter_.DrawTurned(image, adjusted, rotation * 180 / kPi, alpha);
  }
}

const Image& Game::ImageOf(int type, int theme, bool mirrored) {
  const int known = ImageType(type);
  return sprites_.Get(known, ShownTheme(known, theme), mirrored);
}

// A ratio of 0 draws one image, a negative ratio draws images below each other, a positive ratio
// beside each other; the ratio is about an image's height by its width, or width by height.
void Game::DrawTiled(const Image& image, const Rect& rect, float ratio, double opacity) {
  if (ratio == 0) {
    painter_.Draw(image, rect, opacity);
    return;
  }
  const double length = std::fabs(double{ratio});
  const int count = std::max(1, static_cast<int>(ratio < 0 ? rect.height / (rect.width * length)
                                                           : rect.width / (rect.height * length)));
  const auto width = static_cast<float>(ratio < 0 ? rect.width : rect.width / count);
  const auto height = static_cast<float>(ratio < 0 ? rect.height / count : rect.height);
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<float>(i);
    const float right = ratio < 0 ? 0 : width * index, down = ratio < 0 ? height * index : 0;
    painter_.Draw(image, {rect.left + right, rect.top + down, width, height}, opacity);
  }
}

void Game::DrawVelocity() {
  constexpr auto kSquare = static_cast<float>(kSide * .2);
  const auto gray = [](float speed, float most) {
    const auto part = static_cast<float>(.5 * speed / most + .5);
    return static_cast<Pixel>(std::clamp(static_cast<int>(part * 255), 0, 255)) * 0x010101;
  };
  painter_.Fill({0, 0, kSquare, kSquare}, gray(agent().vx, max_speed_));
  painter_.Fill({kSquare, 0, kSquare, kSquare}, gray(agent().vy, max_jump_));
}

Pixel Game::ColorOf(int type, int theme) {
  const int number = (29 * (type + 1) % 64 + 19 * theme) % 64;
  const auto level = [](int digit) { return static_cast<Pixel>(64 * (digit + 1) - 1); };
  return level(number / 16) << 16 | level(number / 4 % 4) << 8 | level(number % 4);
}

}  // namespace envpool::procgen
