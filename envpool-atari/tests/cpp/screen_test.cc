// SPDX-License-Identifier: Apache-2.0
// Scaling touches nothing but its screens and its image, whatever the sizes and whichever the
// vector instructions, which all give the same; and threads can share a scaler. Run with a
// sanitizer: the buffers end where the images end.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "expect.h"
#include "screen/scaler.h"

namespace {

using namespace envpool::atari;
namespace drawing = envpool::drawing;

/// A heap block of exactly `size` bytes at an odd place, unlike a vector's.
std::unique_ptr<std::uint8_t[]> Bytes(std::size_t size, std::uint32_t seed) {
  auto bytes = std::make_unique<std::uint8_t[]>(size);
  for (std::size_t i = 0; i < size; ++i) {
    seed = seed * 1664525U + 1013904223U;
    bytes[i] = static_cast<std::uint8_t>(seed >> 24);
  }
  return bytes;
}

bool SameImage(const ScreenScaler& scaler, const ScreenScaler& reference, const std::uint8_t* newer,
               const std::uint8_t* older) {
  const std::size_t size = scaler.frame_bytes();
  const auto image = Bytes(size, 1);
  const auto expected = Bytes(size, 2);
  scaler(newer, older, image.get());
  reference(newer, older, expected.get());
  return std::equal(image.get(), image.get() + size, expected.get());
}

[[maybe_unused]] void TestAllKindsAgreeWithinTheirBuffers() {
  for (const int height : {210, 250, 1, 7}) {
    const std::size_t size = static_cast<std::size_t>(height) * kSourceWidth;
    const auto newer = Bytes(size, 3);
    const auto older = Bytes(size, 4);
    // The last rows repeat: the last block of rows is not full.
    for (std::size_t i = size / 2 / kSourceWidth * kSourceWidth + kSourceWidth; i < size; ++i) {
      newer[i] = newer[i - kSourceWidth];
      older[i] = older[i - kSourceWidth];
    }
    for (const drawing::Size to :
         {drawing::Size{84, 84}, drawing::Size{kSourceWidth, height}, drawing::Size{80, 105},
          drawing::Size{42, 42}, drawing::Size{33, 99}, drawing::Size{1, 1},
          drawing::Size{161, 211}, drawing::Size{7, 300}}) {
      for (const drawing::Interpolation how :
           {drawing::Interpolation::kArea, drawing::Interpolation::kLinear}) {
        for (const ColorMode mode :
             {ColorMode::kGray, ColorMode::kRgbPlanar, ColorMode::kRgbLast}) {
          const ScreenScaler reference(height, to, how, mode, kPalPalette, Simd::kPortable);
          for (const Simd simd : {Simd::kPortable, Simd::kNeon, Simd::kAvx2, Simd::kAvx512}) {
            if (!HasSimd(simd)) continue;
            const ScreenScaler scaler(height, to, how, mode, kPalPalette, simd);
            EXPECT(SameImage(scaler, reference, newer.get(), older.get()));
            EXPECT(SameImage(scaler, reference, newer.get(), nullptr));
          }
        }
      }
    }
  }
}

void TestThreadsShareAScaler() {
  const std::size_t size = std::size_t{210} * kSourceWidth;
  const ScreenScaler scaler(210, {84, 84}, drawing::Interpolation::kArea, ColorMode::kRgbLast,
                            kNtscPalette);
  std::vector<std::thread> threads;
  for (std::uint32_t seed = 0; seed < 3; ++seed) {
    threads.emplace_back([&scaler, seed] {
      const auto screen = Bytes(size, seed);
      const ScreenScaler own(210, {84, 84}, drawing::Interpolation::kArea, ColorMode::kRgbLast,
                             kNtscPalette);
      for (int i = 0; i < 20; ++i) {
        EXPECT(SameImage(scaler, own, screen.get(), nullptr));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace

int main() {
#ifndef __SANITIZE_THREAD__  // it has one thread
  TestAllKindsAgreeWithinTheirBuffers();
#endif
  TestThreadsShareAScaler();
  return 0;
}
