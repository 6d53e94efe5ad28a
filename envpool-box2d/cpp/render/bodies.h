// SPDX-License-Identifier: Apache-2.0
// Corners of Box2D's shapes in pixels, in float32, as pybox2d computes them.
#pragma once

#include <Box2D/Box2D.h>

#include <array>
#include <cstddef>
#include <span>

#include "envpool/drawing/shapes.h"
#include "envpool/drawing/strokes.h"

namespace envpool::box2d {

/// A polygon's corners, as fractions of pixels and as whole pixels.
struct Corners {
  std::array<drawing::SmoothPoint, b2_maxPolygonVertices + 1> exact;
  std::array<drawing::Point, b2_maxPolygonVertices + 1> pixels;
  std::size_t count = 0;

  std::span<const drawing::SmoothPoint> smooth() const { return {exact.data(), count}; }
  std::span<const drawing::Point> points() const { return {pixels.data(), count}; }
  void Add(b2Vec2 at) {
    exact[count] = {at.x, at.y};
    pixels[count++] = {drawing::ToPixel(at.x), drawing::ToPixel(at.y)};
  }
};

/// The corners of a polygon, or the two ends of an edge; `scale` is in pixels per m.
inline Corners CornersOf(const b2Fixture& fixture, float scale) {
  Corners corners;
  const b2Transform& transform = fixture.GetBody()->GetTransform();
  if (fixture.GetType() == b2Shape::e_edge) {
    const auto& edge = static_cast<const b2EdgeShape&>(*fixture.GetShape());
    for (const b2Vec2& end : {edge.m_vertex1, edge.m_vertex2}) {
      corners.Add(scale * b2Mul(transform, end));
    }
  } else {
    const auto& polygon = static_cast<const b2PolygonShape&>(*fixture.GetShape());
    for (int32 i = 0; i < polygon.m_count; ++i) {
      corners.Add(scale * b2Mul(transform, polygon.m_vertices[i]));
    }
  }
  return corners;
}

/// Draws pygame.draw.polygon, then pygame.gfxdraw.aapolygon.
inline void FillAndSmooth(const drawing::Canvas& scene, std::span<const drawing::Point> corners,
                          drawing::Rgb color) {
  drawing::DrawPolygon(scene, corners, color);
  drawing::PolygonOutline(scene, corners, color);
}

}  // namespace envpool::box2d
