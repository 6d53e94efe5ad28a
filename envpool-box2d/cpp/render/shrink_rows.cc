// SPDX-License-Identifier: Apache-2.0
#include "render/shrink_rows.h"

#include <algorithm>
#include <utility>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace envpool::box2d {
namespace {

constexpr int kUnit = 16384;

// The upper 16 bits of a product.
std::uint16_t UpperHalf(std::uint16_t a, std::uint16_t b) {
  return static_cast<std::uint16_t>(std::uint32_t{a} * b >> 16);
}

}  // namespace

RowShrinker::RowShrinker(drawing::Size from, drawing::Size to)
    : from_(from),
      columns_(Spans(from.width, to.width)),
      rows_(Spans(from.height, to.height)),
      uniform_(columns_.size(), {1U << 24, {}}),  // not a color of a pixel
      across_(Reciprocal(from.width, to.width)),
      down_(Reciprocal(from.height, to.height)),
      narrow_(4 * static_cast<std::size_t>(to.width)),
      sums_(narrow_.size()) {}

std::uint16_t RowShrinker::Reciprocal(int from, int to) {
  return static_cast<std::uint16_t>((1 << 30) / (kUnit * from / to));
}

std::vector<RowShrinker::Span> RowShrinker::Spans(int from, int to) {
  std::vector<Span> spans;
  const int step = kUnit * from / to;
  for (int k = 0; k < to; ++k) {
    const int begin = k * step, end = begin + step;
    const int first = (begin + kUnit - 1) / kUnit, last = (end - 1) / kUnit;
    spans.push_back({first, last, static_cast<std::uint16_t>(first * kUnit - begin),
                     static_cast<std::uint16_t>(end - last * kUnit)});
  }
  return spans;
}

void RowShrinker::Begin() {
  row_ = 0;
  target_ = 0;
  std::fill(sums_.begin(), sums_.end(), std::uint16_t{0});
}

Band RowShrinker::MakeBand() const {
  std::vector<Band::Pixels> columns;
  for (const Span& span : columns_) {
    columns.push_back({span.share_before != 0 ? span.first - 1 : span.first, span.last});
  }
  return Band(std::move(columns), from_.width);
}

// The result of Across for pixels of a single color.
std::uint16_t RowShrinker::UniformValue(const Span& span, std::uint8_t value) const {
  const auto four = static_cast<std::uint16_t>(4 * value);
  const int sum = (span.last - span.first) * value + UpperHalf(four, span.share_before) +
                  UpperHalf(four, span.share_last);
  return std::min<std::uint16_t>(255, UpperHalf(static_cast<std::uint16_t>(sum), across_));
}

void RowShrinker::BeginBand(const Band& band) {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (band.mixed(c)) continue;
    const drawing::Rgb color = band.color(c);
    const std::uint8_t bytes[4] = {color.r, color.g, color.b, 0};
    Uniform& uniform = uniform_[c];
    std::uint32_t word;
    __builtin_memcpy(&word, bytes, sizeof(word));
    if (uniform.color != word) {
      uniform.color = word;
      for (std::size_t i = 0; i < 4; ++i) {
        uniform.value[i] = UniformValue(columns_[c], bytes[i]);
      }
    }
    std::copy(uniform.value.begin(), uniform.value.end(), narrow_.data() + 4 * c);
  }
}

