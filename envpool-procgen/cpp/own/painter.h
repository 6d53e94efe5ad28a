// SPDX-License-Identifier: Apache-2.0
// Painter: draws frames, each pixel as Qt 5.13 draws it.
//
// A frame is a list of pieces, one over the other. What is the same as in the frame before stays as
// it is; of the rest, what opaque cells of the grid cover is left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine.h"
#include "own/image.h"
#include "own/pixels.h"
#include "own/tile_layer.h"
#include "own/turning.h"

namespace envpool::procgen {

/// Images that it draws must live as long as it.
class Painter {
 public:
  Painter() = default;
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  /// Begins a frame, all black.
  void Begin();
  /// Fills with a color without alpha, 0xrrggbb.
  void Fill(const Rect& rect, Pixel color);
  /// Draws a whole image into a rectangle; `opacity` 0 .. 1.
  void Draw(const Image& image, const Rect& rect, double opacity = 1);
  /// The same, turned clockwise around its middle.
  void DrawTurned(const Image& image, const Rect& rect, double degrees, double opacity = 1);
  /// Draws the cells of a grid, once in a frame.
  void DrawTiles(const Tiles& tiles);
  /// Ends the frame.
  void Finish();
  /// Writes 64 x 64 x 3 bytes.
  void Write(std::uint8_t* rgb) const;

 private:
  static constexpr auto kUnknown = static_cast<std::size_t>(-1);

  // An image, or a color.
  struct Piece {
    const Image* image;
    Rect rect;
    double degrees;
    Ink ink;
    Pixel color;
    // Which pixels it may cover.
    Span rows;
    std::uint64_t columns;
    // Its number in turned_, or kUnknown.
    std::size_t turned;

    // Whether nothing below it is seen.
    bool hides() const { return image != nullptr && image->opaque && degrees == 0 && !ink.fades(); }
    // Whether it looks the same.
    bool Shows(const Piece& other) const {
      return image == other.image && rect == other.rect && degrees == other.degrees &&
             ink == other.ink && color == other.color;
    }
  };
  // Those below the grid or above it, with those of the frame before.
  struct Layer {
    std::vector<Piece> pieces, before;

    void Begin() {
      std::swap(pieces, before);
      pieces.clear();
    }
    bool is_same() const;
    void AddChanged(Mask& mask) const;
  };

  void Add(Piece piece);
  void PaintBelow();
  void PaintBelow(Pixels& pixels, Mask mask) const;
  void Paint(Pixels& pixels, const Piece& piece, const Mask& mask) const;

  Pixels pixels_{};
  Layer below_, above_;
  Layer* layer_ = &below_;  // of the next piece
  TileLayer tiles_;
  std::vector<TurnedImage> turned_;  // those that are new in this frame
  Mask changed_;                     // since the frame before
  Pixels behind_{};                  // what below_ looks like
  bool knows_behind_ = false;
  bool is_finished_ = false;  // pixels_ shows the frame before, which no error cut off
};

}  // namespace envpool::procgen
