// SPDX-License-Identifier: Apache-2.0
//
// numpy.random.RandomState(seed), draw for draw and bit for bit: the Mersenne Twister with NumPy's
// frozen distributions, which dm_control's tasks draw from.
//
//   NumpyLegacyRandom random(42);
//   double angle = random.Uniform(-1.0, 1.0);      // random_state.uniform(-1, 1)
//   double noise = 0.01 * random.Randn();          // 0.01 * random_state.randn()
//   std::int64_t target = random.Randint(0, 5);    // random_state.randint(0, 5)
//
// An array that NumPy draws is as many scalar draws in row-major order.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "envpool/cxx20.h"
#include "envpool/random/draw_support.h"

namespace envpool {

/// 2,512 bytes without padding: saved and restored with memcpy. Also a generator for the
/// distributions of <random>. Arguments that NumPy refuses throw std::invalid_argument.
class NumpyLegacyRandom {
 public:
  using result_type = std::uint32_t;

  /// RandomState(seed), of an integer below 2^32 or of a list of them.
  explicit NumpyLegacyRandom(std::uint64_t seed = 0) { this->seed(seed); }
  explicit NumpyLegacyRandom(std::span<const std::uint32_t> key) { seed(key); }

  /// Starts again as RandomState(value), value below 2^32.
  void seed(std::uint64_t value);
  /// Starts again as RandomState(list), a list of one or more integers below 2^32.
  void seed(std::span<const std::uint32_t> key);

  /// 32 raw bits.
  result_type operator()();
  /// The smallest of them.
  static constexpr result_type min() { return 0; }
  /// The largest of them.
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  /// random_sample(), also called rand(): uniform in [0, 1).
  double Random();

  /// uniform(low, high); high below low is allowed, as in NumPy.
  double Uniform(double low, double high);

  /// randint(low, high): in [low, high).
  std::int64_t Randint(std::int64_t low, std::int64_t high);

  /// choice(count): in [0, count).
  std::int64_t Choice(std::int64_t count);

  /// randn(), also called standard_normal().
  double Randn();
  /// normal(loc, scale).
  double Normal(double loc, double scale);

  /// standard_exponential().
  double StandardExponential();
  /// exponential(scale).
  double Exponential(double scale);

  /// shuffle(values), of a vector, array, C array or span.
  template <typename Values>
  void Shuffle(Values&& values);

  /// permutation(n), into `values` of n elements.
  template <typename Values>
  void Permutation(Values&& values);

 private:
  static constexpr std::size_t kWords = 624;

  void Fill(std::uint32_t value);
  void Twist();
  std::uint64_t Bounded(std::uint64_t largest);

