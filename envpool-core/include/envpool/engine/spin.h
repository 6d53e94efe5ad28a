// SPDX-License-Identifier: Apache-2.0
// Spinning: a thread looks at a value again and again for a while before it sleeps, because to
// sleep and to be woken takes longer than most waits.
//
//   if (!SpinUntil(done, Clock::now() + kSpin)) ...   // sleep
#pragma once

#include <algorithm>
#include <chrono>

#include "envpool/engine/batch.h"

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#elif defined(_M_ARM64)
#include <intrin.h>
#endif

namespace envpool {

/// For how long a thread spins: longer than the pause between two calls of a Python loop, far
/// shorter than a time slice.
inline constexpr std::chrono::microseconds kSpin{50};

/// Tells the CPU that this thread spins.
inline void SpinPause() {
#if defined(__x86_64__) || defined(_M_X64)
  _mm_pause();
#elif defined(_M_ARM64)
  __yield();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Spins until `done()` or until `end`; whether it is done.
template <typename Done>
bool SpinUntil(const Done& done, Clock::time_point end) {
  for (int looks = 1; !done(); ++looks) {
    SpinPause();
    // To read the clock takes as long as several looks.
    if (looks % 32 == 0 && Clock::now() > end) return false;
  }
  return true;
}

/// Predicts whether the next wait ends within kSpin: it does not after two in a row that took
/// longer. A wrong prediction makes a wait longer by the time that waking takes, or wastes a spin.
class ShortWaits {
 public:
  bool likely() const { return long_ones_ < kMostLongOnes; }
  void Add(Clock::duration wait) {
    long_ones_ = wait <= kSpin ? 0 : std::min(long_ones_ + 1, kMostLongOnes);
  }

 private:
  static constexpr int kMostLongOnes = 2;  // in a row
  int long_ones_ = 0;
};

}  // namespace envpool
