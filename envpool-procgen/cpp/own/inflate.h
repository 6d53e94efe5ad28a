// SPDX-License-Identifier: Apache-2.0
// Inflate: decompresses data with the system's zlib.
//
// Worker threads read images in the step that shows them first, where they may not call Python's
// zlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace envpool::procgen {

/// Decompresses to exactly `size` bytes. Throws std::runtime_error if the data is damaged, or if
/// the system has no zlib.
std::vector<std::uint8_t> Inflate(const std::vector<std::uint8_t>& data, std::size_t size);

}  // namespace envpool::procgen
