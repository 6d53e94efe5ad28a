// SPDX-License-Identifier: Apache-2.0
#include "own/canvas.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "own/blend.h"

namespace envpool::procgen {
namespace {

// The nearest whole number, halves upward; what is left of the frame is cut off anyway.
int Nearest(double value) { return static_cast<int>(std::floor(value + 0.5)); }

constexpr float kPi = 3.14159265358979323846f;

// Of 255, from an opacity of 0 .. 1.
std::uint32_t ShareOf(double opacity) {
  return static_cast<std::uint32_t>(static_cast<int>(256 * opacity) * 255) >> 8;
}

void Put(std::uint32_t pixel, std::uint32_t& to) {
  if (pixel >= 0xff000000u) {
    to = pixel;
  } else if (pixel != 0) {
    to = Over(pixel, to);
  }
}

// What of a side of the frame is drawn, and which pixels of the picture go there.
struct Span {
  int begin, end;
  std::uint32_t first, step;  // of the picture, in 1/65536 of a pixel

  // From one edge to the other, which may be on the left of it: then the picture is mirrored. Qt
  // keeps an edge and the way to the other one, which is rounded. Its SSE2 code for pictures with
  // alpha counts in whole steps from the edge, its plain code rounds once.
  Span(double edge, double other, int picture, bool in_steps) {
    const double length = other - edge;
    const double from = length < 0 ? edge + length : edge;
    begin = std::max(Nearest(from), 0);
    end = std::min(Nearest(from + std::fabs(length)), kSide);
    const double scale = picture / length;
    const int pixel = static_cast<int>(in_steps ? 65536 / (length / picture) : 65536 * scale);
    const double middle = begin + 0.5 - from;
    const double offset = in_steps ? middle * pixel : middle * scale * 65536;
    step = static_cast<std::uint32_t>(pixel);
    first = length < 0 ? static_cast<std::uint32_t>(picture) * 65536 +
                             static_cast<std::uint32_t>(static_cast<int>(std::floor(offset)) + 1)
                       : static_cast<std::uint32_t>(static_cast<int>(std::ceil(offset)) - 1);
    // Rounding may lead the last one out of the picture.
    if (end > begin) {
      const auto last = first + static_cast<std::uint32_t>(end - begin - 1) * step;
      if (static_cast<int>(last >> 16) >= picture) --end;
    }
  }
};

}  // namespace

void Canvas::Fill(const Rect& rect, std::uint32_t color) {
  // A negative width leads to the left.
  const auto [left_edge, right_edge] = std::minmax({Nearest(rect.x), Nearest(rect.x + rect.width)});
  const int left = std::max(left_edge, 0), right = std::min(right_edge, kSide);
  const int top = std::max(Nearest(rect.y), 0);
  const int bottom = std::min(Nearest(rect.y + rect.height), kSide);
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) pixels_[static_cast<std::size_t>(y * kSide + x)] = color;
  }
}

void Canvas::Draw(const Rect& rect, const Image& image, double opacity) {
  if (rect.width <= 0 || rect.height <= 0) return;
  Scale(rect.x, rect.y, rect.x + rect.width, rect.y + rect.height, image, opacity);
}

void Canvas::Scale(double x_edge, double y_edge, double x_other, double y_other, const Image& image,
                   double opacity) {
  const bool in_steps = image.has_alpha && opacity == 1;
  const Span across(x_edge, x_other, image.width, in_steps);
  const Span down(y_edge, y_other, image.height, in_steps);
  if (across.begin >= across.end || down.begin >= down.end) return;
  const std::uint32_t share = ShareOf(opacity);
  std::uint32_t y = down.first;
  for (int row = down.begin; row < down.end; ++row, y += down.step) {
    const std::uint32_t* const from = image.row(static_cast<int>(y >> 16));
    std::uint32_t* const to = pixels_.data() + row * kSide;
    std::uint32_t x = across.first;
    if (image.opaque && opacity == 1) {
      for (int i = across.begin; i < across.end; ++i, x += across.step) to[i] = from[x >> 16];
    } else if (opacity == 1) {
      for (int i = across.begin; i < across.end; ++i, x += across.step) Put(from[x >> 16], to[i]);
    } else {
      for (int i = across.begin; i < across.end; ++i, x += across.step) {
        to[i] = Over(Times(from[x >> 16], share), to[i]);
      }
    }
  }
}

