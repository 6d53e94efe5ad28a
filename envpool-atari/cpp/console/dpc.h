// SPDX-License-Identifier: Apache-2.0
// The chip in the cartridge of Pitfall II (US patent 4,644,495): eight data fetchers, a random
// number generator and three square waves, at the first 128 bytes of the page of ROM.
#ifndef ENVPOOL_ATARI_CONSOLE_DPC_H_
#define ENVPOOL_ATARI_CONSOLE_DPC_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "console/state.h"

namespace envpool::atari::dpc {

inline constexpr int kDisplayBytes = 2048;

// Power-on. Measured: a reset of the console changes nothing here.
inline void PowerOn(DpcState& dpc) {
  dpc = DpcState{};
  dpc.random = 1;
}

// The successor of each value of the eight-bit shift register, with taps at bits 7, 5, 4 and 3.
inline constexpr std::array<std::uint8_t, 256> kNextRandom = [] {
  std::array<std::uint8_t, 256> next{};
  for (unsigned value = 0; value < 256; ++value) {
    const unsigned bit = std::popcount(value & 0xB8u) % 2 == 0 ? 1U : 0U;
    next[value] = static_cast<std::uint8_t>(value << 1 | bit);
  }
  return next;
}();

inline void ClockRandom(DpcState& dpc) { dpc.random = kNextRandom[dpc.random]; }

inline void UpdateFlag(DpcState& dpc, std::size_t i) {
  const std::uint8_t low = static_cast<std::uint8_t>(dpc.counter[i]);
  if (low == dpc.top[i]) {
    dpc.flag[i] = 0xFF;
  } else if (low == dpc.bottom[i]) {
    dpc.flag[i] = 0x00;
  }
}

// Moves the square waves on: their clock is 20,000 Hz.
inline void ClockMusic(DpcState& dpc, std::int32_t cycle) {
  constexpr double kMusicClocksPerCycle = 20000.0 / 1193191.66666667;
  const double clocks = kMusicClocksPerCycle * Since(dpc.music_cycle, cycle) + dpc.music_fraction;
  const int whole = static_cast<int>(clocks);
  dpc.music_cycle = cycle;
  dpc.music_fraction = clocks - whole;
  if (whole <= 0) return;
  for (std::size_t i = 5; i < 8; ++i) {
    if (!dpc.music[i - 5]) continue;
    const int top = dpc.top[i] + 1;
    int low = dpc.counter[i] & 0xFF;
    if (dpc.top[i]) {
      low -= whole < top ? whole : whole % top;  // nearly always saves a division
      if (low < 0) low += top;
    } else {
      low = 0;
    }
    if (low <= dpc.bottom[i]) {
      dpc.flag[i] = 0x00;
    } else if (low <= dpc.top[i]) {
      dpc.flag[i] = 0xFF;
    }
    dpc.counter[i] = static_cast<std::uint16_t>((dpc.counter[i] & 0x700) | (low & 0xFF));
  }
}

// The sum of the waves that are high, by the weights of the chip's three outputs.
[[gnu::noinline]] inline std::uint8_t Amplitude(DpcState& dpc, std::int32_t cycle) {
  constexpr std::uint8_t kAmplitudes[8] = {0x00, 0x04, 0x05, 0x09, 0x06, 0x0A, 0x0B, 0x0F};
  ClockMusic(dpc, cycle);
  unsigned high = 0;
  for (std::size_t wave = 0; wave < 3; ++wave) {
    if (dpc.music[wave] && dpc.flag[wave + 5]) high |= 1u << wave;
  }
  return kAmplitudes[high];
}

// A read of offset 0x00-0x3F.
inline std::uint8_t Read(DpcState& dpc, const std::uint8_t* display, unsigned offset,
                         std::int32_t cycle) {
  const std::size_t i = offset & 7;
  const unsigned function = offset >> 3 & 7;
  UpdateFlag(dpc, i);
  std::uint8_t result = 0;  // the patent's 3-6 swap, mirror and rotate; measured: they read 0
  if (function == 1 || function == 2) {
    result = display[static_cast<std::size_t>(kDisplayBytes - 1 - (dpc.counter[i] & 0x7FF))];
    if (function == 2) result &= dpc.flag[i];
  } else if (function == 0) {
    result = i < 4 ? dpc.random : Amplitude(dpc, cycle);
  } else if (function == 7) {
    result = dpc.flag[i];
  }
  if (i < 5 || !dpc.music[i - 5]) {
    dpc.counter[i] = static_cast<std::uint16_t>((dpc.counter[i] - 1) & 0x7FF);
  }
  return result;
}

// A write to offset 0x40-0x7F.
inline void Write(DpcState& dpc, unsigned offset, std::uint8_t value) {
  const std::size_t i = offset & 7;
  std::uint16_t& counter = dpc.counter[i];
  switch (offset >> 3 & 7) {
    case 0:
      dpc.top[i] = value;
      dpc.flag[i] = 0x00;
      break;
    case 1:
      dpc.bottom[i] = value;
      break;
    case 2: {
      const bool music = i >= 5 && dpc.music[i - 5];
      counter = static_cast<std::uint16_t>((counter & 0x700) | (music ? dpc.top[i] : value));
      break;
    }
    case 3:
      counter = static_cast<std::uint16_t>((value & 7) << 8 | (counter & 0xFF));
      if (i >= 5) dpc.music[i - 5] = value & 0x10;
      break;
    case 6:
      dpc.random = 1;
      break;
    default:
      break;
  }
}

}  // namespace envpool::atari::dpc

#endif  // ENVPOOL_ATARI_CONSOLE_DPC_H_
