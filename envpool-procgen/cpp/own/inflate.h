// SPDX-License-Identifier: Apache-2.0
// Deflate, the compression inside of PNG files (RFC 1950 and 1951).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace envpool::procgen {

/// The contents of a zlib stream. Throws std::runtime_error where it is damaged, or has more than
/// `size` bytes. The checksum at its end is not looked at.
std::vector<std::uint8_t> Inflate(const std::uint8_t* data, std::size_t count, std::size_t size);

}  // namespace envpool::procgen
