// SPDX-License-Identifier: Apache-2.0
// A set of the 160 pixels of a line, and the masks of the TIA's objects.
//
//   Mask player = PlayerMask(0b00111100, /*nusiz=*/3, /*position=*/40, /*first_copy=*/true);
//   if ((player & PlayfieldMask(0xF0, 0xFF, 0x00, false)).any()) ...  // they touch
//
// Bit i of word w is pixel 64 * w + i; the upper 32 bits of the last word are always 0.
#ifndef ENVPOOL_ATARI_CONSOLE_MASK_H_
#define ENVPOOL_ATARI_CONSOLE_MASK_H_

#include <array>
#include <cstdint>

namespace envpool::atari {

struct Mask {
  std::uint64_t w[3];

  bool any() const { return (w[0] | w[1] | w[2]) != 0; }
  friend Mask operator&(const Mask& a, const Mask& b) {
    return {{a.w[0] & b.w[0], a.w[1] & b.w[1], a.w[2] & b.w[2]}};
  }
  friend Mask operator|(const Mask& a, const Mask& b) {
    return {{a.w[0] | b.w[0], a.w[1] | b.w[1], a.w[2] | b.w[2]}};
  }
  bool Meets(const Mask& other) const { return (*this & other).any(); }
};

namespace detail {

constexpr std::array<Mask, 161> MakeBelow() {
  std::array<Mask, 161> table{};
  for (std::size_t x = 0; x <= 160; ++x) {
    for (std::size_t i = 0; i < x; ++i) table[x].w[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  return table;
}
inline constexpr std::array<Mask, 161> kBelow = MakeBelow();

// Entry g is graphics byte g, whose bit 7 is its leftmost pixel, with every pixel `width` wide.
template <int width>
constexpr std::array<std::uint32_t, 256> MakeWide() {
  std::array<std::uint32_t, 256> table{};
  for (std::size_t g = 0; g < 256; ++g) {
    for (int i = 0; i < 8 * width; ++i) {
      if (g >> (7 - i / width) & 1) table[g] |= std::uint32_t{1} << i;
    }
  }
  return table;
}
inline constexpr std::array<std::uint32_t, 256> kWide1 = MakeWide<1>();
inline constexpr std::array<std::uint32_t, 256> kWide2 = MakeWide<2>();
inline constexpr std::array<std::uint32_t, 256> kWide4 = MakeWide<4>();

constexpr std::uint8_t Reverse(std::uint8_t g) { return static_cast<std::uint8_t>(kWide1[g]); }

// A shape of up to 72 pixels, put at a pixel. Pixels beyond the right end enter on the left.
inline Mask Place(std::uint64_t low, std::uint64_t high, int position) {
  const int shift = position & 63;
  const std::uint64_t first = low << shift;
  const std::uint64_t second = low >> 1 >> (63 - shift) | high << shift;
  const std::uint64_t third = high >> 1 >> (63 - shift);
  constexpr std::uint64_t kLow32 = 0xFFFFFFFF;
  // A switch, not a store of words at an index: a load of two words at once would wait for both
  // stores.
  switch (position >> 6) {
    case 0:
      return {{first, second, third}};
    case 1:
      return {{second >> 32 | third << 32, first, second & kLow32}};
    default:
      return {{first >> 32 | second << 32, second >> 32 | third << 32, first & kLow32}};
  }
}

// The places of the second and third copies for NUSIZ & 7, as a factor: bit i of the 128 bits is a
// copy i pixels to the right of the first.
struct Copies {
  std::uint64_t low, high;
};
inline constexpr std::array<Copies, 8> kCopies = {{
    {1, 0},
    {1 | 1 << 16, 0},
    {1 | std::uint64_t{1} << 32, 0},
    {1 | 1 << 16 | std::uint64_t{1} << 32, 0},
    {1, 1},
    {1, 0},
    {1 | std::uint64_t{1} << 32, 1},
    {1, 0},
}};

inline Mask PlaceCopies(std::uint32_t shape, int nusiz, int position, bool first_copy) {
  const Copies copies = kCopies[nusiz & 7];
  const std::uint64_t low = first_copy ? copies.low : copies.low & ~std::uint64_t{1};
  return Place(shape * low, shape * copies.high, position);
}

}  // namespace detail

// Pixels left of x, 0 <= x <= 160.
inline const Mask& Below(int x) { return detail::kBelow[static_cast<std::size_t>(x)]; }

// Pixels from begin to end - 1.
inline Mask Between(int begin, int end) {
  const Mask& a = Below(begin);
  const Mask& b = Below(end);
  return {{b.w[0] & ~a.w[0], b.w[1] & ~a.w[1], b.w[2] & ~a.w[2]}};
}

// A player whose leftmost pixel is bit 7 of graphics. Wide players come one pixel later.
inline Mask PlayerMask(std::uint8_t graphics, int nusiz, int position, bool first_copy) {
  switch (nusiz & 7) {
    case 5:
      return detail::PlaceCopies(detail::kWide2[graphics], nusiz, (position + 1) % 160, first_copy);
    case 7:
      return detail::PlaceCopies(detail::kWide4[graphics], nusiz, (position + 1) % 160, first_copy);
    default:
      return detail::PlaceCopies(detail::kWide1[graphics], nusiz, position, first_copy);
  }
}

// A missile, or the ball with nusiz 0. log2_width: 0-3.
inline Mask MissileMask(int log2_width, int nusiz, int position) {
  return detail::PlaceCopies((1u << (1 << log2_width)) - 1, nusiz, position, true);
}

// The playfield of PF0, PF1, PF2: 20 blocks of 4 pixels, repeated or mirrored on the right.
inline Mask PlayfieldMask(std::uint8_t pf0, std::uint8_t pf1, std::uint8_t pf2, bool mirrored) {
  using detail::kWide4;
  using detail::Reverse;
  // PF0 and PF2 have their leftmost block in their lowest bit, PF1 in its highest.
  const std::uint64_t block0 = kWide4[Reverse(pf0)] >> 16;
  const std::uint64_t block2 = kWide4[Reverse(pf2)];
  const std::uint64_t block1 = kWide4[pf1];
  const std::uint64_t low = block0 | block1 << 16 | block2 << 48;  // 80 pixels of the left half
  const std::uint64_t high = block2 >> 16;
  if (!mirrored) return {{low, high | low << 16, low >> 48 | high << 16}};
  const std::uint64_t mirror2 = kWide4[pf2];
  const std::uint64_t mirror1 = kWide4[Reverse(pf1)];
  const std::uint64_t mirror0 = kWide4[pf0] & 0xFFFF;
  // The right half is PF2, PF1, PF0.
  return {{low, high | mirror2 << 16 | mirror1 << 48, mirror1 >> 16 | mirror0 << 16}};
}

}  // namespace envpool::atari

#endif  // ENVPOOL_ATARI_CONSOLE_MASK_H_
