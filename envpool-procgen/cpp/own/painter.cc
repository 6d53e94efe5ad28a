// SPDX-License-Identifier: Apache-2.0
#include "own/painter.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace envpool::procgen {
namespace {

void FillMasked(Pixels& pixels, Span rows, std::uint64_t columns, const Mask& mask, Pixel color) {
  for (int y = rows.begin; y < rows.end; ++y) {
    Pixel* const line = pixels.data() + y * kSide;
    ForRuns(mask.row(y) & columns,
            [&](int begin, int end) { std::fill(line + begin, line + end, color); });
  }
}

// A range of rows, and the columns in each row.
struct Covered {
  Span rows;
  std::uint64_t columns = 0;
};

Covered PaintScaled(Pixels& pixels, const Image& image, const Rect& rect, Ink ink,
                    const Mask& mask) {
  const bool exact = !image.has_alpha || ink.fades();
  Samples columns, rows;
  if (!FindSamples(rect.left, rect.width, image.width, exact, columns) ||
      !FindSamples(rect.top, rect.height, image.height, exact, rows)) {
    return {};
  }
  const int left = columns.span.begin;
  const std::uint64_t bits = BitsOf(columns.span);
  for (int y = rows.span.begin; y < rows.span.end; ++y) {
    Pixel* const line = pixels.data() + y * kSide + left;
    const Pixel* const source = image.row(rows.at[static_cast<std::size_t>(y - rows.span.begin)]);
    ForRuns(mask.row(y) & bits, [&](int begin, int end) {
      PutRow(line, source, columns.at.data(), begin - left, end - left, image.opaque, ink);
    });
  }
  return {rows.span, bits};
}

void PaintTurned(Pixels& pixels, const Image& image, const TurnedImage& turned, Ink ink,
                 const Mask& mask) {
  for (int y = turned.rows().begin; y < turned.rows().end; ++y) {
    Pixel* const line = pixels.data() + y * kSide;
    ForRuns(mask.row(y) & BitsOf(turned.columns(y)), [&](int begin, int end) {
      TurnedImage::Position at = turned.At(begin, y);
      for (int x = begin; x < end; ++x, at = turned.Next(at)) {
        const Pixel from = image.at(std::clamp(at.u >> 16, 0, image.width - 1),
                                    std::clamp(at.v >> 16, 0, image.height - 1));
        if (ink.fades()) {
          Blend<true>(line[x], from, ink.multiplier);
        } else {
          Blend<false>(line[x], from, ink.multiplier);
        }
      }
    });
  }
}

#if defined(__x86_64__)
// Used if the CPU has these instructions. Converts 16 pixels to 48 bytes.
[[gnu::target("ssse3")]] void WriteByShuffles(const Pixels& pixels, std::uint8_t* rgb) {
  const __m128i pick = _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
  for (std::size_t i = 0; i < pixels.size(); i += 16, rgb += 48) {
    __m128i part[4];
    for (std::size_t j = 0; j < 4; ++j) {
      part[j] = _mm_shuffle_epi8(
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels.data() + i + 4 * j)), pick);
    }
    auto* const to = reinterpret_cast<__m128i*>(rgb);
    _mm_storeu_si128(to, _mm_or_si128(part[0], _mm_slli_si128(part[1], 12)));
    _mm_storeu_si128(to + 1, _mm_or_si128(_mm_srli_si128(part[1], 4), _mm_slli_si128(part[2], 8)));
    _mm_storeu_si128(to + 2, _mm_or_si128(_mm_srli_si128(part[2], 8), _mm_slli_si128(part[3], 4)));
  }
}
#endif

}  // namespace

void Painter::Begin() {
  if (!is_finished_) {
    changed_.AddAll();
    knows_behind_ = false;
  }
  is_finished_ = false;
  below_.Begin();
  above_.Begin();
  layer_ = &below_;
  turned_.clear();
}

void Painter::Fill(const Rect& rect, Pixel color) {
  Add({nullptr, rect, 0, Ink(1), color, {}, 0, kUnknown});
}

void Painter::Draw(const Image& image, const Rect& rect, double opacity) {
  if (rect.width != 0 && rect.height != 0) Add({&image, rect, 0, Ink(opacity), 0, {}, 0, kUnknown});
}

void Painter::DrawTurned(const Image& image, const Rect& rect, double degrees, double opacity) {
  Add({&image, rect, degrees, Ink(opacity), 0, {}, 0, kUnknown});
}

void Painter::DrawTiles(const Tiles& tiles) {
  tiles_.Update(tiles, changed_);
  layer_ = &above_;
}

void Painter::Finish() {
  below_.AddChanged(changed_);
  above_.AddChanged(changed_);
  is_finished_ = true;
  if (changed_.In({0, kSide}) == 0) return;
  PaintBelow();
  tiles_.Paint(pixels_, changed_);
  for (const Piece& piece : above_.pieces) Paint(pixels_, piece, changed_);
  changed_.Clear();
}