void Canvas::DrawRotated(const Rect& rect, const Image& image, float rotation, double opacity) {
  const double half_x = rect.width / 2, half_y = rect.height / 2;
  const double middle_x = rect.x + half_x, middle_y = rect.y + half_y;
  // A rectangle's far edges are its near ones and its sides.
  const double right = -half_x + rect.width, bottom = -half_y + rect.height;
  const auto degrees = static_cast<double>(rotation * 180 / kPi);
  double sine = 0, cosine = 0;
  if (degrees == 90 || degrees == -270) {
    sine = 1;
  } else if (degrees == 270 || degrees == -90) {
    sine = -1;
  } else if (degrees == 180 || degrees == -180) {
    // No turn but a scaling, with both sides the other way round.
    Scale(half_x + middle_x, half_y + middle_y, -right + middle_x, -bottom + middle_y, image,
          opacity);
    return;
  } else {
    const double radians = 0.017453292519943295769 * degrees;
    sine = std::sin(radians);
    cosine = std::cos(radians);
  }
  const auto corner = [&](double x, double y, double u, double v) {
    return Corner{cosine * x + -sine * y + middle_x, sine * x + cosine * y + middle_y, u, v};
  };
  Corner c[] = {corner(-half_x, -half_y, 0, 0), corner(right, -half_y, image.width, 0),
                corner(right, bottom, image.width, image.height),
                corner(-half_x, bottom, 0, image.height)};
  // From the uppermost corner around, the second one being the left neighbour.
  std::rotate(
      c, std::min_element(c, c + 4, [](const Corner& a, const Corner& b) { return a.y < b.y; }),
      c + 4);
  const auto cross = (c[1].x - c[0].x) * (c[3].y - c[0].y) - (c[3].x - c[0].x) * (c[1].y - c[0].y);
  if (cross > 0) std::swap(c[1], c[3]);
  // The plane of the picture over that of the canvas.
  const Corner a{c[1].x - c[0].x, c[1].y - c[0].y, c[1].u - c[0].u, c[1].v - c[0].v};
  const Corner b{c[2].x - c[0].x, c[2].y - c[0].y, c[2].u - c[0].u, c[2].v - c[0].v};
  const double area = a.x * b.y - a.y * b.x;
  if (area == 0) return;
  const double inverse = 1.0 / area;
  const double du_dx = (a.u * b.y - a.y * b.u) * inverse, du_dy = (a.x * b.u - a.u * b.x) * inverse;
  const double dv_dx = (a.v * b.y - a.y * b.v) * inverse, dv_dy = (a.x * b.v - a.v * b.x) * inverse;
  const double u = c[0].u - du_dx * c[0].x - du_dy * c[0].y;
  const double v = c[0].v - dv_dx * c[0].x - dv_dy * c[0].y;
  const auto fixed = [](double value) { return static_cast<int>(value * 0x10000); };
  const auto start = [](double value) { return static_cast<int>(std::ceil(value * 0x10000)) - 1; };
  const Sampling sampling{fixed(du_dx),
                          fixed(dv_dx),
                          fixed(du_dy),
                          fixed(dv_dy),
                          start(0.5 * du_dx + 0.5 * du_dy + u),
                          start(0.5 * dv_dx + 0.5 * dv_dy + v)};
  const std::uint32_t share = ShareOf(opacity);
  const bool solid = opacity == 1;
  const bool left_first = c[1].y < c[3].y;
  const double upper = std::min(c[1].y, c[3].y), lower = std::max(c[1].y, c[3].y);
  Slice(c[0], c[1], c[0], c[3], c[0].y, upper, sampling, image, share, solid);
  if (left_first) {
    Slice(c[1], c[2], c[0], c[3], upper, lower, sampling, image, share, solid);
  } else {
    Slice(c[0], c[1], c[3], c[2], upper, lower, sampling, image, share, solid);
  }
  Slice(c[1], c[2], c[3], c[2], lower, c[2].y, sampling, image, share, solid);
}

void Canvas::Slice(const Corner& left, const Corner& left_end, const Corner& right,
                   const Corner& right_end, double top, double bottom, const Sampling& sampling,
                   const Image& image, std::uint32_t share, bool solid) {
  const int begin = std::max(Nearest(top), 0), end = std::min(Nearest(bottom), kSide);
  if (begin >= end) return;
  struct Edge {
    int x, step;
    Edge(const Corner& from, const Corner& to, int row) {
      const double slope = (to.x - from.x) / (to.y - from.y);
      step = static_cast<int>(slope * 0x10000);
      x = static_cast<int>((from.x + (0.5 + row - from.y) * slope + 0.5) * 0x10000);
    }
  };
  Edge l(left, left_end, begin), r(right, right_end, begin);
  for (int y = begin; y < end; ++y, l.x += l.step, r.x += r.step) {
    const int from = std::max(l.x >> 16, 0), to = std::min(r.x >> 16, kSide);
    int u = from * sampling.du_dx + y * sampling.du_dy + sampling.u;
    int v = from * sampling.dv_dx + y * sampling.dv_dy + sampling.v;
    std::uint32_t* const line = pixels_.data() + y * kSide;
    for (int x = from; x < to; ++x, u += sampling.du_dx, v += sampling.dv_dx) {
      const std::uint32_t pixel = image.row(
          std::clamp(v >> 16, 0, image.height - 1))[std::clamp(u >> 16, 0, image.width - 1)];
      if (solid) {
        Put(pixel, line[x]);
      } else {
        line[x] = Over(Times(pixel, share), line[x]);
      }
    }
  }
}

void Canvas::Write(std::uint8_t* rgb) const {
  for (const std::uint32_t pixel : pixels_) {
    *rgb++ = static_cast<std::uint8_t>(pixel >> 16);
    *rgb++ = static_cast<std::uint8_t>(pixel >> 8);
    *rgb++ = static_cast<std::uint8_t>(pixel);
  }
}

}  // namespace envpool::procgen
