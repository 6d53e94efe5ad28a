// SPDX-License-Identifier: Apache-2.0
// Draws CarRacing as Gymnasium does, on 1000 x 800 pixels: field, grass, road, car, black bar with
// gauges and score. An observation is this picture without skid marks, shrunk to 96 x 96.
//
//   CarRacingPicture picture(glyphs);
//   picture.Observe(game, observation);         // 96 x 96 x 3 bytes
//   picture.Draw(game, rgb, {600, 400});        // with skid marks
//
// An observation is drawn in bands: the rows that make one of its own rows. Only pixels near edges
// are drawn; no surface of 3 MB is needed.
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
  /// Without `glyphs` the picture has no score.
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
  drawing::Rgb behind_{};          // background color: the field, or black beyond the field
  std::vector<SmoothQuad> quads_;  // field, grass and road, in order
  std::vector<Stroke> marks_;      // the lines of skid marks
  std::vector<Shape> car_, gauges_;
  std::array<char, 32> score_{};
};

}  // namespace envpool::box2d
