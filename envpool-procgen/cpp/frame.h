// SPDX-License-Identifier: Apache-2.0
// Converts frames between layouts.
#pragma once

#include <cstdint>

namespace envpool::procgen {

/// Converts 64 x 64 x 3 bytes to 3 x 64 x 64.
void SplitPlanes(const std::uint8_t* rgb, std::uint8_t* planes);

/// Scales a picture of `from` x `from` pixels to width x height: each pixel is the mean of the
/// pixels it covers.
void Scale(const std::uint8_t* rgb, int from, int width, int height, std::uint8_t* to);

}  // namespace envpool::procgen
