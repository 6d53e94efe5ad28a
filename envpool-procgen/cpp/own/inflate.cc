// SPDX-License-Identifier: Apache-2.0
#include "own/inflate.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace envpool::procgen {
namespace {

class Bits {
 public:
  Bits(const std::uint8_t* data, std::size_t count) : at_(data), end_(data + count) {}

  std::uint32_t Take(int count) {
    while (have_ < count) {
      if (at_ == end_) throw std::runtime_error("a picture that is cut off");
      held_ |= std::uint64_t{*at_++} << have_;
      have_ += 8;
    }
    const auto bits = static_cast<std::uint32_t>(held_ & ((std::uint64_t{1} << count) - 1));
    held_ >>= count;
    have_ -= count;
    return bits;
  }
  void ToByte() {
    held_ >>= have_ % 8;
    have_ -= have_ % 8;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::uint64_t held_ = 0;
  int have_ = 0;
};

// A canonical Huffman code: how many words there are of each length, and symbols in their order.
class Code {
 public:
  explicit Code(const std::vector<std::uint8_t>& lengths) {
    for (std::uint8_t length : lengths) ++count_[length];
    count_[0] = 0;
    std::array<int, 17> next{};
    for (std::size_t i = 1; i < 16; ++i) next[i + 1] = next[i] + count_[i];
    symbols_.resize(static_cast<std::size_t>(next[16]));
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      if (lengths[symbol] == 0) continue;
      symbols_[static_cast<std::size_t>(next[lengths[symbol]]++)] =
          static_cast<std::uint16_t>(symbol);
    }
  }
  int Read(Bits& bits) const {
    int word = 0, first = 0, index = 0;
    for (std::size_t length = 1; length < 16; ++length) {
      word |= static_cast<int>(bits.Take(1));
      const int count = count_[length];
      if (word - first < count) return symbols_[static_cast<std::size_t>(index + word - first)];
      index += count;
      first = (first + count) * 2;
      word *= 2;
    }
    throw std::runtime_error("a picture with a word that is in no code");
  }

 private:
  std::array<int, 16> count_{};
  std::vector<std::uint16_t> symbols_;
};

constexpr std::uint16_t kLengthBase[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                         15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                         67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::uint8_t kLengthBits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                        2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::uint16_t kDistanceBase[] = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
constexpr std::uint8_t kDistanceBits[] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                          6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
constexpr std::uint8_t kOrder[] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                   11, 4,  12, 3, 13, 2, 14, 1, 15};

// The lengths of two codes, which are compressed themselves.
std::pair<Code, Code> ReadCodes(Bits& bits) {
  const std::size_t literals = bits.Take(5) + 257, distances = bits.Take(5) + 1;
  const std::size_t orders = bits.Take(4) + 4;
  std::vector<std::uint8_t> lengths(19);
  for (std::size_t i = 0; i < orders; ++i) {
    lengths[kOrder[i]] = static_cast<std::uint8_t>(bits.Take(3));
  }
  const Code code(lengths);
  lengths.clear();
  while (lengths.size() < literals + distances) {
    const int symbol = code.Read(bits);
    if (symbol < 16) {
      lengths.push_back(static_cast<std::uint8_t>(symbol));
      continue;
    }
    if (symbol == 16 && lengths.empty()) throw std::runtime_error("a picture with a bad code");
    const std::uint8_t value = symbol == 16 ? lengths.back() : std::uint8_t{0};
    const std::size_t repeats = symbol == 16   ? 3 + bits.Take(2)
                                : symbol == 17 ? 3 + bits.Take(3)
                                               : 11 + bits.Take(7);
    lengths.insert(lengths.end(), repeats, value);
  }
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(literals);
  return {Code({lengths.begin(), middle}),
          Code({middle, middle + static_cast<std::ptrdiff_t>(distances)})};
}

std::pair<Code, Code> FixedCodes() {
  std::vector<std::uint8_t> lengths(288, 8);
  std::fill(lengths.begin() + 144, lengths.begin() + 256, std::uint8_t{9});
  std::fill(lengths.begin() + 256, lengths.begin() + 280, std::uint8_t{7});
  return {Code(lengths), Code(std::vector<std::uint8_t>(30, 5))};
}

}  // namespace

std::vector<std::uint8_t> Inflate(const std::uint8_t* data, std::size_t count, std::size_t size) {
  if (count < 2) throw std::runtime_error("a picture that is cut off");
  Bits bits(data + 2, count - 2);
  std::vector<std::uint8_t> out;
  out.reserve(size);
  const auto room = [&](std::size_t more) {
    if (out.size() + more > size) throw std::runtime_error("a picture with too many bytes");
  };
  for (bool last = false; !last;) {
    last = bits.Take(1) != 0;
    const std::uint32_t kind = bits.Take(2);
    if (kind == 0) {
      bits.ToByte();
      const std::size_t length = bits.Take(16);
      bits.Take(16);
      room(length);
      for (std::size_t i = 0; i < length; ++i) {
        out.push_back(static_cast<std::uint8_t>(bits.Take(8)));
      }
      continue;
    }
    if (kind == 3) throw std::runtime_error("a picture with an unknown block");
    const auto [literals, distances] = kind == 1 ? FixedCodes() : ReadCodes(bits);
    for (;;) {
      const int symbol = literals.Read(bits);
      if (symbol == 256) break;
      if (symbol < 256) {
        room(1);
        out.push_back(static_cast<std::uint8_t>(symbol));
        continue;
      }
      const auto l = static_cast<std::size_t>(symbol - 257);
      if (l >= std::size(kLengthBase)) throw std::runtime_error("a picture with a bad length");
      const std::size_t length = kLengthBase[l] + bits.Take(kLengthBits[l]);
      const auto d = static_cast<std::size_t>(distances.Read(bits));
      if (d >= std::size(kDistanceBase)) throw std::runtime_error("a picture with a bad distance");
      const std::size_t distance = kDistanceBase[d] + bits.Take(kDistanceBits[d]);
      if (distance > out.size()) throw std::runtime_error("a picture with a bad distance");
      room(length);
      for (std::size_t i = 0; i < length; ++i) out.push_back(out[out.size() - distance]);
    }
  }
  return out;
}

}  // namespace envpool::procgen
