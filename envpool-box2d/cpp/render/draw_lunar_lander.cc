// SPDX-License-Identifier: Apache-2.0
#include "render/draw_lunar_lander.h"

#include <algorithm>

#include "render/bodies.h"

namespace envpool::box2d {
namespace {

using drawing::Canvas, drawing::Point, drawing::Rgb, drawing::ToPixel;

constexpr double kScale = LunarLanderGame::kScale;
constexpr double kHeight = LunarLanderGame::kHeight;
constexpr double kStep = LunarLanderGame::kWidth / (LunarLanderGame::kPoints - 1);

void DrawFlags(const Canvas& scene) {
  constexpr Rgb kFlag{204, 204, 0};
  for (const int place : {4, 6}) {
    const double x = kStep * place * kScale, foot = kHeight / 4 * kScale, top = foot + 50;
    const int left = ToPixel(x);
    DrawLine(scene, {left, ToPixel(foot)}, {left, ToPixel(top)}, drawing::kWhite, 1);
    const Point flag[] = {
        {left, ToPixel(top)}, {left, ToPixel(top - 10)}, {ToPixel(x + 25), ToPixel(top - 5)}};
    FillAndSmooth(scene, flag, kFlag);
  }
}

void DrawBody(const Canvas& scene, const b2Body& body, Rgb inside, Rgb outline) {
  const Corners corners = CornersOf(*body.GetFixtureList(), static_cast<float>(kScale));
  FillAndSmooth(scene, corners.points(), inside);
  SmoothOutline(scene, corners.smooth(), outline);
}

}  // namespace

void DrawLunarLander(const Canvas& canvas, const LunarLanderGame& game) {
  constexpr Rgb kInside{128, 102, 230}, kOutline{77, 77, 128};
  canvas.Fill(drawing::kWhite);
  const Canvas scene = canvas.UpsideDown();
  for (std::size_t i = 0; i + 1 < game.ground().size(); ++i) {
    const auto at = static_cast<double>(i);
    const int left = ToPixel(kStep * at * kScale), right = ToPixel(kStep * (at + 1) * kScale);
    const int top = ToPixel(kHeight * kScale);
    const Point sky[] = {{left, ToPixel(game.ground()[i] * kScale)},
                         {right, ToPixel(game.ground()[i + 1] * kScale)},
                         {right, top},
                         {left, top}};
    FillAndSmooth(scene, sky, drawing::kBlack);
  }
  // Exhaust with its age after the next step. Old exhaust is removed from the front, up to the
  // first that is not too old.
  bool gone = true;
  for (const LunarLanderGame::Particle& particle : game.particles()) {
    const double life = particle.life - 0.15;
    gone = gone && life < 0;
    if (gone) continue;
    const auto shade = [](double share) {
      return static_cast<uint8_t>(std::max(0.2, share) * 255);
    };
    const b2Vec2 center = static_cast<float>(kScale) * particle.body->GetPosition();
    const float radius = particle.body->GetFixtureList()->GetShape()->m_radius;
    DrawCircle(scene, {ToPixel(center.x), ToPixel(center.y)}, ToPixel(radius * kScale),
               {shade(0.15 + life), shade(0.5 * life), shade(0.5 * life)});
    DrawFlags(scene);
  }
  for (const b2Body* body : {game.lander(), static_cast<const b2Body*>(game.legs()[0]),
                             static_cast<const b2Body*>(game.legs()[1])}) {
    DrawBody(scene, *body, kInside, kOutline);
    DrawFlags(scene);
  }
}

}  // namespace envpool::box2d
