// SPDX-License-Identifier: Apache-2.0
#include "own/inflate.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace envpool::procgen {
namespace {

constexpr int kMostBits = 15;  // of a code

[[noreturn]] void Refuse() { throw std::runtime_error("compressed data that is damaged"); }

// The next bits, the lowest first. Behind the end there are zeros, a few of which may be looked at.
class Bits {
 public:
  explicit Bits(const std::vector<std::uint8_t>& data) : data_(data) {}

  std::uint32_t Peek(int count) {
    while (held_ < count) {
      if (at_ > data_.size() + sizeof(word_)) Refuse();
      word_ |= std::uint64_t{at_ < data_.size() ? data_[at_] : std::uint8_t{0}} << held_;
      ++at_;
      held_ += 8;
    }
    return static_cast<std::uint32_t>(word_ & ((std::uint64_t{1} << count) - 1));
  }
  void Skip(int count) {
    word_ >>= count;
    held_ -= count;
  }
  std::uint32_t Take(int count) {
    const std::uint32_t bits = Peek(count);
    Skip(count);
    return bits;
  }
  void SkipToByte() { Skip(held_ % 8); }

 private:
  const std::vector<std::uint8_t>& data_;
  std::size_t at_ = 0;
  std::uint64_t word_ = 0;
  int held_ = 0;
};

// A Huffman code: a table by the next bits, as many as the longest word has.
class Code {
 public:
  explicit Code(const std::vector<std::uint8_t>& lengths) {
    std::array<std::uint32_t, kMostBits + 2> next{};
    for (const std::uint8_t length : lengths) {
      if (length == 0) continue;
      ++next[length + std::size_t{1}];
      bits_ = std::max<int>(bits_, length);
    }
    for (std::size_t length = 1; length < next.size(); ++length) {
      next[length] = (next[length] + next[length - 1]) << (length > 1 ? 1 : 0);
    }
    entries_.resize(std::size_t{1} << bits_);
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      const int length = lengths[symbol];
      if (length == 0) continue;
      std::uint32_t word = next[static_cast<std::size_t>(length)]++, reversed = 0;
      if (word >> length != 0) Refuse();
      for (int bit = 0; bit < length; ++bit, word >>= 1) reversed = reversed << 1 | (word & 1);
      for (std::size_t at = reversed; at < entries_.size(); at += std::size_t{1} << length) {
        entries_[at] = {static_cast<std::uint16_t>(symbol), static_cast<std::uint8_t>(length)};
      }
    }
  }
  int Read(Bits& bits) const {
    const Entry entry = entries_[bits.Peek(bits_)];
    if (entry.length == 0) Refuse();
    bits.Skip(entry.length);
    return entry.symbol;
  }

 private:
  struct Entry {
    std::uint16_t symbol = 0;
    std::uint8_t length = 0;
  };
  int bits_ = 1;
  std::vector<Entry> entries_;
};

// A length or a distance: its smallest value and how many bits are added.
struct Range {
  int base, bits;
};
constexpr int kEndOfBlock = 256, kFirstLength = 257;
constexpr std::size_t kLengths = 29, kDistances = 30;

// Symbols in groups of 2^k, each group with a bit more than the group before.
template <std::size_t kCount>
constexpr std::array<Range, kCount> Ranges(int first, int group_bits) {
  std::array<Range, kCount> ranges{};
  int base = first;
  for (std::size_t i = 0; i < kCount; ++i) {
    const int group = static_cast<int>(i) >> group_bits;
    const int bits = group > 1 ? group - 1 : 0;
    ranges[i] = {base, bits};
    base += 1 << bits;
  }
  return ranges;
}
constexpr auto kLengthRanges = [] {
  auto ranges = Ranges<kLengths>(3, 2);
  ranges.back() = {258, 0};
  return ranges;
}();
constexpr auto kDistanceRanges = Ranges<kDistances>(1, 1);

int ReadRange(Bits& bits, const Range& range) {
  return range.base + static_cast<int>(bits.Take(range.bits));
}

struct Codes {
  Code lengths, distances;
};

