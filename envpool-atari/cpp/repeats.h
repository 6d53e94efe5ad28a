// SPDX-License-Identifier: Apache-2.0
// A compression for bytes that repeat earlier bytes: screens, and machines a frame apart. It takes
// a few microseconds; a general compression takes a hundred.
//
//   const UsualDistances usual{.near = 84, .far = 84 * 84};  // a line, a screen
//   std::string code = EncodeRepeats(bytes, usual);
//   DecodeRepeats(code, bytes, usual);
//
// The code alternates literal bytes with repetitions of earlier bytes:
//
//   bit 7 6       5 4       3 2 1 0
//       distance  literals  length    literals, more of them  bytes  length, more of it  distance
//
// Distance 0 is the near distance, 1 the far distance, 2 is followed by a distance of one byte, 3
// by one of two bytes. 3 literals mean that a number of further literals follows, and length 15
// likewise a further length. These numbers have seven bits per byte, the lowest first; the eighth
// bit says that another byte follows.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace envpool::atari {

/// The distances at which repetitions are searched first; 1 or more.
struct UsualDistances {
  std::size_t near;
  std::size_t far;
};

namespace detail {

inline constexpr std::size_t kLeastLength = 3;  // of a repetition

/// Number of bytes from `at` on, before `end`, that equal the bytes `distance` before them.
inline std::size_t LengthOf(const char* at, std::size_t distance, const char* end) {
  const char* now = at;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  for (; end - now >= 8; now += 8) {
    std::memcpy(&a, now - distance, 8);
    std::memcpy(&b, now, 8);
    if (a == b) continue;
    static_assert(std::endian::native == std::endian::little);
    return static_cast<std::size_t>(now - at + std::countr_zero(a ^ b) / 8);
  }
  while (now != end && *now == *(now - distance)) ++now;
  return static_cast<std::size_t>(now - at);
}

/// Finds repetitions at the usual distances, and at the last place with the same four bytes.
class RepeatFinder {
 public:
  struct Repeat {
    std::size_t length = 0;  // 0: no repetition that saves bytes
    std::size_t distance = 0;
    unsigned kind = 0;
  };

  RepeatFinder(std::string_view bytes, const UsualDistances& usual)
      : begin_(bytes.data()), end_(begin_ + bytes.size()), usual_(usual) {}

  /// The repetition that begins at `at`. Four bytes at `at` must be readable, and `at` must
  /// increase from call to call.
  Repeat At(const char* at) {
    best_ = {};
    gain_ = kLeastLength - 1;
    Try(at, usual_.near, 0, 0);
    Try(at, usual_.far, 1, 0);
    if (best_.length >= kLong) return best_;
    std::uint32_t word = 0;
    std::memcpy(&word, at, 4);
    std::uint16_t& seen = seen_[word * 0x9E3779B1U >> 22];
    const auto distance = static_cast<std::uint16_t>(at - begin_ - seen);
    seen = static_cast<std::uint16_t>(at - begin_);
    if (distance > 0) Try(at, distance, distance <= 256 ? 2 : 3, distance <= 256 ? 1 : 2);
    return best_;
  }

 private:
  static constexpr std::size_t kLong = 64;  // a repetition of this length ends the search

  void Try(const char* at, std::size_t distance, unsigned kind, std::size_t cost) {
    if (distance > static_cast<std::size_t>(at - begin_)) return;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::memcpy(&a, at - distance, 4);
    std::memcpy(&b, at, 4);
    if (((a ^ b) & 0x00FFFFFFU) != 0) return;  // fewer than three equal bytes
    const std::size_t length = LengthOf(at, distance, end_);
    if (length <= gain_ + cost) return;
    gain_ = length - cost;
    best_ = {length, distance, kind};
  }

  const char* begin_;
  const char* end_;
  UsualDistances usual_;
  Repeat best_;
  std::size_t gain_ = 0;
  std::array<std::uint16_t, 1024> seen_{};  // low bits of places
};

}  // namespace detail