void Painter::Write(std::uint8_t* rgb) const {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("ssse3")) return WriteByShuffles(pixels_, rgb);
#endif
  for (const Pixel pixel : pixels_) {
    *rgb++ = static_cast<std::uint8_t>(pixel >> 16);
    *rgb++ = static_cast<std::uint8_t>(pixel >> 8);
    *rgb++ = static_cast<std::uint8_t>(pixel);
  }
}

// Finds the pixels that the piece may cover, unless they are known from the frame before.
void Painter::Add(Piece piece) {
  const std::size_t index = layer_->pieces.size();
  if (index < layer_->before.size() && piece.Shows(layer_->before[index])) {
    layer_->pieces.push_back(layer_->before[index]);
    layer_->pieces.back().turned = kUnknown;
    return;
  }
  Rect rect = piece.rect;
  if (piece.degrees != 0) {
    const Turn turn(piece.degrees);
    if (turn.keeps_axes()) {
      rect = turn.Moved(rect);
    } else {
      piece.turned = turned_.size();
      const TurnedImage& turned =
          turned_.emplace_back(rect, turn, piece.image->width, piece.image->height);
      piece.rows = turned.rows();
      for (int y = piece.rows.begin; y < piece.rows.end; ++y) {
        piece.columns |= BitsOf(turned.columns(y));
      }
    }
  }
  if (piece.turned == kUnknown) {
    piece.rows = PixelsOf(rect.top, rect.height);
    piece.columns = BitsOf(PixelsOf(rect.left, rect.width));
  }
  if (piece.rows.begin < piece.rows.end && piece.columns != 0) layer_->pieces.push_back(piece);
}

// While these pieces stay the same, their pixels are kept: the images behind a level are large, so
// reading their pixels is slow.
void Painter::PaintBelow() {
  Mask mask = changed_;
  mask.Remove(tiles_.opaque());
  if (below_.is_same()) {
    if (!knows_behind_) {
      Mask all;
      all.AddAll();
      PaintBelow(behind_, all);
      knows_behind_ = true;
    }
    for (int y = 0; y < kSide; ++y) {
      ForRuns(mask.row(y), [&](int begin, int end) {
        const auto from = behind_.begin() + y * kSide;
        std::copy(from + begin, from + end, pixels_.begin() + y * kSide + begin);
      });
    }
    return;
  }
  knows_behind_ = false;
  PaintBelow(pixels_, mask);
}

// Pixels that the first images do not cover are black.
void Painter::PaintBelow(Pixels& pixels, Mask mask) const {
  const Mask all = mask;
  auto piece = below_.pieces.begin();
  for (; piece != below_.pieces.end() && piece->hides(); ++piece) {
    const auto [rows, columns] = PaintScaled(pixels, *piece->image, piece->rect, piece->ink, all);
    mask.Remove(rows, columns);
  }
  FillMasked(pixels, {0, kSide}, ~std::uint64_t{0}, mask, kBlack);
  for (; piece != below_.pieces.end(); ++piece) Paint(pixels, *piece, all);
}

void Painter::Paint(Pixels& pixels, const Piece& piece, const Mask& mask) const {
  if ((mask.In(piece.rows) & piece.columns) == 0) return;
  if (piece.image == nullptr) {
    FillMasked(pixels, piece.rows, piece.columns, mask, kBlack | piece.color);
    return;
  }
  if (piece.degrees == 0) {
    PaintScaled(pixels, *piece.image, piece.rect, piece.ink, mask);
    return;
  }
  const Turn turn(piece.degrees);
  if (turn.keeps_axes()) {
    PaintScaled(pixels, *piece.image, turn.Moved(piece.rect), piece.ink, mask);
    return;
  }
  if (piece.turned != kUnknown) {
    PaintTurned(pixels, *piece.image, turned_[piece.turned], piece.ink, mask);
  } else {
    const TurnedImage turned(piece.rect, turn, piece.image->width, piece.image->height);
    PaintTurned(pixels, *piece.image, turned, piece.ink, mask);
  }
}

bool Painter::Layer::is_same() const {
  return std::equal(pieces.begin(), pieces.end(), before.begin(), before.end(),
                    [](const Piece& a, const Piece& b) { return a.Shows(b); });
}

void Painter::Layer::AddChanged(Mask& mask) const {
  for (std::size_t i = 0; i < std::max(pieces.size(), before.size()); ++i) {
    const Piece* const now = i < pieces.size() ? &pieces[i] : nullptr;
    const Piece* const old = i < before.size() ? &before[i] : nullptr;
    if (now != nullptr && old != nullptr && now->Shows(*old)) continue;
    for (const Piece* const piece : {now, old}) {
      if (piece != nullptr) mask.Add(piece->rows, piece->columns);
    }
  }
}

}  // namespace envpool::procgen
