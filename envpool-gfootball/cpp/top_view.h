// SPDX-License-Identifier: Apache-2.0
// A match from above: pitch, players with numbers and directions, the ball, score and remaining
// steps. This wheel's own design; the package draws other pictures, with OpenGL.
//
//   DrawTopView(canvas, match, agents, steps_left);  // of kTopView pixels
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "engine/game.h"
#include "envpool/drawing/canvas.h"
#include "envpool/drawing/shapes.h"
#include "envpool/drawing/strokes.h"

namespace envpool::gfootball {

inline constexpr drawing::Size kTopView{600, 420};

namespace detail {

using drawing::Canvas;
using drawing::Point;
using drawing::Rgb;

inline constexpr Rgb kGrass{62, 142, 65}, kStripe{68, 152, 71}, kLines{224, 236, 224};
inline constexpr Rgb kLeftColor{206, 48, 48}, kRightColor{42, 86, 196}, kAgent{255, 222, 66};
inline constexpr Rgb kShadow{40, 96, 42}, kBoard{24, 28, 32};
inline constexpr double kScale = 5;  // pixels per metre
inline constexpr int kTop = 20;      // height in pixels of the score above the pitch
inline constexpr double kHalfLength = 54.4, kHalfWidth = 0.42 * 83.6;  // m

/// The pixel of a place in metres from the middle of the pitch.
inline Point Pixel(double x, double y) {
  return {static_cast<int>(std::lround(kTopView.width / 2 + kScale * x)),
          static_cast<int>(std::lround(kTop + (kTopView.height - kTop) / 2 + kScale * y))};
}
/// The pixel of a place in the observations' coordinates.
inline Point PixelOf(const float* place) {
  return Pixel(place[0] * kHalfLength, place[1] * (kHalfWidth / 0.42));
}

/// Digits and a hyphen of 3 x 5 dots, each `size` pixels wide: rows from the top, the left column
/// first.
inline void DrawText(const Canvas& canvas, Point at, std::string_view text, int size, Rgb color) {
  static constexpr std::uint16_t kDigits[] = {
      0b111101101101111, 0b010110010010111, 0b111001111100111, 0b111001111001111,
      0b101101111001001, 0b111100111001111, 0b111100111101111, 0b111001001001001,
      0b111101111101111, 0b111101111001111};
  constexpr std::uint16_t kHyphen = 0b000000111000000;
  for (const char letter : text) {
    const std::uint16_t bits = letter >= '0' && letter <= '9' ? kDigits[letter - '0']
                               : letter == '-'                ? kHyphen
                                                              : 0;
    for (int i = 0; i < 15; ++i) {
      if ((bits >> (14 - i) & 1) == 0) continue;
      canvas.Rectangle(at.x + i % 3 * size, at.y + i / 3 * size, {size, size}, color);
    }
    at.x += 4 * size;
  }
}
inline int TextWidth(std::string_view text, int size) {
  return static_cast<int>(text.size()) * 4 * size - size;
}

inline void DrawPitch(const Canvas& canvas) {
  canvas.Fill(kGrass);
  constexpr int kStripes = 10;
  for (int i = 0; i < kStripes; i += 2) {
    const Point from = Pixel(-kHalfLength + 2 * kHalfLength / kStripes * i, -kHalfWidth);
    const Point to = Pixel(-kHalfLength + 2 * kHalfLength / kStripes * (i + 1), kHalfWidth);
    canvas.Rectangle(from.x, from.y, {to.x - from.x, to.y - from.y}, kStripe);
  }
  const auto box = [&](double left, double top, double right, double bottom) {
    const Point from = Pixel(left, top), to = Pixel(right, bottom);
    canvas.Frame(from.x, from.y, {to.x - from.x + 1, to.y - from.y + 1}, kLines);
  };
  box(-kHalfLength, -kHalfWidth, kHalfLength, kHalfWidth);
  for (const double side : {-1.0, 1.0}) {  // penalty area, goal area, goal
    for (const auto& [depth, half] : {std::pair(16.5, 20.15), std::pair(5.5, 9.15)}) {
      const double x = side * (kHalfLength - depth), line = side * kHalfLength;
      box(std::min(x, line), -half, std::max(x, line), half);
    }
    const double line = side * kHalfLength, back = side * (kHalfLength + 2.5);
    box(std::min(line, back), -3.7, std::max(line, back), 3.7);
  }
  const Point middle = Pixel(0, 0);
  canvas.VerticalLine(middle.x, Pixel(0, -kHalfWidth).y, Pixel(0, kHalfWidth).y, kLines);
  drawing::CircleOutline(canvas, middle, static_cast<int>(9.15 * kScale), kLines);
}

inline void DrawPlayer(const Canvas& canvas, const PlayerState& player, int number, Rgb color,
                       bool is_agents) {
  if (!player.active) return;
  constexpr int kRadius = 8;
  const Point at = PixelOf(player.position);
  const double x = player.direction[0] * kHalfLength, y = player.direction[1] * kHalfWidth / 0.42;
  const double speed = std::hypot(x, y);
  if (speed > 0.05) {  // m per step; below it a player stands
    const double length = kRadius + 6;
    drawing::DrawLine(canvas, at,
                      {at.x + static_cast<int>(std::lround(length * x / speed)),
                       at.y + static_cast<int>(std::lround(length * y / speed))},
                      color, 3);
  }
  drawing::SmoothCircle(canvas, at, kRadius + 1, is_agents ? kAgent : drawing::kWhite);
  drawing::SmoothCircle(canvas, at, kRadius - 1, color);
  const std::string text = std::to_string(number);
  DrawText(canvas, {at.x - TextWidth(text, 1) / 2, at.y - 2}, text, 1, drawing::kWhite);
}

}  // namespace detail

/// `agents`: number of each side's agents.
inline void DrawTopView(const drawing::Canvas& canvas, const MatchState& match, const int* agents,
                        int steps_left) {
  using namespace detail;
  DrawPitch(canvas);
  for (int side = 0; side < 2; ++side) {
    const TeamState& team = match.teams[side];
    const std::int32_t* const played = match.controlled[side];
    for (int i = 0; i < team.size; ++i) {
      const bool is_agents = std::find(played, played + agents[side], i) != played + agents[side];
      DrawPlayer(canvas, team.players[i], i + 1, side == 0 ? kLeftColor : kRightColor, is_agents);
    }
  }
  // The ball is drawn above its shadow, and larger, depending on its height.
  const Point ground = PixelOf(match.ball);
  const double height = std::clamp(static_cast<double>(match.ball[2]), 0.0, 12.0);
  const int radius = 3 + static_cast<int>(height / 2);
  drawing::FilledCircle(canvas, ground, 3, kShadow);
  drawing::SmoothCircle(canvas, {ground.x, ground.y - static_cast<int>(2 * height)}, radius,
                        drawing::kWhite);
  canvas.Rectangle(0, 0, {kTopView.width, kTop}, kBoard);
  const std::string score = std::to_string(match.score[0]) + "-" + std::to_string(match.score[1]);
  const int middle = kTopView.width / 2;
  DrawText(canvas, {middle - TextWidth(score, 2) / 2, 5}, score, 2, drawing::kWhite);
  canvas.Rectangle(middle - 60, 6, {16, 8}, kLeftColor);
  canvas.Rectangle(middle + 44, 6, {16, 8}, kRightColor);
  const std::string left = std::to_string(steps_left);
  DrawText(canvas, {kTopView.width - 10 - TextWidth(left, 2), 5}, left, 2, drawing::kWhite);
}

}  // namespace envpool::gfootball
