// SPDX-License-Identifier: Apache-2.0
#include "own/image.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "envpool/error.h"
#include "own/inflate.h"

namespace envpool::procgen {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Kinds of colors, as the header of a file names them.
enum Kind : int { kRgb = 2, kPalette = 3, kRgbAlpha = 6 };

[[noreturn]] void Refuse(const char* got) { throw std::runtime_error(got); }

std::uint32_t Number(const Bytes& bytes, std::size_t at) {
  if (at + 4 > bytes.size()) Refuse("a file that is cut off");
  return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 |
         std::uint32_t{bytes[at + 2]} << 8 | bytes[at + 3];
}

// The chunks of a file, with compressed data.
struct Parts {
  int width = 0, height = 0, bits = 0, kind = 0;
  Bytes data, palette, alpha;

  std::size_t channels() const { return kind == kRgb ? 3 : kind == kRgbAlpha ? 4 : 1; }
  std::size_t row_bytes() const {
    return (static_cast<std::size_t>(width) * channels() * static_cast<std::size_t>(bits) + 7) / 8;
  }
};

Parts Split(const Bytes& file) {
  constexpr std::array<std::uint8_t, 8> kMagic = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  constexpr std::uint32_t kMostPixels = 1 << 14;  // of a side
  if (file.size() < kMagic.size() || !std::equal(kMagic.begin(), kMagic.end(), file.begin())) {
    Refuse("no PNG file");
  }
  Parts parts;
  for (std::size_t at = kMagic.size();;) {
    const std::size_t size = Number(file, at);
    const std::string name(
        file.begin() + static_cast<std::ptrdiff_t>(at) + 4,
        file.begin() + static_cast<std::ptrdiff_t>(std::min(at + 8, file.size())));
    at += 8;
    if (at + size > file.size()) Refuse("a file that is cut off");
    const auto begin = file.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + static_cast<std::ptrdiff_t>(size);
    if (name == "IHDR") {
      const std::uint32_t width = Number(file, at), height = Number(file, at + 4);
      if (size < 13 || width == 0 || height == 0 || width > kMostPixels || height > kMostPixels) {
        Refuse("a size that no image has");
      }
      parts.width = static_cast<int>(width);
      parts.height = static_cast<int>(height);
      parts.bits = begin[8];
      parts.kind = begin[9];
      const bool known =
          parts.kind == kPalette
              ? parts.bits == 1 || parts.bits == 2 || parts.bits == 4 || parts.bits == 8
              : (parts.kind == kRgb || parts.kind == kRgbAlpha) && parts.bits == 8;
      if (!known || begin[12] != 0) Refuse("a PNG file of a kind that is not read");
    } else if (name == "PLTE") {
      parts.palette.assign(begin, end);
    } else if (name == "tRNS") {
      parts.alpha.assign(begin, end);
    } else if (name == "IDAT") {
      parts.data.insert(parts.data.end(), begin, end);
    } else if (name == "IEND") {
      if (parts.width == 0) Refuse("a file without a size");
      return parts;
    }
    at += size + 4;  // and its checksum
  }
}

int PaethGuess(int left, int above, int corner) {
  const int guess = left + above - corner;
  const int to_left = std::abs(guess - left), to_above = std::abs(guess - above);
  const int to_corner = std::abs(guess - corner);
  if (to_left <= to_above && to_left <= to_corner) return left;
  return to_above <= to_corner ? above : corner;
}

// Takes back the filter of a row: each byte was written less a guess from its neighbours.
void Unfilter(int filter, std::uint8_t* row, const std::uint8_t* above, std::size_t size,
              std::size_t step) {
  const auto add = [&](const auto& guess) {
    for (std::size_t i = 0; i < std::min(step, size); ++i) {
      row[i] = static_cast<std::uint8_t>(row[i] + guess(0, above[i], 0));
    }
    for (std::size_t i = step; i < size; ++i) {
      row[i] = static_cast<std::uint8_t>(row[i] + guess(row[i - step], above[i], above[i - step]));
    }
  };
  switch (filter) {
    case 0:
      return;
    case 1:
      return add([](int left, int, int) { return left; });
    case 2:
      return add([](int, int up, int) { return up; });
    case 3:
      return add([](int left, int up, int) { return (left + up) / 2; });
    case 4:
      return add(PaethGuess);
    default:
      Refuse("a filter that does not exist");
  }
}

constexpr Pixel kOpaque = 0xff000000;

// The pixel with its color as the file has it.
Pixel Join(const std::uint8_t* rgb, Pixel alpha) {
  return alpha << 24 | Pixel{rgb[0]} << 16 | Pixel{rgb[1]} << 8 | Pixel{rgb[2]};
}

Pixel FromPalette(const Parts& parts, const std::uint8_t* row, std::size_t x) {
  const auto bits = static_cast<std::size_t>(parts.bits);
  const std::size_t shift = 8 - bits - x * bits % 8;
  const std::size_t index = row[x * bits / 8] >> shift & ((1u << bits) - 1);
  if (3 * index + 2 >= parts.palette.size()) Refuse("a color that is not in its palette");
  return Join(parts.palette.data() + 3 * index,
              index < parts.alpha.size() ? parts.alpha[index] : Pixel{255});
}

// Reads a row; returns whether all of it is opaque.
bool ReadRow(const Parts& parts, const std::uint8_t* row, Alpha alpha, Pixel* to) {
  const auto width = static_cast<std::size_t>(parts.width);
  Pixel all = kOpaque;
  const auto read = [&](const auto& pixel_at) {
    for (std::size_t x = 0; x < width; ++x) {
      Pixel pixel = pixel_at(x);
      if (alpha == Alpha::kIgnored) pixel |= kOpaque;
      all &= pixel;
      to[x] = pixel;
    }
  };
  if (parts.kind == kRgb) {
    read([&](std::size_t x) { return Join(row + 3 * x, 255); });
  } else if (parts.kind == kRgbAlpha) {
    read([&](std::size_t x) { return Join(row + 4 * x, row[4 * x + 3]); });
  } else {
    read([&](std::size_t x) { return FromPalette(parts, row, x); });
  }
  if (all >= kOpaque) return true;
  for (std::size_t x = 0; x < width; ++x) {
    to[x] = (to[x] & kOpaque) | Times(to[x] & ~kOpaque, to[x] >> 24);
  }
  return false;
}

Image Decode(const Bytes& file, Alpha alpha) {
  const Parts parts = Split(file);
  const std::size_t size = parts.row_bytes();
  Bytes rows = Inflate(parts.data, static_cast<std::size_t>(parts.height) * (size + 1));
  const std::size_t step = parts.bits < 8 ? 1 : parts.channels();
  const Bytes nothing(size);
  Image image{parts.width, parts.height, alpha == Alpha::kMultiplied, true, {}};
  image.pixels.resize(static_cast<std::size_t>(parts.width) *
                      static_cast<std::size_t>(parts.height));
  const std::uint8_t* above = nothing.data();
  for (std::size_t y = 0; y < static_cast<std::size_t>(parts.height); ++y) {
    std::uint8_t* const row = rows.data() + y * (size + 1) + 1;
    Unfilter(row[-1], row, above, size, step);
    if (!ReadRow(parts, row, alpha,
                 image.pixels.data() + y * static_cast<std::size_t>(parts.width))) {
      image.opaque = false;
    }
    above = row;
  }
  return image;
}

}  // namespace

Image ReadPng(const std::string& path, Alpha alpha) {
  try {
    std::ifstream file(path, std::ios::binary);
    if (!file) Refuse("no such file");
    Bytes bytes(std::filesystem::file_size(path));
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file) Refuse("a file that cannot be read");
    return Decode(bytes, alpha);
  } catch (const std::runtime_error& error) {
    throw Error(ErrorKind::kConfig, "the image " + path, error.what(),
                "an image of Procgen's package",
                "run `envpool procgen fetch`, or install its package again");
  }
}

Image Mirrored(const Image& image) {
  Image mirrored = image;
  for (auto row = mirrored.pixels.begin(); row != mirrored.pixels.end(); row += image.width) {
    std::reverse(row, row + image.width);
  }
  return mirrored;
}

}  // namespace envpool::procgen
