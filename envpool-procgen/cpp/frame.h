// SPDX-License-Identifier: Apache-2.0
// Frames from one layout to another.
#pragma once

#include <cstdint>

namespace envpool::procgen {

/// 64 x 64 x 3 bytes to 3 x 64 x 64.
void SplitPlanes(const std::uint8_t* rgb, std::uint8_t* planes);

/// A picture of `from` x `from` pixels to one of width x height, each pixel the mean of what it
/// covers.
void Scale(const std::uint8_t* rgb, int from, int width, int height, std::uint8_t* to);

}  // namespace envpool::procgen
