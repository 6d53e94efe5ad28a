// SPDX-License-Identifier: Apache-2.0
#include "own/tile_layer.h"

#include <algorithm>
#include <utility>

namespace envpool::procgen {

void TileLayer::Update(const Tiles& tiles, Mask& changed) {
  const bool same_looks = tiles.looks == tiles_.looks;
  if (same_looks && SameGeometry(tiles)) {
    if (tiles.cells == tiles_.cells) return;
    for (std::size_t column = 0; column < tiles.lefts.size(); ++column) {
      for (std::size_t row = 0; row < tiles.tops.size(); ++row) {
        const std::size_t cell = column * tiles.tops.size() + row;
        if (tiles.cells[cell] == tiles_.cells[cell]) continue;
        AddCell(column, row, changed);
        tiles_.cells[cell] = tiles.cells[cell];
        AddCell(column, row, changed);
      }
    }
  } else {
    changed.AddAll();
    tiles_ = tiles;
    FindPlaces();
  }
  FindOpaque();
}

void TileLayer::Paint(Pixels& pixels, const Mask& mask) const {
  const std::size_t rows = tiles_.tops.size();
  for (std::size_t column = 0; column < tiles_.lefts.size(); ++column) {
    const std::uint8_t* const cells = tiles_.cells.data() + column * rows;
    for (std::size_t row = 0; row < rows; ++row) {
      const Look& look = tiles_.looks[cells[row]];
      if (!look.seen) continue;
      const Place& place = places_[cells[row]];
      const Strip& across = columns_.At(place.columns, column);
      const Strip& down = rows_.At(place.rows, row);
      for (int y = down.span.begin; y < down.span.end; ++y) {
        const std::uint64_t bits = mask.row(y) & across.bits;
        if (bits == 0) continue;
        Pixel* const line = pixels.data() + y * kSide;
        if (look.image == nullptr) {
          ForRuns(bits, [&](int begin, int end) {
            std::fill(line + begin, line + end, kBlack | look.color);
          });
          continue;
        }
        const int left = across.span.begin;
        const std::uint16_t* const at = samples_.data() + across.first;
        const Pixel* const source =
            look.image->row(samples_[down.first + static_cast<std::size_t>(y - down.span.begin)]);
        if (bits == across.bits) {
          PutRow(line + left, source, at, 0, across.span.end - left, look.image->opaque, Ink(1));
        } else {
          ForRuns(bits, [&](int begin, int end) {
            PutRow(line + left, source, at, begin - left, end - left, look.image->opaque, Ink(1));
          });
        }
      }
    }
  }
}

bool TileLayer::SameGeometry(const Tiles& tiles) const {
  return tiles.width == tiles_.width && tiles.height == tiles_.height &&
         tiles.lefts == tiles_.lefts && tiles.tops == tiles_.tops;
}

void TileLayer::FindPlaces() {
  columns_.Clear();
  rows_.Clear();
  samples_.clear();
  places_.clear();
  for (const Look& look : tiles_.looks) {
    if (!look.seen) {
      places_.push_back({0, 0});
      continue;
    }
    const Image* const image = look.image;
    const bool exact = image != nullptr && !image->has_alpha;
    places_.push_back(
        {columns_.Find(tiles_.lefts, tiles_.width, image == nullptr ? 0 : image->width, exact,
                       look.left, look.width, samples_),
         rows_.Find(tiles_.tops, tiles_.height, image == nullptr ? 0 : image->height, exact,
                    look.top, look.height, samples_)});
  }
}

std::size_t TileLayer::Axes::Find(const std::vector<double>& edges, double size, int source,
                                  bool exact, double from, double part,
                                  std::vector<std::uint16_t>& samples) {
  for (std::size_t i = 0; i < used_; ++i) {
    const Axis& axis = axes_[i];
    if (axis.source == source && axis.exact == exact && axis.from == from && axis.part == part) {
      return i;
    }
  }
  if (used_ == axes_.size()) axes_.emplace_back();
  Axis& axis = axes_[used_];
  axis = {source, exact, from, part, std::move(axis.strips)};
  axis.strips.clear();
  for (const double edge : edges) {
    Strip strip{{}, 0, samples.size()};
    if (source == 0) {
      strip.span = PixelsOf(edge + size * from, size * part);
    } else if (Samples found; FindSamples(edge, size, source, exact, found)) {
      strip.span = found.span;
      samples.insert(samples.end(), found.at.begin(),
                     found.at.begin() + (found.span.end - found.span.begin));
    }
    strip.bits = BitsOf(strip.span);
    axis.strips.push_back(strip);
  }
  return used_++;
}

void TileLayer::AddCell(std::size_t column, std::size_t row, Mask& mask) const {
  const std::uint8_t look = tiles_.at(column, row);
  if (!tiles_.looks[look].seen) return;
  const Place& place = places_[look];
  mask.Add(rows_.At(place.rows, row).span, columns_.At(place.columns, column).bits);
}

void TileLayer::FindOpaque() {
  opaque_.Clear();
  for (std::size_t column = 0; column < tiles_.lefts.size(); ++column) {
    for (std::size_t row = 0; row < tiles_.tops.size(); ++row) {
      if (tiles_.looks[tiles_.at(column, row)].opaque()) AddCell(column, row, opaque_);
    }
  }
}

}  // namespace envpool::procgen
