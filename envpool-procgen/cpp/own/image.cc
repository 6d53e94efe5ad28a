// SPDX-License-Identifier: Apache-2.0
#include "own/image.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "envpool/error.h"
#include "own/blend.h"
#include "own/inflate.h"

namespace envpool::procgen {
namespace {

std::uint32_t BigEndian(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 |
         at[3];
}

// A PNG without interlacing, as 0xAARRGGBB.
class Decoder {
 public:
  explicit Decoder(const std::vector<std::uint8_t>& file) {
    constexpr std::size_t kSignature = 8, kFrame = 12;  // of a chunk: length, name and checksum
    for (std::size_t at = kSignature; at + kFrame <= file.size();) {
      const std::size_t length = BigEndian(file.data() + at);
      if (length > file.size() - at - kFrame) throw std::runtime_error("a chunk that is cut off");
      Chunk(std::string(reinterpret_cast<const char*>(file.data() + at + 4), 4),
            file.data() + at + 8, length);
      at += length + kFrame;
    }
    Unpack();
  }
  int width = 0, height = 0;
  std::vector<std::uint32_t> pixels;

 private:
  void Chunk(const std::string& name, const std::uint8_t* data, std::size_t length) {
    if (name == "IHDR" && length >= 13) {
      width = static_cast<int>(BigEndian(data));
      height = static_cast<int>(BigEndian(data + 4));
      depth_ = data[8];
      type_ = data[9];
      if (data[12] != 0) throw std::runtime_error("a picture with interlacing");
    } else if (name == "PLTE") {
      for (std::size_t i = 0; i < std::min<std::size_t>(length / 3, 256); ++i) {
        palette_[i] = 0xff000000u | std::uint32_t{data[3 * i]} << 16 |
                      std::uint32_t{data[3 * i + 1]} << 8 | data[3 * i + 2];
      }
    } else if (name == "tRNS" && type_ == 3) {
      for (std::size_t i = 0; i < std::min<std::size_t>(length, 256); ++i) {
        palette_[i] = (palette_[i] & 0xffffffu) | std::uint32_t{data[i]} << 24;
      }
    } else if (name == "IDAT") {
      packed_.insert(packed_.end(), data, data + length);
    }
  }

  void Unpack() {
    const int channels = type_ == 2 ? 3 : type_ == 6 ? 4 : 1;
    if (width < 1 || height < 1 || width > 1 << 14 || height > 1 << 14 ||
        (type_ != 2 && type_ != 3 && type_ != 6) || (type_ == 3 ? depth_ > 8 : depth_ != 8)) {
      throw std::runtime_error("a kind of picture that is not read here");
    }
    const auto rows = static_cast<std::size_t>(height);
    const auto columns = static_cast<std::size_t>(width);
    const auto step = static_cast<std::size_t>(channels);
    const std::size_t bytes = (columns * step * static_cast<std::size_t>(depth_) + 7) / 8;
    auto raw = Inflate(packed_.data(), packed_.size(), rows * (bytes + 1));
    if (raw.size() != rows * (bytes + 1)) throw std::runtime_error("a picture with too few bytes");
    pixels.resize(rows * columns);
    const std::vector<std::uint8_t> nothing(bytes);
    const std::uint8_t* above = nothing.data();
    for (std::size_t y = 0; y < rows; ++y) {
      std::uint8_t* const line = raw.data() + y * (bytes + 1) + 1;
      Unfilter(line[-1], line, above, bytes, step);
      for (std::size_t x = 0; x < columns; ++x) pixels[y * columns + x] = Pixel(line, x, step);
      above = line;
    }
  }

  static void Unfilter(int filter, std::uint8_t* line, const std::uint8_t* above, std::size_t bytes,
                       std::size_t step) {
    for (std::size_t i = 0; i < bytes; ++i) {
      const int left = i < step ? 0 : line[i - step];
      const int up = above[i], corner = i < step ? 0 : above[i - step];
      int guess = 0;
      if (filter == 1) guess = left;
      if (filter == 2) guess = up;
      if (filter == 3) guess = (left + up) / 2;
      if (filter == 4) {
        const int a = std::abs(up - corner), b = std::abs(left - corner);
        const int c = std::abs(left + up - 2 * corner);
        guess = a <= b && a <= c ? left : b <= c ? up : corner;
      }
      line[i] = static_cast<std::uint8_t>(line[i] + guess);
    }
  }

  std::uint32_t Pixel(const std::uint8_t* line, std::size_t x, std::size_t step) const {
    if (type_ == 3) {
      const auto depth = static_cast<std::size_t>(depth_), bit = x * depth;
      const unsigned shift = static_cast<unsigned>(8 - depth - bit % 8);
      return palette_[line[bit / 8] >> shift & ((1u << depth) - 1)];
    }
    const std::uint8_t* const at = line + x * step;
    const std::uint32_t alpha = step == 4 ? at[3] : 255u;
    return alpha << 24 | std::uint32_t{at[0]} << 16 | std::uint32_t{at[1]} << 8 | at[2];
  }

  int depth_ = 0, type_ = 0;
  std::array<std::uint32_t, 256> palette_{};
  std::vector<std::uint8_t> packed_;
};

std::unique_ptr<Image> Decode(const std::string& path, ImageKind kind) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<std::uint8_t> bytes((std::istreambuf_iterator<char>(file)),
                                        std::istreambuf_iterator<char>());
  if (!file || bytes.size() < 8) throw std::runtime_error("no file, or an empty one");
  Decoder decoder(bytes);
  auto image = std::make_unique<Image>();
  image->width = decoder.width;
  image->height = decoder.height;
  image->pixels = std::move(decoder.pixels);
  image->opaque = true;
  image->has_alpha = kind != ImageKind::kBackground;
  for (std::uint32_t& pixel : image->pixels) {
    pixel = kind == ImageKind::kBackground ? pixel | 0xff000000u : Premultiplied(pixel);
    image->opaque &= pixel >= 0xff000000u;
  }
  if (kind == ImageKind::kMirrored) {
    for (auto line = image->pixels.begin(); line != image->pixels.end(); line += image->width) {
      std::reverse(line, line + image->width);
    }
  }
  return image;
}

}  // namespace

const Image& LoadImage(const std::string& folder, const std::string& name, ImageKind kind) {
  static std::mutex mutex;
  static auto& images = *new std::map<std::pair<std::string, ImageKind>, std::unique_ptr<Image>>;
  const std::string path = folder + name;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Image>& image = images[{path, kind}];
  if (image == nullptr) {
    try {
      image = Decode(path, kind);
    } catch (const std::exception& error) {
      throw Error(ErrorKind::kConfig, "the picture " + path, error.what(),
                  "the pictures of Procgen's package", "run `envpool procgen fetch --again`");
    }
  }
  return *image;
}

}  // namespace envpool::procgen