void RowShrinker::Across(const std::uint8_t* pixels, const Band& band) {
  for (const std::size_t column : band.mixed_columns()) {
    const Span& span = columns_[column];
    std::uint16_t* out = narrow_.data() + 4 * column;
    [[maybe_unused]] Uniform* uniform = uniform_.data() + column;
    const std::uint8_t* first = pixels + 4 * span.first;
    const std::uint8_t* last = pixels + 4 * span.last;
#ifdef __SSE2__
    // Four pixels at a time, from the pixel before `first` to `last`; these groups overlap.
    const auto group = [](const std::uint8_t* pixel) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(pixel));
    };
    const std::uint8_t* begin = span.share_before != 0 ? first - 4 : first;
    const __m128i one_color = _mm_shuffle_epi32(group(begin), 0);
    __m128i same = _mm_cmpeq_epi32(group(begin), one_color);
    for (const std::uint8_t* at = begin + 16; at + 12 < last; at += 16) {
      same = _mm_and_si128(same, _mm_cmpeq_epi32(group(at), one_color));
    }
    same = _mm_and_si128(same, _mm_cmpeq_epi32(group(last - 12), one_color));
    const bool is_uniform = _mm_movemask_epi8(same) == 0xffff;
    const auto color = static_cast<std::uint32_t>(_mm_cvtsi128_si32(one_color));
    if (is_uniform && uniform->color == color) {
      __builtin_memcpy(out, uniform->value.data(), sizeof(uniform->value));
      continue;
    }
    const __m128i zero = _mm_setzero_si128();
    const auto one = [&zero](const std::uint8_t* pixel) {
      int bytes;
      __builtin_memcpy(&bytes, pixel, sizeof(bytes));
      return _mm_unpacklo_epi8(_mm_cvtsi32_si128(bytes), zero);
    };
    __m128i sum = zero;
    const std::uint8_t* pixel = first;
    for (; pixel + 16 <= last; pixel += 16) {
      const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(pixel));
      sum = _mm_add_epi16(
          sum, _mm_add_epi16(_mm_unpacklo_epi8(four, zero), _mm_unpackhi_epi8(four, zero)));
    }
    if (pixel + 8 <= last) {
      const __m128i two = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(pixel));
      sum = _mm_add_epi16(sum, _mm_unpacklo_epi8(two, zero));
      pixel += 8;
    }
    if (pixel < last) sum = _mm_add_epi16(sum, one(pixel));
    sum = _mm_add_epi16(sum, _mm_srli_si128(sum, 8));
    const auto share = [](__m128i value, std::uint16_t weight) {
      return _mm_mulhi_epu16(_mm_slli_epi16(value, 2),
                             _mm_set1_epi16(static_cast<std::int16_t>(weight)));
    };
    if (span.share_before != 0) {
      sum = _mm_add_epi16(sum, share(one(first - 4), span.share_before));
    }
    sum = _mm_add_epi16(sum, share(one(last), span.share_last));
    sum = _mm_mulhi_epu16(sum, _mm_set1_epi16(static_cast<std::int16_t>(across_)));
    sum = _mm_min_epi16(sum, _mm_set1_epi16(255));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out), sum);
    if (is_uniform) {
      uniform->color = color;
      __builtin_memcpy(uniform->value.data(), out, sizeof(uniform->value));
    }
#else
    for (int c = 0; c < 4; ++c) {
      std::uint16_t sum = 0;
      for (const std::uint8_t* pixel = first; pixel < last; pixel += 4) {
        sum = static_cast<std::uint16_t>(sum + pixel[c]);
      }
      const auto share = [c](const std::uint8_t* pixel, std::uint16_t weight) {
        return UpperHalf(static_cast<std::uint16_t>(4 * pixel[c]), weight);
      };
      if (span.share_before != 0) {
        sum = static_cast<std::uint16_t>(sum + share(first - 4, span.share_before));
      }
      sum = static_cast<std::uint16_t>(sum + share(last, span.share_last));
      out[c] = std::min<std::uint16_t>(255, UpperHalf(sum, across_));
    }
#endif
  }
}

void RowShrinker::Add(const std::uint8_t* pixels, const Band& band, std::uint8_t* rgb) {
  const std::size_t target = target_;
  Across(pixels, band);
  const Span& span = rows_[target];
  if (row_++ < span.last) {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      sums_[i] = static_cast<std::uint16_t>(sums_[i] + narrow_[i]);
    }
    return;
  }
  std::uint8_t* out = rgb + 3 * target * columns_.size();
  ++target_;
  // The rest of this row belongs to the next sum.
  const std::uint16_t rest =
      target_ < rows_.size() ? rows_[target_].share_before : std::uint16_t{0};
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const auto four = static_cast<std::uint16_t>(4 * narrow_[i]);
    const auto sum = static_cast<std::uint16_t>(sums_[i] + UpperHalf(four, span.share_last));
    narrow_[i] = std::min<std::uint16_t>(255, UpperHalf(sum, down_));
    sums_[i] = UpperHalf(four, rest);
  }
  for (std::size_t x = 0; x < columns_.size(); ++x) {
    for (std::size_t c = 0; c < 3; ++c) {
      out[3 * x + c] = static_cast<std::uint8_t>(narrow_[4 * x + c]);
    }
  }
}

}  // namespace envpool::box2d