Codes FixedCodes() {
  std::vector<std::uint8_t> lengths(288, 8);
  std::fill(lengths.begin() + 144, lengths.begin() + 256, std::uint8_t{9});
  std::fill(lengths.begin() + 256, lengths.begin() + 280, std::uint8_t{7});
  return {Code(lengths), Code(std::vector<std::uint8_t>(kDistances, 5))};
}

Codes ReadCodes(Bits& bits) {
  constexpr std::array<std::uint8_t, 19> kOrder = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                   11, 4,  12, 3, 13, 2, 14, 1, 15};
  const std::size_t literals = bits.Take(5) + 257, distances = bits.Take(5) + 1;
  const std::size_t given = bits.Take(4) + 4;
  std::vector<std::uint8_t> of_code(kOrder.size());
  for (std::size_t i = 0; i < given; ++i) {
    of_code[kOrder[i]] = static_cast<std::uint8_t>(bits.Take(3));
  }
  const Code code(of_code);
  std::vector<std::uint8_t> lengths;
  while (lengths.size() < literals + distances) {
    const int symbol = code.Read(bits);
    if (symbol < 16) {
      lengths.push_back(static_cast<std::uint8_t>(symbol));
      continue;
    }
    if (symbol == 16 && lengths.empty()) Refuse();
    const std::uint8_t value = symbol == 16 ? lengths.back() : std::uint8_t{0};
    const std::size_t count = symbol == 16   ? bits.Take(2) + 3
                              : symbol == 17 ? bits.Take(3) + 3
                                             : bits.Take(7) + 11;
    lengths.insert(lengths.end(), count, value);
  }
  if (lengths.size() > literals + distances) Refuse();
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(literals);
  return {Code({lengths.begin(), middle}), Code({middle, lengths.end()})};
}

void ReadBlock(Bits& bits, const Codes& codes, std::size_t size, std::vector<std::uint8_t>& out) {
  for (;;) {
    const int symbol = codes.lengths.Read(bits);
    if (symbol == kEndOfBlock) return;
    if (symbol < kEndOfBlock) {
      if (out.size() == size) Refuse();
      out.push_back(static_cast<std::uint8_t>(symbol));
      continue;
    }
    const auto which = static_cast<std::size_t>(symbol - kFirstLength);
    if (which >= kLengths) Refuse();
    const auto length = static_cast<std::size_t>(ReadRange(bits, kLengthRanges[which]));
    const auto far = static_cast<std::size_t>(codes.distances.Read(bits));
    if (far >= kDistances) Refuse();
    const auto distance = static_cast<std::size_t>(ReadRange(bits, kDistanceRanges[far]));
    if (distance > out.size() || length > size - out.size()) Refuse();
    // What is copied may overlap what is written.
    for (std::size_t i = 0; i < length; ++i) out.push_back(out[out.size() - distance]);
  }
}

void ReadStored(Bits& bits, std::size_t size, std::vector<std::uint8_t>& out) {
  bits.SkipToByte();
  const std::size_t length = bits.Take(16);
  bits.Take(16);  // its complement
  if (length > size - out.size()) Refuse();
  for (std::size_t i = 0; i < length; ++i) out.push_back(static_cast<std::uint8_t>(bits.Take(8)));
}

}  // namespace

std::vector<std::uint8_t> Inflate(const std::vector<std::uint8_t>& data, std::size_t size) {
  static const Codes fixed = FixedCodes();
  Bits bits(data);
  bits.Take(16);  // zlib's header: no dictionary, any window
  std::vector<std::uint8_t> out;
  out.reserve(size);
  for (bool last = false; !last;) {
    last = bits.Take(1) != 0;
    switch (bits.Take(2)) {
      case 0:
        ReadStored(bits, size, out);
        break;
      case 1:
        ReadBlock(bits, fixed, size, out);
        break;
      case 2:
        ReadBlock(bits, ReadCodes(bits), size, out);
        break;
      default:
        Refuse();
    }
  }
  if (out.size() != size) Refuse();
  return out;
}

}  // namespace envpool::procgen
