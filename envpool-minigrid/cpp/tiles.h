// SPDX-License-Identifier: Apache-2.0
// Pictures of single cells. Each is painted once per process and size.
//
//   const Tiles& tiles = Tiles::Of(32);
//   const std::uint8_t* rgb = tiles.Get(look, agent_direction, highlighted);  // 32 x 32 x 3
//
// A tile is painted at three times its size and averaged, as in minigrid: shapes are tests of
// points in double precision, and numbers become bytes by truncation.
#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <numbers>
#include <vector>

#include "grid.h"

namespace envpool::minigrid {

/// The direction of a cell without an agent.
inline constexpr int kNoAgent = -1;

class Tiles {
 public:
  explicit Tiles(int size) : size_(size), tiles_(kCount) {}
  ~Tiles() {
    for (auto& tile : tiles_) delete[] tile.load();
  }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;

  /// The process's tiles of `size` x `size` pixels.
  static const Tiles& Of(int size) {
    static std::mutex mutex;
    static auto& all = *new std::map<int, std::unique_ptr<Tiles>>;  // outlives every pool
    const std::lock_guard lock(mutex);
    auto& tiles = all[size];
    if (!tiles) tiles = std::make_unique<Tiles>(size);
    return *tiles;
  }

  int size() const { return size_; }
  /// `agent`: its direction, or kNoAgent. An empty cell is kEmpty.
  const std::uint8_t* Get(Look look, int agent, bool highlight) const {
    std::size_t i = look.kind;
    i = i * kNumColors + look.color;
    i = i * 3 + look.state;
    i = i * 5 + static_cast<std::size_t>(agent + 1);
    auto& tile = tiles_[2 * i + (highlight ? 1 : 0)];
    const std::uint8_t* known = tile.load(std::memory_order_acquire);
    if (known != nullptr) return known;
    std::unique_ptr<std::uint8_t[]> painted = Paint(look, agent, highlight);
    // Another thread may have painted the same tile.
    if (tile.compare_exchange_strong(known, painted.get())) return painted.release();
    return known;
  }

 private:
  static constexpr std::size_t kCount = std::size_t{2} * 5 * 3 * kNumColors * kNumKinds;

  std::unique_ptr<std::uint8_t[]> Paint(Look look, int agent, bool highlight) const;

  int size_;
  mutable std::vector<std::atomic<const std::uint8_t*>> tiles_;
};

// ---------------------------------------------------------------------------------------- detail

namespace detail {

using Rgb = std::array<std::uint8_t, 3>;
inline constexpr Rgb kBlack = {0, 0, 0};
inline constexpr std::array<Rgb, kNumColors> kRgb = {
    Rgb{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {112, 39, 195}, {255, 255, 0}, {100, 100, 100}};

/// The points of a unit square; later paint covers earlier paint.
class Painting {
 public:
  explicit Painting(int size)
      : size_(size), points_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)) {}

  template <typename Test>
  void Fill(Rgb color, Test&& inside) {
    for (int y = 0; y < size_; ++y) {
      for (int x = 0; x < size_; ++x) {
        if (inside((x + 0.5) / size_, (y + 0.5) / size_)) At(x, y) = color;
      }
    }
  }
  void Box(Rgb color, double left, double right, double top, double bottom) {
    Fill(color,
         [=](double x, double y) { return x >= left && x <= right && y >= top && y <= bottom; });
  }
  void Circle(Rgb color, double cx, double cy, double radius) {
    Fill(color, [=](double x, double y) {
      return (x - cx) * (x - cx) + (y - cy) * (y - cy) <= radius * radius;
    });
  }
  /// A line with round ends; its ends and direction are rounded to single precision.
  void Line(Rgb color, double x0, double y0, double x1, double y1, double radius);
  /// Paints the agent, which looks to the right, rotated by `quarters`.
  void Agent(int quarters);
  void Highlight() {
    for (Rgb& point : points_) {
      for (std::uint8_t& c : point) {
        c = static_cast<std::uint8_t>(c + 0.3 * static_cast<double>(255 - c));
      }
    }
  }
  /// Averages each 3 x 3 points.
  void Shrink(std::uint8_t* rgb);

 private:
  Rgb& At(int x, int y) {
    return points_[static_cast<std::size_t>(y) * static_cast<std::size_t>(size_) +
                   static_cast<std::size_t>(x)];
  }

