// SPDX-License-Identifier: Apache-2.0
#include "render/draw_bipedal_walker.h"

#include <algorithm>
#include <array>

#include "render/bodies.h"

namespace envpool::box2d {
namespace {

using drawing::Canvas, drawing::Point, drawing::Rgb, drawing::ToPixel;

constexpr double kScale = BipedalWalkerGame::kScale, kStep = BipedalWalkerGame::kStep;
constexpr double kWidth = BipedalWalkerGame::kWidth;

void DrawSky(const Canvas& scene, const BipedalWalkerGame& game) {
  const double scroll = game.scroll();
  const int left = ToPixel(scroll * kScale), right = ToPixel(scroll * kScale + 600);
  const Point sky[] = {{left, 0}, {right, 0}, {right, 400}, {left, 400}};
  DrawPolygon(scene, sky, {215, 215, 255});
  for (const BipedalWalkerGame::Cloud& cloud : game.clouds()) {
    if (cloud.right < scroll / 2 || cloud.left > scroll / 2 + kWidth) continue;
    std::array<Point, 5> corners;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      corners[i] = {ToPixel(cloud.corners[i].x * kScale + scroll * kScale / 2),
                    ToPixel(cloud.corners[i].y * kScale)};
    }
    FillAndSmooth(scene, corners, drawing::kWhite);
  }
}

void DrawGround(const Canvas& scene, const BipedalWalkerGame& game) {
  const double scroll = game.scroll();
  for (std::size_t i = 0; i + 1 < game.ground().size(); ++i) {
    const double left = static_cast<double>(i) * kStep, right = static_cast<double>(i + 1) * kStep;
    if (right < scroll || left > scroll + kWidth) continue;
    const int x0 = ToPixel(left * kScale), x1 = ToPixel(right * kScale);
    const Point corners[] = {{x0, ToPixel(game.ground()[i] * kScale)},
                             {x1, ToPixel(game.ground()[i + 1] * kScale)},
                             {x1, 0},
                             {x0, 0}};
    FillAndSmooth(scene, corners, {102, 153, 76});
  }
}

void DrawRay(const Canvas& scene, const BipedalWalkerGame& game) {
  constexpr int kRays = BipedalWalkerGame::kRays;
  const int number = game.frames() % 100;  // the ray's index rises, then falls
  if (number >= 2 * kRays) return;
  const int chosen = number < kRays ? number : 2 * kRays - 1 - number;
  const BipedalWalkerGame::Ray& ray = game.rays()[static_cast<std::size_t>(chosen)];
  DrawLine(scene, {ToPixel(ray.from.x * kScale), ToPixel(ray.from.y * kScale)},
           {ToPixel(ray.to.x * kScale), ToPixel(ray.to.y * kScale)}, {255, 0, 0}, 1);
}

void DrawBody(const Canvas& scene, const b2Body& body, Rgb inside, Rgb outline) {
  Corners corners = CornersOf(*body.GetFixtureList(), static_cast<float>(kScale));
  FillAndSmooth(scene, corners.points(), inside);
  for (std::size_t i = 0; i < corners.count; ++i) {
    DrawLine(scene, corners.pixels[i], corners.pixels[(i + 1) % corners.count], outline, 1);
  }
  corners.pixels[corners.count] = corners.pixels[0];  // Gymnasium's path ends at its beginning
  ++corners.count;
  PolygonOutline(scene, corners.points(), outline);
}

void DrawBodies(const Canvas& scene, const BipedalWalkerGame& game) {
  const int edges = BipedalWalkerGame::kPoints - 1;
  int edge = edges;  // the newest is the first
  for (const b2Body* body : game.terrain()) {
    if (edge-- > 0) {
      const Corners ends = CornersOf(*body->GetFixtureList(), static_cast<float>(kScale));
      SmoothLine(scene, ends.exact[0].x, ends.exact[0].y, ends.exact[1].x, ends.exact[1].y,
                 {76, static_cast<uint8_t>(edge % 2 == 0 ? 255 : 204), 76});
    } else {
      DrawBody(scene, *body, drawing::kWhite, {153, 153, 153});
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const int shade = i < 2 ? 25 : -25;
    const auto rgb = [shade](int r, int g, int b) {
      return Rgb{static_cast<uint8_t>(r + shade), static_cast<uint8_t>(g + shade),
                 static_cast<uint8_t>(b + shade)};
    };
    DrawBody(scene, *game.legs()[i], rgb(153, 76, 127), rgb(102, 51, 76));
  }
  DrawBody(scene, *game.hull(), {127, 51, 229}, {76, 76, 127});
}

void DrawFlag(const Canvas& scene) {
  const double x = kStep * 3 * kScale, foot = BipedalWalkerGame::kHeight / 4 * kScale;
  const double top = foot + 50;
  SmoothLine(scene, static_cast<float>(x), static_cast<float>(foot), static_cast<float>(x),
             static_cast<float>(top), drawing::kBlack);
  const Point flag[] = {{ToPixel(x), ToPixel(top)},
                        {ToPixel(x), ToPixel(top - 10)},
                        {ToPixel(x + 25), ToPixel(top - 5)}};
  DrawPolygon(scene, flag, {230, 51, 0});
  for (int i = 0; i < 3; ++i) DrawLine(scene, flag[i], flag[(i + 1) % 3], drawing::kBlack, 1);
}

}  // namespace

// Gymnasium's surface is as wide as the way so far; a frame is the end of it.
void DrawBipedalWalker(const Canvas& canvas, const BipedalWalkerGame& game) {
  const auto [width, height] = canvas.size();
  const int whole = static_cast<int>(width + std::max(0.0, game.scroll()) * kScale);
  const Canvas surface(canvas.At(0, 0), {whole, height}, {whole - width, 0, whole, height});
  surface.Fill(drawing::kBlack);
  const Canvas scene = surface.UpsideDown();
  DrawSky(scene, game);
  DrawGround(scene, game);
  DrawRay(scene, game);
  DrawBodies(scene, game);
  DrawFlag(scene);
}

}  // namespace envpool::box2d
