// SPDX-License-Identifier: Apache-2.0
#include "picture.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace envpool::vizdoom {

std::pair<int, int> PictureSize(const Scenario& scenario, int width, int height) {
  if (width == 0 && height == 0) return {scenario.width, scenario.height};
  if (width == 0) return {std::max(1, height * scenario.width / scenario.height), height};
  if (height == 0) return {width, std::max(1, width * scenario.height / scenario.width)};
  return {width, height};
}

void DrawPicture(const Scenario& scenario, const Engine& engine, drawing::Size size,
                 unsigned char* rgb) {
  const int channels = scenario.channels();
  const bool palette = scenario.format == ScreenFormat::kPalette;
  const Resize resize(palette ? Resize::Method::kNearest : Resize::Method::kArea,
                      {scenario.width, scenario.height}, size);
  std::vector<std::uint8_t> planes(static_cast<std::size_t>(channels) * size.Pixels());
  Resize::Scratch scratch;
  resize(engine.memory().screen().data(), channels, planes.data(), scratch);
  for (std::size_t color = 0; color < 3; ++color) {
    const std::size_t plane = channels == 1                                 ? 0
                              : scenario.format == ScreenFormat::kBgrPlanes ? 2 - color
                                                                            : color;
    const std::uint8_t* const from = planes.data() + plane * size.Pixels();
    for (std::size_t i = 0; i < size.Pixels(); ++i) rgb[3 * i + color] = from[i];
  }
}

}  // namespace envpool::vizdoom