  int size_;
  std::vector<Rgb> points_;
};

inline void Painting::Line(Rgb color, double x0, double y0, double x1, double y1, double radius) {
  const float ax = static_cast<float>(x0), ay = static_cast<float>(y0);
  float dx = static_cast<float>(x1) - ax, dy = static_cast<float>(y1) - ay;
  const float length = std::sqrt(dx * dx + dy * dy);
  dx /= length;
  dy /= length;
  const double left = std::min(x0, x1) - radius, right = std::max(x0, x1) + radius;
  const double top = std::min(y0, y1) - radius, bottom = std::max(y0, y1) + radius;
  Fill(color, [=](double x, double y) {
    if (x < left || x > right || y < top || y > bottom) return false;
    const double px = x - ax, py = y - ay;
    const double along = std::clamp(px * dx + py * dy, 0.0, static_cast<double>(length));
    const double ex = x - (ax + along * dx), ey = y - (ay + along * dy);
    return std::sqrt(ex * ex + ey * ey) <= radius;
  });
}

inline void Painting::Agent(int quarters) {
  const float ax = 0.12F, ay = 0.19F, bx = 0.87F, by = 0.50F, cx = 0.12F, cy = 0.81F;
  const float v0x = cx - ax, v0y = cy - ay, v1x = bx - ax, v1y = by - ay;
  const float dot00 = v0x * v0x + v0y * v0y, dot01 = v0x * v1x + v0y * v1y;
  const float dot11 = v1x * v1x + v1y * v1y;
  const float scale = 1 / (dot00 * dot11 - dot01 * dot01);
  const double angle = -0.5 * std::numbers::pi * quarters;
  const double cosine = std::cos(angle), sine = std::sin(angle);
  Fill(kRgb[kRed], [=](double x, double y) {
    x -= 0.5;
    y -= 0.5;
    const double px = 0.5 + x * cosine - y * sine - ax, py = 0.5 + y * cosine + x * sine - ay;
    const double dot02 = v0x * px + v0y * py, dot12 = v1x * px + v1y * py;
    const double u = (dot11 * dot02 - dot01 * dot12) * scale;
    const double v = (dot00 * dot12 - dot01 * dot02) * scale;
    return u >= 0 && v >= 0 && u + v < 1;
  });
}

inline void Painting::Shrink(std::uint8_t* rgb) {
  for (int y = 0; y < size_; y += 3) {
    for (int x = 0; x < size_; x += 3) {
      for (std::size_t c = 0; c < 3; ++c) {
        double sum = 0;
        for (int row = y; row < y + 3; ++row) {
          sum += (At(x, row)[c] + At(x + 1, row)[c] + At(x + 2, row)[c]) / 3.0;
        }
        *rgb++ = static_cast<std::uint8_t>(sum / 3.0);
      }
    }
  }
}

inline void PaintDoor(Painting& p, Rgb color, int state) {
  if (state == kOpen) {
    p.Box(color, 0.88, 1.0, 0.0, 1.0);
    p.Box(kBlack, 0.92, 0.96, 0.04, 0.96);
    return;
  }
  p.Box(color, 0.0, 1.0, 0.0, 1.0);
  if (state == kLocked) {
    Rgb dark{};
    for (std::size_t c = 0; c < 3; ++c) dark[c] = static_cast<std::uint8_t>(0.45 * color[c]);
    p.Box(dark, 0.06, 0.94, 0.06, 0.94);
    p.Box(color, 0.52, 0.75, 0.5, 0.56);
  } else {
    p.Box(kBlack, 0.04, 0.96, 0.04, 0.96);
    p.Box(color, 0.08, 0.92, 0.08, 0.92);
    p.Box(kBlack, 0.12, 0.88, 0.12, 0.88);
    p.Circle(color, 0.75, 0.5, 0.08);
  }
}

inline void PaintLook(Painting& p, Look look) {
  const Rgb color = kRgb[look.color];
  switch (look.kind) {
    case kWall:
    case kGoal:
      p.Box(color, 0, 1, 0, 1);
      break;
    case kFloor: {
      Rgb half{};
      for (std::size_t c = 0; c < 3; ++c) half[c] = color[c] / 2;
      p.Box(half, 0.031, 1, 0.031, 1);
      break;
    }
    case kLava:
      p.Box({255, 128, 0}, 0, 1, 0, 1);
      for (int i = 0; i < 3; ++i) {
        const double low = 0.3 + 0.2 * i, high = 0.4 + 0.2 * i;
        p.Line(kBlack, 0.1, low, 0.3, high, 0.03);
        p.Line(kBlack, 0.3, high, 0.5, low, 0.03);
        p.Line(kBlack, 0.5, low, 0.7, high, 0.03);
        p.Line(kBlack, 0.7, high, 0.9, low, 0.03);
      }
      break;
    case kDoor:
      PaintDoor(p, color, look.state);
      break;
    case kKey:
      p.Box(color, 0.50, 0.63, 0.31, 0.88);
      p.Box(color, 0.38, 0.50, 0.59, 0.66);
      p.Box(color, 0.38, 0.50, 0.81, 0.88);
      p.Circle(color, 0.56, 0.28, 0.190);
      p.Circle(kBlack, 0.56, 0.28, 0.064);
      break;
    case kBall:
      p.Circle(color, 0.5, 0.5, 0.31);
      break;
    case kBox:
      p.Box(color, 0.12, 0.88, 0.12, 0.88);
      p.Box(kBlack, 0.18, 0.82, 0.18, 0.82);
      p.Box(color, 0.16, 0.84, 0.47, 0.53);
      break;
    default:
      break;
  }
}

}  // namespace detail

inline std::unique_ptr<std::uint8_t[]> Tiles::Paint(Look look, int agent, bool highlight) const {
  detail::Painting painting(3 * size_);
  painting.Box(detail::kRgb[kGrey], 0, 0.031, 0, 1);
  painting.Box(detail::kRgb[kGrey], 0, 1, 0, 0.031);
  detail::PaintLook(painting, look);
  if (agent != kNoAgent) painting.Agent(agent);
  if (highlight) painting.Highlight();
  const auto bytes = static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_) * 3;
  auto rgb = std::make_unique<std::uint8_t[]>(bytes);
  painting.Shrink(rgb.get());
  return rgb;
}

}  // namespace envpool::minigrid
