// SPDX-License-Identifier: Apache-2.0
// TileLayer: the cells of a grid in the frame. Values that a row or a column shares are computed
// once, and only cells that differ from the frame before are drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "own/image.h"
#include "own/pixels.h"
#include "own/scaling.h"

namespace envpool::procgen {

/// The look of a kind of cells: a whole image, or a color, in a part of the cell's rectangle.
struct Look {
  bool seen = false;
  const Image* image = nullptr;  ///< null: a color
  Pixel color = 0;
  double left = 0, top = 0, width = 1, height = 1;  ///< the part

  bool opaque() const { return image == nullptr || image->opaque; }
  friend bool operator==(const Look&, const Look&) = default;
};

struct Tiles {
  std::vector<double> lefts, tops;  ///< edges of columns and rows, in pixels of the frame
  double width = 0, height = 0;     ///< of each cell
  std::vector<std::uint8_t> cells;  ///< numbers of looks, column after column, in drawing order
  std::vector<Look> looks;

  std::uint8_t at(std::size_t column, std::size_t row) const {
    return cells[column * tops.size() + row];
  }
};

class TileLayer {
 public:
  /// Takes the new tiles, and adds the pixels that may change to `changed`.
  void Update(const Tiles& tiles, Mask& changed);
  /// The pixels whose color does not depend on lower pieces.
  const Mask& opaque() const { return opaque_; }
  /// Draws the pixels of a mask.
  void Paint(Pixels& pixels, const Mask& mask) const;

 private:
  // The pixels of a column or a row of cells, and the image's pixels that they show.
  struct Strip {
    Span span;
    std::uint64_t bits;  // of the span
    std::size_t first;   // in samples_
  };
  // The strips of all columns, or rows, for images of one size, or for one part of a cell.
  struct Axis {
    int source;  // pixels of the image; 0: a color
    bool exact;
    double from, part;
    std::vector<Strip> strips;
  };
  class Axes {
   public:
    void Clear() { used_ = 0; }
    /// The index of the axis.
    std::size_t Find(const std::vector<double>& edges, double size, int source, bool exact,
                     double from, double part, std::vector<std::uint16_t>& samples);
    const Strip& At(std::size_t axis, std::size_t i) const { return axes_[axis].strips[i]; }

   private:
    std::vector<Axis> axes_;
    std::size_t used_ = 0;
  };
  struct Place {
    std::size_t columns, rows;  // indices of axes
  };

  bool SameGeometry(const Tiles& tiles) const;
  void FindPlaces();
  void FindOpaque();
  void AddCell(std::size_t column, std::size_t row, Mask& mask) const;

  Tiles tiles_;
  std::vector<Place> places_;  // of the looks
  Axes columns_, rows_;
  std::vector<std::uint16_t> samples_;
  Mask opaque_;
};

}  // namespace envpool::procgen
