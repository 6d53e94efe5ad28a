// SPDX-License-Identifier: Apache-2.0
// A code for bytes most of which are zero: what is left of a screen when the line above, or the
// screen before, has been taken away.
//
//   std::string code;
//   EncodeZeroRuns(bytes, code);  // appends
//   std::string_view rest = code;
//   DecodeZeroRuns(rest, bytes);  // takes what it needs from the front of `rest`
//
// The code is pairs of counts, how many zeros and how many other bytes, each followed by those
// bytes. A count has seven bits in a byte, the lowest first; the eighth says that more follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace atari {

namespace detail {

inline void AppendCount(std::size_t count, std::string& code) {
  for (; count >= 0x80; count >>= 7) code.push_back(static_cast<char>(count | 0x80));
  code.push_back(static_cast<char>(count));
}

/// How many of the first bytes are zero.
inline std::size_t CountZeros(const std::uint8_t* data, std::size_t size) {
  std::size_t i = 0;
  std::uint64_t word = 0;
  for (; i + sizeof(word) <= size; i += sizeof(word)) {
    std::memcpy(&word, data + i, sizeof(word));
    if (word != 0) break;
  }
  while (i < size && data[i] == 0) ++i;
  return i;
}

/// How many bytes come before the next three zeros: fewer are cheaper to keep than to count.
inline std::size_t CountOthers(const std::uint8_t* data, std::size_t size) {
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < size; ++i) {
    zeros = data[i] == 0 ? zeros + 1 : 0;
    if (zeros == 3) return i - 2;
  }
  return size;
}

}  // namespace detail

/// Appends the code of `data` to `code`.
inline void EncodeZeroRuns(std::span<const std::uint8_t> data, std::string& code) {
  while (!data.empty()) {
    const std::size_t zeros = detail::CountZeros(data.data(), data.size());
    data = data.subspan(zeros);
    const std::size_t others = detail::CountOthers(data.data(), data.size());
    detail::AppendCount(zeros, code);
    detail::AppendCount(others, code);
    code.append(reinterpret_cast<const char*>(data.data()), others);
    data = data.subspan(others);
  }
}

/// Takes the bytes of `data` from the front of `code`, and what it took from `code`.
/// Throws std::out_of_range if the code is none of so many bytes.
inline void DecodeZeroRuns(std::string_view& code, std::span<std::uint8_t> data) {
  const auto take_count = [&code](std::size_t most) {
    std::size_t count = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (code.empty() || shift > 28) throw std::out_of_range("a count of pixels has no end");
      const auto byte = static_cast<std::uint8_t>(code[0]);
      code.remove_prefix(1);
      count |= static_cast<std::size_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) break;
    }
    if (count > most) throw std::out_of_range("more pixels than a screen has");
    return count;
  };
  std::memset(data.data(), 0, data.size());
  while (!data.empty()) {
    const std::size_t zeros = take_count(data.size());
    data = data.subspan(zeros);
    const std::size_t others = take_count(data.size());
    if (others > code.size()) throw std::out_of_range("fewer pixels than were counted");
    if (zeros + others == 0) throw std::out_of_range("a run of no pixels");
    for (std::size_t i = 0; i < others; ++i) {  // mostly a few: a call would take longer
      data[i] = static_cast<std::uint8_t>(code[i]);
    }
    code.remove_prefix(others);
    data = data.subspan(others);
  }
}

}  // namespace atari
