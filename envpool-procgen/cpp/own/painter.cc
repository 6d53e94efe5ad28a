// SPDX-License-Identifier: Apache-2.0
// What follows was found by drawing with Qt 5.13 and 5.15.2: where pixels begin and end, which
// pixel of an image each one shows, and how numbers are rounded.
#include "own/painter.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace envpool::procgen {
namespace {

constexpr double kOne = 65536;  // positions in an image are whole numbers of 1 / 65536 pixels

// A range of pixels, the last one excluded.
struct Span {
  int begin, end;
};

int Nearest(double value) { return static_cast<int>(std::floor(value + 0.5)); }

Span PixelsOf(double edge, double size) {
  const double low = std::min(edge, edge + size), high = std::max(edge, edge + size);
  return {std::clamp(Nearest(low), 0, kSide), std::clamp(Nearest(high), 0, kSide)};
}

constexpr std::uint32_t kNoFading = 256;

// Opacity as the multiplier of a source pixel, 0 .. 255, or kNoFading.
std::uint32_t Multiplier(double opacity) {
  const auto parts = static_cast<std::uint32_t>(256 * opacity);
  return parts >= kNoFading ? kNoFading : parts * 255 >> 8;
}

template <bool kOpaque, bool kFades>
void Blend(Pixel& to, Pixel from, std::uint32_t multiplier) {
  if constexpr (kFades) from = Times(from, multiplier);
  if constexpr (kOpaque && !kFades) {
    to = from;
  } else {
    const std::uint32_t alpha = from >> 24;
    if (alpha == 255) {
      to = from;
    } else if (from != 0) {
      to = from + Times(to, 255 - alpha);
    }
  }
}

// Calls `draw` as one of its four kinds.
template <typename F>
void ByKind(const Image& image, std::uint32_t multiplier, const F& draw) {
  if (multiplier == kNoFading) {
    if (image.opaque) {
      draw.template operator()<true, false>();
    } else {
      draw.template operator()<false, false>();
    }
  } else {
    draw.template operator()<false, true>();
  }
}

// Which pixels of an image, along one side, the pixels of a span show.
struct Samples {
  Span span;
  std::array<int, kSide> at;
};

// Qt has two programs for this: `exact` is that of images without alpha and of drawing with
// opacity.
bool FindSamples(double edge, double size, int source, bool exact, Samples& found) {
  const double scale = source / size;
  const int step = static_cast<int>(exact ? scale * kOne : kOne / (size / source));
  const auto distance = [&](double pixels) {
    return exact ? pixels * scale * kOne : pixels * step;
  };
  found.span = PixelsOf(edge, size);
  if (found.span.begin >= found.span.end) return false;
  const double middle = found.span.begin + 0.5;
  std::int64_t position = 0;
  if (size < 0) {
    position = static_cast<std::int64_t>(std::floor(distance(middle - (edge + size)))) + 1 +
               static_cast<std::int64_t>(source * kOne);
    if (position >> 16 >= source) {
      position += step;
      --found.span.end;
    }
  } else {
    position = static_cast<std::int64_t>(std::ceil(distance(middle - edge))) - 1;
  }
  const int count = found.span.end - found.span.begin;
  const std::int64_t last = (position + std::int64_t{step} * (count - 1)) >> 16;
  if (last < 0 || last >= source) --found.span.end;
  for (int i = 0; i < found.span.end - found.span.begin; ++i, position += step) {
    const auto at = static_cast<int>(position >> 16);
    found.at[static_cast<std::size_t>(i)] = std::clamp(at, 0, source - 1);
  }
  return found.span.begin < found.span.end;
}

struct Vertex {
  double x, y;  // in the frame
  double u, v;  // in the image
};

// As x86-64 converts, and so Qt there: what is no int becomes the lowest one.
int Whole(double value) {
  return value >= -0x1p31 && value < 0x1p31 ? static_cast<int>(value)
                                            : std::numeric_limits<int>::min();
}
// Sums and products that may leave the range of int, as of an almost level side.
int Sum(int a, int b) {
  return static_cast<int>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
int Product(int a, int b) {
  return static_cast<int>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}

// How an image lies in the frame: the position that a pixel shows, in parts of 1 / 65536.
struct Mapping {
  int u0, v0, u_by_x, v_by_x, u_by_y, v_by_y;

  // From three corners.
  Mapping(const Vertex& corner, const Vertex& next, const Vertex& opposite) {
    const double ax = next.x - corner.x, ay = next.y - corner.y;
    const double next_u = next.u - corner.u, next_v = next.v - corner.v;
    const double bx = opposite.x - corner.x, by = opposite.y - corner.y;
    const double far_u = opposite.u - corner.u, far_v = opposite.v - corner.v;
    const double inverse = 1 / (ax * by - ay * bx);
    const double ux = (next_u * by - ay * far_u) * inverse,
                 uy = (ax * far_u - next_u * bx) * inverse;
    const double vx = (next_v * by - ay * far_v) * inverse,
                 vy = (ax * far_v - next_v * bx) * inverse;
    const double u = corner.u - ux * corner.x - uy * corner.y;
    const double v = corner.v - vx * corner.x - vy * corner.y;
    u_by_x = Whole(ux * kOne);
    v_by_x = Whole(vx * kOne);
    u_by_y = Whole(uy * kOne);
    v_by_y = Whole(vy * kOne);
    u0 = Sum(Whole(std::ceil((0.5 * ux + 0.5 * uy + u) * kOne)), -1);
    v0 = Sum(Whole(std::ceil((0.5 * vx + 0.5 * vy + v) * kOne)), -1);
  }
};

// The side of a turned rectangle, as it goes down from row to row.
struct Side {
  int x, step;  // in parts of 1 / 65536

  Side(const Vertex& top, const Vertex& bottom, int row) {
    const double slope = (bottom.x - top.x) / (bottom.y - top.y);
    step = Whole(slope * kOne);
    x = Whole((top.x + (0.5 + row - top.y) * slope + 0.5) * kOne);
  }
};

}  // namespace

void Painter::Fill(const Rect& rect, Pixel color) {
  const Span columns = PixelsOf(rect.left, rect.width), rows = PixelsOf(rect.top, rect.height);
  for (int y = rows.begin; y < rows.end; ++y) {
    Pixel* const line = pixels_.data() + y * kSide;
    std::fill(line + columns.begin, line + std::max(columns.begin, columns.end), kBlack | color);
  }
}

void Painter::Draw(const Image& image, const Rect& rect, double opacity) {
  const std::uint32_t multiplier = Multiplier(opacity);
  const bool exact = !image.has_alpha || multiplier != kNoFading;
  Samples columns, rows;
  if (rect.width == 0 || rect.height == 0 ||
      !FindSamples(rect.left, rect.width, image.width, exact, columns) ||
      !FindSamples(rect.top, rect.height, image.height, exact, rows)) {
    return;
  }
  ByKind(image, multiplier, [&]<bool kOpaque, bool kFades>() {
    const int count = columns.span.end - columns.span.begin;
    for (int y = rows.span.begin; y < rows.span.end; ++y) {
      const Pixel* const source =
          image.pixels.data() +
          std::ptrdiff_t{rows.at[static_cast<std::size_t>(y - rows.span.begin)]} * image.width;
      Pixel* const line = pixels_.data() + y * kSide + columns.span.begin;
      for (int i = 0; i < count; ++i) {
        Blend<kOpaque, kFades>(line[i], source[columns.at[static_cast<std::size_t>(i)]],
                               multiplier);
      }
    }
  });
}

void Painter::DrawTurned(const Image& image, const Rect& rect, double degrees, double opacity) {
  constexpr double kRadians = 0.017453292519943295769, kNothing = 1e-12;
  double sine = 0, cosine = 0;
  if (degrees == 90 || degrees == -270) {
    sine = 1;
  } else if (degrees == 270 || degrees == -90) {
    sine = -1;
  } else if (degrees == 180) {
    cosine = -1;
  } else {
    sine = std::sin(kRadians * degrees);
    cosine = std::cos(kRadians * degrees);
  }
  const double half_width = rect.width / 2, half_height = rect.height / 2;
  const double right = -half_width + rect.width, bottom = -half_height + rect.height;
  const double x = rect.left + half_width, y = rect.top + half_height;
  if (std::abs(sine) <= kNothing) {
    const double left = cosine * -half_width + x, top = cosine * -half_height + y;
    Draw(image, {left, top, cosine * right + x - left, cosine * bottom + y - top}, opacity);
    return;
  }
  const auto place = [&](double across, double down, double u, double v) {
    return Vertex{cosine * across - sine * down + x, sine * across + cosine * down + y, u, v};
  };
  std::array<Vertex, 4> corners = {
      place(-half_width, -half_height, 0, 0), place(right, -half_height, image.width, 0),
      place(right, bottom, image.width, image.height), place(-half_width, bottom, 0, image.height)};
  const auto highest = std::min_element(corners.begin(), corners.end(),
                                        [](const Vertex& a, const Vertex& b) { return a.y < b.y; });
  std::rotate(corners.begin(), highest, corners.end());
  const auto& [first, left_of, last, right_of] = corners;
  if ((left_of.x - first.x) * (right_of.y - first.y) -
          (right_of.x - first.x) * (left_of.y - first.y) >
      0) {
    std::swap(corners[1], corners[3]);
  }
  const auto& [top, left, low, middle_right] = corners;
  if ((left.x - top.x) * (low.y - top.y) == (left.y - top.y) * (low.x - top.x)) return;
  const Mapping mapping(top, left, low);
  const std::uint32_t multiplier = Multiplier(opacity);
  const auto draw = [&](const Vertex& left_top, const Vertex& left_bottom, const Vertex& right_top,
                        const Vertex& right_bottom, double from, double to) {
    const int begin = std::max(Nearest(from), 0), end = std::min(Nearest(to), kSide);
    if (begin >= end) return;
    Side at_left(left_top, left_bottom, begin), at_right(right_top, right_bottom, begin);
    ByKind(image, multiplier, [&]<bool kOpaque, bool kFades>() {
      for (int row = begin; row < end; ++row) {
        const int x_begin = std::max(at_left.x >> 16, 0);
        const int x_end = std::min(at_right.x >> 16, kSide);
        int u =
            Sum(Sum(Product(x_begin, mapping.u_by_x), Product(row, mapping.u_by_y)), mapping.u0);
        int v =
            Sum(Sum(Product(x_begin, mapping.v_by_x), Product(row, mapping.v_by_y)), mapping.v0);
        for (int column = x_begin; column < x_end; ++column) {
          const Pixel pixel = image.at(std::clamp(u >> 16, 0, image.width - 1),
                                       std::clamp(v >> 16, 0, image.height - 1));
          Blend<kOpaque, kFades>(pixels_[static_cast<std::size_t>(row * kSide + column)], pixel,
                                 multiplier);
          u = Sum(u, mapping.u_by_x);
          v = Sum(v, mapping.v_by_x);
        }
        at_left.x = Sum(at_left.x, at_left.step);
        at_right.x = Sum(at_right.x, at_right.step);
      }
    });
  };
  if (left.y < middle_right.y) {
    draw(top, left, top, middle_right, top.y, left.y);
    draw(left, low, top, middle_right, left.y, middle_right.y);
    draw(left, low, middle_right, low, middle_right.y, low.y);
  } else {
    draw(top, left, top, middle_right, top.y, middle_right.y);
    draw(top, left, middle_right, low, middle_right.y, left.y);
    draw(left, low, middle_right, low, left.y, low.y);
  }
}

void Painter::Write(std::uint8_t* rgb) const {
  for (const Pixel pixel : pixels_) {
    *rgb++ = static_cast<std::uint8_t>(pixel >> 16);
    *rgb++ = static_cast<std::uint8_t>(pixel >> 8);
    *rgb++ = static_cast<std::uint8_t>(pixel);
  }
}

}  // namespace envpool::procgen
