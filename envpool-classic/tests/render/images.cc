// SPDX-License-Identifier: Apache-2.0
// The drawings and their building blocks as one plain C function, for tests through ctypes: no
// compiled family module is needed. conftest.py builds it.
//
//   ImageDraw("cartpole", values, 2, "", rgb, 600, 400, message, sizeof(message))

#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "envpool/drawing/canvas.h"
#include "envpool/drawing/scale.h"
#include "envpool/drawing/shapes.h"
#include "envpool/drawing/strokes.h"
#include "render/draw_acrobot.h"
#include "render/draw_blackjack.h"
#include "render/draw_cartpole.h"
#include "render/draw_catch.h"
#include "render/draw_cliff_walking.h"
#include "render/draw_frozen_lake.h"
#include "render/draw_mountain_car.h"
#include "render/draw_nchain.h"
#include "render/draw_pendulum.h"
#include "render/draw_taxi.h"
#include "render/sprites.h"

namespace classic = envpool::classic;

namespace {

using classic::Canvas;
using classic::Point;
using classic::Rgb;
using classic::Size;

struct Arguments {
  const double* values;
  std::string text;

  [[nodiscard]] int Int(size_t i) const { return static_cast<int>(values[i]); }
  [[nodiscard]] float Float(size_t i) const { return static_cast<float>(values[i]); }
  [[nodiscard]] Point At(size_t i) const { return {Int(i), Int(i + 1)}; }
  [[nodiscard]] Rgb Colour(size_t i) const {
    const auto byte = [&](size_t k) { return static_cast<uint8_t>(values[k]); };
    return {byte(i), byte(i + 1), byte(i + 2)};
  }
  [[nodiscard]] std::array<Point, 3> Triangle() const { return {At(0), At(2), At(4)}; }
  [[nodiscard]] std::array<Point, 4> Quad() const { return {At(0), At(2), At(4), At(6)}; }
};

using Drawing = std::function<void(const Canvas&, const Arguments&)>;

// Shapes take their coordinates first, then a color, on a canvas that the caller has painted.
const std::map<std::string, Drawing> kDrawings = {
    {"hline",
     [](auto& c, auto& a) { c.HorizontalLine(a.Int(0), a.Int(1), a.Int(2), a.Colour(3)); }},
    {"vline", [](auto& c, auto& a) { c.VerticalLine(a.Int(0), a.Int(1), a.Int(2), a.Colour(3)); }},
    {"frame",
     [](auto& c, auto& a) { c.Frame(a.Int(0), a.Int(1), {a.Int(2), a.Int(3)}, a.Colour(4)); }},
    {"rectangle",
     [](auto& c, auto& a) { c.Rectangle(a.Int(0), a.Int(1), {a.Int(2), a.Int(3)}, a.Colour(4)); }},
    {"triangle_outline", [](auto& c, auto& a) { PolygonOutline(c, a.Triangle(), a.Colour(6)); }},
    {"triangle", [](auto& c, auto& a) { FilledPolygon(c, a.Triangle(), a.Colour(6)); }},
    {"quad_outline", [](auto& c, auto& a) { PolygonOutline(c, a.Quad(), a.Colour(8)); }},
    {"quad", [](auto& c, auto& a) { FilledPolygon(c, a.Quad(), a.Colour(8)); }},
    {"circle_outline", [](auto& c, auto& a) { CircleOutline(c, a.At(0), a.Int(2), a.Colour(3)); }},
    {"circle", [](auto& c, auto& a) { FilledCircle(c, a.At(0), a.Int(2), a.Colour(3)); }},
    {"smooth_line",
     [](auto& c, auto& a) {
       SmoothLine(c, a.Float(0), a.Float(1), a.Float(2), a.Float(3), a.Colour(4));
     }},
    {"blit",
     [](auto& c, auto& a) {
       Blit(c, *classic::SpriteStore::Find(a.text), a.Int(0), a.Int(1),
            {.size = {a.Int(2), a.Int(3)}, .flip_x = a.Int(4) != 0, .flip_y = a.Int(5) != 0});
     }},
    {"cartpole", [](auto& c, auto& a) { classic::DrawCartPole(c, a.values[0], a.values[1]); }},
    {"cartpole_scaled",  // at a requested size: the canvas given is the result
     [](auto& c, auto& a) {
       classic::DrawAtSize(
           c.At(0, 0), c.size(), classic::kCartPoleFrame,
           [&](const Canvas& canvas) { classic::DrawCartPole(canvas, a.values[0], a.values[1]); });
     }},
    {"mountain_car",
     [](auto& c, auto& a) { classic::DrawMountainCar(c, a.values[0], a.values[1]); }},
    {"pendulum",  // the third value says whether there is a torque
     [](auto& c, auto& a) {
       classic::DrawPendulum(c, a.values[0],
                             a.Int(2) != 0 ? std::optional(a.values[1]) : std::nullopt);
     }},
    {"acrobot", [](auto& c, auto& a) { classic::DrawAcrobot(c, a.values[0], a.values[1]); }},
    {"frozen_lake",
     [](auto& c, auto& a) { classic::DrawFrozenLake(c, {a.text, a.Int(0), a.Int(1), a.Int(2)}); }},
    {"taxi",
     [](auto& c, auto& a) {
       classic::DrawTaxi(c, {a.Int(0), a.Int(1), a.Int(2), a.Int(3), a.Int(4)});
     }},
    {"cliff_walking", [](auto& c, auto& a) { classic::DrawCliffWalking(c, a.Int(0)); }},
    {"blackjack",
     [](auto& c, auto& a) {
       classic::DrawBlackjack(c, {a.Int(0), a.Int(1), a.Int(2) != 0, a.text.at(0), a.text.at(1)});
     }},
    {"catch",
     [](auto& c, auto& a) {
       classic::DrawCatch(c, {a.Int(0), a.Int(1), a.Int(2), a.Int(3), a.Int(4)});
     }},
    {"nchain", [](auto& c, auto& a) { classic::DrawNChain(c, a.Int(0), a.Int(1)); }},
};

template <typename Action>
int Guarded(char* message, int capacity, Action&& action) {
  try {
    action();
    return 0;
  } catch (const std::exception& error) {
    std::snprintf(message, static_cast<size_t>(capacity), "%s", error.what());
    return 1;
  }
}

}  // namespace

// Each function returns 0, or 1 with the exception's text in `message`.
extern "C" {

int ImageDraw(const char* name, const double* values, const char* text, uint8_t* rgb, int width,
              int height, char* message, int capacity) {
  return Guarded(message, capacity, [&] {
    kDrawings.at(name)(Canvas(rgb, {width, height}), Arguments{values, text});
  });
}

int ImageSetSprite(const char* name, int height, int width, const uint8_t* rgba, char* message,
                   int capacity) {
  return Guarded(message, capacity, [&] { classic::SpriteStore::Set(name, height, width, rgba); });
}

int ImageScale(const uint8_t* rgba, int width, int height, uint8_t* target, int target_width,
               int target_height, char* message, int capacity) {
  return Guarded(message, capacity, [&] {
    classic::SmoothScale<4>(rgba, {width, height}, target, {target_width, target_height});
  });
}
}
