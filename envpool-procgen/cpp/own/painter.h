// SPDX-License-Identifier: Apache-2.0
// Painter: draws frames; each pixel equals Qt 5.13's.
//
// A frame is a list of pieces, drawn in order. Parts that equal the frame before are kept; of the
// rest, parts under opaque cells of the grid are not drawn.
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

/// The images that it draws must outlive it.
class Painter {
 public:
  Painter() = default;
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  /// Begins a frame, all black.
  void Begin();
  /// Fills with an opaque color, 0xrrggbb.
  void Fill(const Rect& rect, Pixel color);
  /// Draws a whole image into a rectangle; `opacity` 0 .. 1.
  void Draw(const Image& image, const Rect& rect, double opacity = 1);
  /// Draws it rotated clockwise around its middle.
  void DrawTurned(const Image& image, const Rect& rect, double degrees, double opacity = 1);
  /// Draws the cells of a grid, once in a frame.
  void DrawTiles(const Tiles& tiles);
  /// Ends the frame.
  void Finish();
  /// Writes 64 x 64 x 3 bytes.
  void Write(std::uint8_t* rgb) const;

 private:
  static constexpr auto kUnknown = static_cast<std::size_t>(-1);

  // A piece: an image, or a color.
  struct Piece {
    const Image* image;
    Rect rect;
    double degrees;
    Ink ink;
    Pixel color;
    // The pixels that it may cover.
    Span rows;
    std::uint64_t columns;
    // Its index in turned_, or kUnknown.
    std::size_t turned;

    // True if it hides everything below it.
    bool hides() const { return image != nullptr && image->opaque && degrees == 0 && !ink.fades(); }
    // True if it looks the same as another piece.
    bool Shows(const Piece& other) const {
      return image == other.image && rect == other.rect && degrees == other.degrees &&
             ink == other.ink && color == other.color;
    }
  };
  // The pieces below the grid or above it, of this frame and of the frame before.
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
  Layer* layer_ = &below_;  // the layer of the next piece
  TileLayer tiles_;
  std::vector<TurnedImage> turned_;  // the images that are new in this frame
  Mask changed_;                     // pixels that changed since the frame before
  Pixels behind_{};                  // pixels of below_
  bool knows_behind_ = false;
  bool is_finished_ = false;  // true: pixels_ has the whole frame before
};

}  // namespace envpool::procgen
