// SPDX-License-Identifier: Apache-2.0
// Pages of memory in a saved state, without those that are all zeros.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "envpool/state_io.h"

namespace envpool::nethack {

inline constexpr std::size_t kPage = 4096;

inline void SavePages(const std::uint8_t* memory, std::size_t size, StateWriter& out) {
  std::string kept, pages;
  for (std::size_t at = 0; at < size; at += kPage) {
    const std::uint8_t* const page = memory + at;
    const std::size_t length = std::min(kPage, size - at);
    const bool zeros = std::all_of(page, page + length, [](std::uint8_t b) { return b == 0; });
    kept += zeros ? '0' : '1';
    if (!zeros) pages.append(reinterpret_cast<const char*>(page), length);
  }
  out.Write(kept, pages);
}

inline void LoadPages(std::uint8_t* memory, std::size_t size, StateReader& in) {
  std::string kept, pages;
  in.Read(kept, pages);
  if (kept.size() != (size + kPage - 1) / kPage) throw std::runtime_error("pages of other memory");
  const char* from = pages.data();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::size_t length = std::min(kPage, size - i * kPage);
    if (kept[i] == '0') {
      std::memset(memory + i * kPage, 0, length);
      continue;
    }
    if (length > static_cast<std::size_t>(pages.data() + pages.size() - from)) {
      throw std::runtime_error("fewer pages than a state says");
    }
    std::memcpy(memory + i * kPage, from, length);
    from += length;
  }
}

}  // namespace envpool::nethack
