// SPDX-License-Identifier: Apache-2.0
// drawing/sprite.h behind plain C functions, for tests through ctypes.

#include <cstdint>
#include <cstring>

#include "envpool/drawing/sprite.h"

namespace drawing = envpool::drawing;

namespace {

drawing::Sprite sprite({0, 0});

void Write(const drawing::Sprite& from, std::uint8_t* rgba, int* size) {
  size[0] = from.size().width;
  size[1] = from.size().height;
  if (rgba == nullptr) return;
  // A sprite has no getter for pixels: what it copies onto two canvases is opaque.
  const drawing::Size whole = from.size();
  std::vector<std::uint8_t> dark(whole.Bytes(), 0), light(whole.Bytes(), 255);
  from.BlitTo(drawing::Canvas(dark.data(), whole), {0, 0});
  from.BlitTo(drawing::Canvas(light.data(), whole), {0, 0});
  for (std::size_t i = 0; i < whole.Pixels(); ++i) {
    const bool opaque = std::memcmp(&dark[3 * i], &light[3 * i], 3) == 0;
    std::memcpy(rgba + 4 * i, &dark[3 * i], 3);
    rgba[4 * i + 3] = opaque ? 255 : 0;
  }
}

}  // namespace

extern "C" {

/// Begins a sprite.
void SpriteNew(int width, int height) { sprite = drawing::Sprite({width, height}); }
/// Draws a rectangle of a colour, or its outline.
void SpriteRectangle(int outline, int x, int y, int width, int height, int r, int g, int b) {
  const drawing::Rgb color{static_cast<std::uint8_t>(r), static_cast<std::uint8_t>(g),
                           static_cast<std::uint8_t>(b)};
  if (outline != 0) {
    sprite.Frame(x, y, {width, height}, color);
  } else {
    sprite.Rectangle(x, y, {width, height}, color);
  }
}
/// The size of the sprite turned, and its pixels where there is room for them.
void SpriteTurned(float degrees, std::uint8_t* rgba, int* size) {
  Write(sprite.Rotated(degrees), rgba, size);
}
/// The sprite, turned, on a picture.
void SpriteOnPicture(int x, int y, double degrees, std::uint8_t* rgb, int width, int height) {
  const drawing::Canvas canvas(rgb, {width, height});
  drawing::BlitRotated(canvas, sprite, {x, y}, degrees);
}
/// The sprite, turned, on a larger sprite.
void SpriteOnSprite(int x, int y, double degrees, int side, std::uint8_t* rgba) {
  drawing::Sprite target({side, side});
  drawing::BlitRotated(target, sprite, {x, y}, degrees);
  int size[2];
  Write(target, rgba, size);
}
}
