// SPDX-License-Identifier: Apache-2.0
// Thing: what moves in a level, or lies on it without being a cell of its grid.
#pragma once

#include <cstdint>

#include "own/codec.h"

namespace envpool::procgen {

/// Kinds of things and cells that all games know. Those below 100 have pictures.
enum Kind : int {
  kOutside = -1,
  kAgent = 0,
  kWall = 51,
  kExit = 52,
  kAgentCell = 53,
  kExplosion = 54,
  kLastExplosion = 58,
  kTrail = 59,
  kSpace = 100,
  kDoor = 200,
  kKey = 300
};

/// The members are in the order of a saved state.
struct Thing {
  float x = 0, y = 0;    ///< its centre, in cells
  float vx = 0, vy = 0;  ///< cells a step
  float rx = 0, ry = 0;  ///< half of its size
  std::int32_t kind = 0, image = 0, theme = 0;
  std::int32_t layer = 0;  ///< -1 below the grid, 0, 1 above the others
  bool erased = false;     ///< goes at the end of the step
  bool meets_others = false;
  float margin = 0;  ///< by which it meets others before they touch
  float rotation = 0, spin = 0;
  bool mirrored = false;
  std::int32_t fire_time = -1, spawn_time = -1, age = 0, last_age = -1;
  bool on_screen = false;  ///< its place is one of the screen, not of the level
  float friction = 1;
  bool careful = false;      ///< moves in parts, and is stopped by what blocks it
  bool ignored = false;      ///< others may be put where it is
  bool goes_outside = true;  ///< is gone when it is outside of the level
  float alpha = 1, health = 1, theta = -100, growth = 1, fading = 1, first_x = 0;

  Thing() = default;
  Thing(float x, float y, float vx, float vy, float rx, float ry, int kind)
      : x(x), y(y), vx(vx), vy(vy), rx(rx), ry(ry), kind(kind), image(kind) {
    if (kind == kExplosion) {
      growth = 1.4f;
      last_age = 4;
    } else if (kind == kTrail) {
      growth = 1.05f;
      fading = 0.8f;
    }
  }

  void Fields(Codec& codec) {
    codec(x, y, vx, vy, rx, ry, kind, image, theme, layer, erased, meets_others, margin, rotation,
          spin, mirrored, fire_time, spawn_time, age, last_age, on_screen, friction, careful,
          ignored, goes_outside, alpha, health, theta, growth, fading, first_x);
  }

  /// Whether they touch, or are nearer than `by`.
  bool Meets(const Thing& other, float by) const {
    const float reach_x = (rx + other.rx) + by, reach_y = (ry + other.ry) + by;
    const float dx = x - other.x, dy = y - other.y;
    return (dx < 0 ? -dx : dx) < reach_x && (dy < 0 ? -dy : dy) < reach_y;
  }

  /// What time does to it.
  void Age() {
    if (!careful) {
      x += vx;
      y += vy;
    }
    rotation += spin;
    vx *= friction;
    vy *= friction;
    ++age;
    if (last_age > 0 && age > last_age) erased = true;
    if (kind == kExplosion && image < kLastExplosion) ++image;
    rx *= growth;
    ry *= growth;
    alpha = fading * alpha;
  }
};

}  // namespace envpool::procgen
