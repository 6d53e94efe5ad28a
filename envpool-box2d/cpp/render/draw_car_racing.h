// SPDX-License-Identifier: Apache-2.0
// CarRacing as Gymnasium draws it, on 1000 x 800 pixels: field, grass, road, car, black bar with
// gauges and score. An observation is that, without skid marks, shrunk to 96 x 96.
//
//   CarRacingPicture picture(glyphs);
//   picture.Observe(game, observation);         // 96 x 96 x 3 bytes
//   picture.Draw(game, rgb, {600, 400});        // with skid marks
//
// The observation is drawn in bands, of the rows that make one of its own, and of these only where
// edges are; no surface of 3 MB is made.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "car_racing_game.h"
#include "envpool/drawing/canvas.h"
#include "envpool/drawing/shapes.h"
#include "render/band.h"
#include "render/score_glyphs.h"
#include "render/smooth_quad.h"

namespace envpool::box2d {

inline constexpr drawing::Size kCarRacingFrame{600, 400}, kCarRacingObservation{96, 96};

class CarRacingPicture {
 public:
  /// Without `glyphs` the score is left out.
  explicit CarRacingPicture(std::shared_ptr<const ScoreGlyphs> glyphs)
      : glyphs_(std::move(glyphs)) {}

  void Observe(const CarRacingGame& game, std::uint8_t* rgb);
  void Draw(const CarRacingGame& game, std::uint8_t* rgb, drawing::Size size);

 private:
  struct Shape {
    std::array<drawing::Point, b2_maxPolygonVertices> corners;
    std::size_t count;
    drawing::Rgb color;

    void Mix(const drawing::Window& window, Band& band) const;
  };
  struct Stroke {
    drawing::Point from, to;
    drawing::Rgb color;
  };

  void Prepare(const CarRacingGame& game, bool with_marks);
  void AddCar(const CarRacingGame& game);
  void AddGauges(const CarRacingGame& game);
  void PaintBand(const drawing::BasicCanvas<4>& canvas, Band& band) const;
  void PaintScene(const drawing::Canvas& canvas) const;
  template <int kBytes>
  void PaintBar(const drawing::BasicCanvas<kBytes>& canvas) const;
  template <typename At>
  void AddShape(std::size_t count, drawing::Rgb color, const At& at, std::vector<Shape>& shapes);

  std::shared_ptr<const ScoreGlyphs> glyphs_;
  drawing::Rgb behind_{};          // all that is drawn: the field, or black, of which it is a part
  std::vector<SmoothQuad> quads_;  // field, grass and road, in order
  std::vector<Stroke> marks_;      // the lines of skid marks
  std::vector<Shape> car_, gauges_;
  std::array<char, 32> score_{};
};

}  // namespace envpool::box2d
