// SPDX-License-Identifier: Apache-2.0
// Inflate: decompresses what zlib wrote (RFC 1950, RFC 1951).
//
// Ours, as an extension module must not be linked to a library that not every system has, and
// pictures are read by threads that may not ask Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace envpool::procgen {

/// Decompresses to exactly `size` bytes. Throws std::runtime_error where the data is damaged; the
/// checksum at its end is not read.
std::vector<std::uint8_t> Inflate(const std::vector<std::uint8_t>& data, std::size_t size);

}  // namespace envpool::procgen