  std::array<std::uint32_t, kWords> words_;
  std::uint32_t position_;   // the next word to hand out; kWords when all are used
  std::uint32_t has_spare_;  // whether spare_normal_ is still to be returned
  double spare_normal_;      // the other normal of the last pair
};

static_assert(sizeof(NumpyLegacyRandom) == 2512);
static_assert(std::is_trivially_copyable_v<NumpyLegacyRandom>);

// ---------------------------------------------------------------------------------------- detail

// Both seedings are those of Matsumoto and Nishimura's mt19937ar (2002).
inline void NumpyLegacyRandom::Fill(std::uint32_t value) {
  for (std::size_t i = 0; i < kWords; ++i) {
    words_[i] = value;
    value = 1812433253U * (value ^ (value >> 30)) + static_cast<std::uint32_t>(i + 1);
  }
  position_ = kWords;
  has_spare_ = 0;
  spare_normal_ = 0.0;
}

inline void NumpyLegacyRandom::seed(std::uint64_t value) {
  if (value > max()) [[unlikely]] {
    throw std::invalid_argument("seed must be between 0 and 2**32 - 1, got " +
                                std::to_string(value));
  }
  Fill(static_cast<std::uint32_t>(value));
}

inline void NumpyLegacyRandom::seed(std::span<const std::uint32_t> key) {
  if (key.empty()) [[unlikely]] {
    throw std::invalid_argument("seed must not be an empty list");
  }
  Fill(19650218U);
  // Steps walk the words 1, 2, ... 623, 1, 2, ...; each word takes in the one stirred before it.
  const auto target = [](std::size_t step) { return 1 + step % (kWords - 1); };
  const auto stirred = [&](std::size_t step, std::uint32_t multiplier) {
    const std::uint32_t before = words_[step == 0 ? 0 : target(step - 1)];
    return words_[target(step)] ^ ((before ^ (before >> 30)) * multiplier);
  };
  const std::size_t rounds = key.size() > kWords ? key.size() : kWords;
  std::size_t step = 0;
  for (; step < rounds; ++step) {
    const std::size_t digit = step % key.size();
    words_[target(step)] = stirred(step, 1664525U) + key[digit] + static_cast<std::uint32_t>(digit);
  }
  for (; step < rounds + kWords - 1; ++step) {
    const auto index = static_cast<std::uint32_t>(target(step));
    words_[index] = stirred(step, 1566083941U) - index;
  }
  words_[0] = 0x80000000U;
}

inline void NumpyLegacyRandom::Twist() {
  constexpr std::size_t kShift = 397;
  const auto twist = [this](std::size_t i, std::size_t next, std::size_t far) {
    const std::uint32_t joined = (words_[i] & 0x80000000U) | (words_[next] & 0x7fffffffU);
    words_[i] = words_[far] ^ (joined >> 1) ^ ((0U - (joined & 1U)) & 0x9908b0dfU);
  };
  for (std::size_t i = 0; i < kWords - kShift; ++i) {
    twist(i, i + 1, i + kShift);
  }
  for (std::size_t i = kWords - kShift; i < kWords - 1; ++i) {
    twist(i, i + 1, i + kShift - kWords);
  }
  twist(kWords - 1, 0, kShift - 1);
  position_ = 0;
}

inline std::uint32_t NumpyLegacyRandom::operator()() {
  if (position_ >= kWords) [[unlikely]] {
    Twist();
  }
  std::uint32_t word = words_[position_++];
  word ^= word >> 11;
  word ^= (word << 7) & 0x9d2c5680U;
  word ^= (word << 15) & 0xefc60000U;
  return word ^ (word >> 18);
}

inline double NumpyLegacyRandom::Random() {
  const std::uint32_t high = (*this)() >> 5;
  const std::uint32_t low = (*this)() >> 6;
  return static_cast<double>(std::uint64_t{high} << 26 | low) * 0x1p-53;
}

inline double NumpyLegacyRandom::Uniform(double low, double high) {
  const double range = high - low;
  detail::RequireFinite(range);
  return low + detail::Rounded(range * Random());
}

// The upper word of a 64-bit number is drawn first.
inline std::uint64_t NumpyLegacyRandom::Bounded(std::uint64_t largest) {
  return detail::MaskedBounded(
      largest, [this] { return (*this)(); },
      [this] {
        const std::uint64_t upper = (*this)();
        return upper << 32 | (*this)();
      });
}

inline std::int64_t NumpyLegacyRandom::Randint(std::int64_t low, std::int64_t high) {
  detail::RequireBelow(low, high);
  const auto first = static_cast<std::uint64_t>(low);
  return static_cast<std::int64_t>(first + Bounded(static_cast<std::uint64_t>(high) - first - 1));
}

inline std::int64_t NumpyLegacyRandom::Choice(std::int64_t count) {
  detail::RequireChoices(count);
  return static_cast<std::int64_t>(Bounded(static_cast<std::uint64_t>(count) - 1));
}

// Marsaglia's polar method: a point in the unit disc gives two normals, one is kept for
// later.
inline double NumpyLegacyRandom::Randn() {
  if (has_spare_ != 0) {
    const double normal = spare_normal_;
    has_spare_ = 0;
    spare_normal_ = 0.0;
    return normal;
  }
  double x = 0.0;
  double y = 0.0;
  double square = 0.0;
  do {
    x = 2.0 * Random() - 1.0;
    y = 2.0 * Random() - 1.0;
    square = detail::Rounded(x * x) + detail::Rounded(y * y);
  } while (square >= 1.0 || square == 0.0);
  const double factor = std::sqrt(-2.0 * std::log(square) / square);
  spare_normal_ = factor * x;
  has_spare_ = 1;
  return factor * y;
}

inline double NumpyLegacyRandom::Normal(double loc, double scale) {
  detail::RequireNonNegative("scale", scale);
  return loc + detail::Rounded(scale * Randn());
}

inline double NumpyLegacyRandom::StandardExponential() { return -std::log(1.0 - Random()); }

inline double NumpyLegacyRandom::Exponential(double scale) {
  detail::RequireNonNegative("scale", scale);
  return scale * StandardExponential();
}

template <typename Values>
void NumpyLegacyRandom::Shuffle(Values&& values) {
  detail::ShuffleWith(std::span(values), [this](std::uint64_t i) { return Bounded(i); });
}

template <typename Values>
void NumpyLegacyRandom::Permutation(Values&& values) {
  detail::FillAscending(std::span(values));
  Shuffle(values);
}

}  // namespace envpool
