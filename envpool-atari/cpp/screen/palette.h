// SPDX-License-Identifier: Apache-2.0
// The colors of the screen: the color of each byte (hue in the high nibble, brightness in bits 1-3)
// on an NTSC and on a PAL television.
//
//   const atari::Palette& palette = atari::kNtscPalette;
//   uint8_t bright = palette.gray[screen[y * 160 + x]];
//
// The colors are those of ale-py 0.12.1, measured by programs for the console that paint every
// color. ALE's setting `palette` ("standard" or "z26") changes nothing. No setting and no signal of
// any length makes ALE choose SECAM, so SECAM is absent. Bit 0 marks a PAL frame with an odd number
// of lines, in which a television loses the color. No NTSC screen has bit 0: the odd entries of
// NTSC follow the same rule but are not measured.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace envpool::atari {

/// The colors of the 256 values of a byte of the screen.
struct Palette {
  std::array<std::uint8_t, 256> red, green, blue, gray;
};

namespace detail {

/// 0xRRGGBB, a line per hue, from dark to bright.
inline constexpr std::array<std::uint32_t, 128> kNtscColors{
    0x000000, 0x4a4a4a, 0x6f6f6f, 0x8e8e8e, 0xaaaaaa, 0xc0c0c0, 0xd6d6d6, 0xececec,  // hue 0
    0x484800, 0x69690f, 0x86861d, 0xa2a22a, 0xbbbb35, 0xd2d240, 0xe8e84a, 0xfcfc54,  // hue 1
    0x7c2c00, 0x904811, 0xa26221, 0xb47a30, 0xc3903d, 0xd2a44a, 0xdfb755, 0xecc860,  // hue 2
    0x901c00, 0xa33915, 0xb55328, 0xc66c3a, 0xd5824a, 0xe39759, 0xf0aa67, 0xfcbc74,  // hue 3
    0x940000, 0xa71a1a, 0xb83232, 0xc84848, 0xd65c5c, 0xe46f6f, 0xf08080, 0xfc9090,  // hue 4
    0x840064, 0x97197a, 0xa8308f, 0xb846a2, 0xc659b3, 0xd46cc3, 0xe07cd2, 0xec8ce0,  // hue 5
    0x500084, 0x68199a, 0x7d30ad, 0x9246c0, 0xa459d0, 0xb56ce0, 0xc57cee, 0xd48cfc,  // hue 6
    0x140090, 0x331aa3, 0x4e32b5, 0x6848c6, 0x7f5cd5, 0x956fe3, 0xa980f0, 0xbc90fc,  // hue 7
    0x000094, 0x181aa7, 0x2d32b8, 0x4248c8, 0x545cd6, 0x656fe4, 0x7580f0, 0x8490fc,  // hue 8
    0x001c88, 0x183b9d, 0x2d57b0, 0x4272c2, 0x548ad2, 0x65a0e1, 0x75b5ef, 0x84c8fc,  // hue 9
    0x003064, 0x185080, 0x2d6d98, 0x4288b0, 0x54a0c5, 0x65b7d9, 0x75cceb, 0x84e0fc,  // hue 10
    0x004030, 0x18624e, 0x2d8169, 0x429e82, 0x54b899, 0x65d1ae, 0x75e7c2, 0x84fcd4,  // hue 11
    0x004400, 0x1a661a, 0x328432, 0x48a048, 0x5cba5c, 0x6fd26f, 0x80e880, 0x90fc90,  // hue 12
    0x143c00, 0x355f18, 0x527e2d, 0x6e9c42, 0x87b754, 0x9ed065, 0xb4e775, 0xc8fc84,  // hue 13
    0x303800, 0x505916, 0x6d762b, 0x88923e, 0xa0ab4f, 0xb7c25f, 0xccd86e, 0xe0ec7c,  // hue 14
    0x482c00, 0x694d14, 0x866a26, 0xa28638, 0xbb9f47, 0xd2b656, 0xe8cc63, 0xfce070,  // hue 15
};

/// As kNtscColors.
inline constexpr std::array<std::uint32_t, 128> kPalColors{
    0x000000, 0x2b2b2b, 0x525252, 0x767676, 0x979797, 0xb6b6b6, 0xd2d2d2, 0xececec,  // hue 0
    0x000000, 0x2b2b2b, 0x525252, 0x767676, 0x979797, 0xb6b6b6, 0xd2d2d2, 0xececec,  // hue 1
    0x805800, 0x96711a, 0xab8732, 0xbe9c48, 0xcfaf5c, 0xdfc06f, 0xeed180, 0xfce090,  // hue 2
    0x445c00, 0x5e791a, 0x769332, 0x8cac48, 0xa0c25c, 0xb3d76f, 0xc4ea80, 0xd4fc90,  // hue 3
    0x703400, 0x89511a, 0xa06b32, 0xb68448, 0xc99a5c, 0xdcaf6f, 0xecc280, 0xfcd490,  // hue 4
    0x006414, 0x1a8035, 0x329852, 0x48b06e, 0x5cc587, 0x6fd99e, 0x80ebb4, 0x90fcc8,  // hue 5
    0x700014, 0x891a35, 0xa03252, 0xb6486e, 0xc95c87, 0xdc6f9e, 0xec80b4, 0xfc90c8,  // hue 6
    0x005c5c, 0x1a7676, 0x328e8e, 0x48a4a4, 0x5cb8b8, 0x6fcbcb, 0x80dcdc, 0x90ecec,  // hue 7
    0x70005c, 0x841a74, 0x963289, 0xa8489e, 0xb75cb0, 0xc66fc1, 0xd380d1, 0xe090e0,  // hue 8
    0x003c70, 0x195a89, 0x2f75a0, 0x448eb6, 0x57a5c9, 0x68badc, 0x79ceec, 0x88e0fc,  // hue 9
    0x580070, 0x6e1a89, 0x8332a0, 0x9648b6, 0xa75cc9, 0xb76fdc, 0xc680ec, 0xd490fc,  // hue 10
    0x002070, 0x193f89, 0x2f5aa0, 0x4474b6, 0x578bc9, 0x68a1dc, 0x79b5ec, 0x88c8fc,  // hue 11
    0x340080, 0x4a1a96, 0x5f32ab, 0x7248be, 0x835ccf, 0x936fdf, 0xa280ee, 0xb090fc,  // hue 12
    0x000088, 0x1a1a9d, 0x3232b0, 0x4848c2, 0x5c5cd2, 0x6f6fe1, 0x8080ef, 0x9090fc,  // hue 13
    0x000000, 0x2b2b2b, 0x525252, 0x767676, 0x979797, 0xb6b6b6, 0xd2d2d2, 0xececec,  // hue 14
    0x000000, 0x2b2b2b, 0x525252, 0x767676, 0x979797, 0xb6b6b6, 0xd2d2d2, 0xececec,  // hue 15
};

/// The brightness 0.2989 R + 0.5870 G + 0.1140 B, rounded.
constexpr std::uint8_t Gray(std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
  return static_cast<std::uint8_t>((2989 * red + 5870 * green + 1140 * blue + 5000) / 10000);
}

constexpr Palette MakePalette(const std::array<std::uint32_t, 128>& colors) {
  Palette palette{};
  for (std::size_t i = 0; i < 256; i += 2) {
    const std::uint32_t color = colors[i / 2];
    palette.red[i] = static_cast<std::uint8_t>(color >> 16);
    palette.green[i] = static_cast<std::uint8_t>(color >> 8);
    palette.blue[i] = static_cast<std::uint8_t>(color);
    palette.gray[i] = Gray(palette.red[i], palette.green[i], palette.blue[i]);
    // A pixel without color keeps its brightness. For gray observations ALE uses the blue of the
    // next color.
    palette.red[i + 1] = palette.green[i + 1] = palette.blue[i + 1] = palette.gray[i];
    palette.gray[i + 1] = static_cast<std::uint8_t>(colors[(i / 2 + 1) % 128]);
  }
  return palette;
}

}  // namespace detail

inline constexpr Palette kNtscPalette = detail::MakePalette(detail::kNtscColors);
inline constexpr Palette kPalPalette = detail::MakePalette(detail::kPalColors);

}  // namespace envpool::atari