/// Encodes `bytes`. The code is at most slightly longer than `bytes`.
inline std::string EncodeRepeats(std::string_view bytes, const UsualDistances& usual) {
  thread_local std::vector<char> code;
  code.resize(bytes.size() + bytes.size() / 64 + 16);
  char* to = code.data();
  const auto put_count = [&to](std::size_t count) {
    for (; count >= 0x80; count >>= 7) *to++ = static_cast<char>(count | 0x80);
    *to++ = static_cast<char>(count);
  };
  const auto put = [&](const char* literal, std::size_t literals, std::size_t length, unsigned kind,
                       std::size_t distance) {
    *to++ = static_cast<char>(kind << 6 | std::min<std::size_t>(literals, 3) << 4 |
                              std::min<std::size_t>(length, 15));
    if (literals >= 3) put_count(literals - 3);
    to = std::copy_n(literal, literals, to);
    if (length >= 15) put_count(length - 15);
    if (kind >= 2) *to++ = static_cast<char>(distance - 1);
    if (kind == 3) *to++ = static_cast<char>((distance - 1) >> 8);
  };
  detail::RepeatFinder finder(bytes, usual);
  const char* const end = bytes.data() + bytes.size();
  const char* literal = bytes.data();
  for (const char* at = literal; end - at >= 4;) {
    const auto repeat = finder.At(at);
    if (repeat.length == 0) {
      at += std::min(1 + (at - literal) / 64, end - at);  // faster through literals
      continue;
    }
    put(literal, static_cast<std::size_t>(at - literal), repeat.length - detail::kLeastLength,
        repeat.kind, repeat.distance);
    literal = at += repeat.length;
  }
  if (literal != end) put(literal, static_cast<std::size_t>(end - literal), 0, 0, 0);
  return {code.data(), to};
}

/// Decodes into `bytes`. Throws std::out_of_range if the code does not have exactly bytes.size()
/// bytes.
inline void DecodeRepeats(std::string_view code, std::span<char> bytes,
                          const UsualDistances& usual) {
  const auto take = [&code]() -> std::size_t {
    if (code.empty()) throw std::out_of_range("a code of repetitions is too short");
    const auto byte = static_cast<std::uint8_t>(code.front());
    code.remove_prefix(1);
    return byte;
  };
  const auto take_count = [&take] {
    std::size_t count = 0;
    for (unsigned shift = 0; shift <= 28; shift += 7) {
      const std::size_t byte = take();
      count |= (byte & 0x7F) << shift;
      if (byte < 0x80) break;
    }
    return count;
  };
  char* to = bytes.data();
  char* const end = to + bytes.size();
  while (to != end) {
    const std::size_t token = take();
    std::size_t literals = token >> 4 & 3;
    if (literals == 3) literals += take_count();
    if (literals > code.size() || literals > static_cast<std::size_t>(end - to)) {
      throw std::out_of_range("a code of repetitions has too many bytes");
    }
    to = std::copy_n(code.begin(), literals, to);
    code.remove_prefix(literals);
    if (to == end) break;
    std::size_t length = detail::kLeastLength + (token & 15);
    if ((token & 15) == 15) length += take_count();
    std::size_t distance = token >> 6 == 0 ? usual.near : usual.far;
    if (token >= 0x80) distance = take() + 1;
    if (token >= 0xC0) distance += take() << 8;
    if (length > static_cast<std::size_t>(end - to) ||
        distance > static_cast<std::size_t>(to - bytes.data())) {
      throw std::out_of_range("a code of repetitions goes too far");
    }
    // If source and destination overlap, the repeated bytes double in each round.
    for (const char* from = to - distance; length > 0;) {
      const std::size_t count = std::min(length, static_cast<std::size_t>(to - from));
      to = std::copy_n(from, count, to);
      length -= count;
    }
  }
  if (!code.empty()) throw std::out_of_range("a code of repetitions is too long");
}

}  // namespace envpool::atari
