// SPDX-License-Identifier: Apache-2.0
//
// numpy.random.Generator(numpy.random.PCG64(seed)), draw for draw and bit for bit. Gymnasium's
// environments have this generator as `self.np_random` after `reset(seed=seed)`.
//
//   NumpyRandom rng(42);
//   double angle = rng.Uniform(-0.05, 0.05);  // np_random.uniform(-0.05, 0.05)
//   std::int64_t cell = rng.Integers(0, 16);  // np_random.integers(0, 16)
//   rng.Shuffle(deck);                        // np_random.shuffle(deck)
//
// An array that NumPy draws is as many scalar draws in row-major order.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>

#if defined(_MSC_VER) && !defined(__clang__)
#include <__msvc_int128.hpp>
#endif

#include "envpool/cxx20.h"
#include "envpool/random/draw_support.h"
#include "envpool/random/seed_sequence.h"
#include "envpool/random/ziggurat.h"

namespace envpool {

/// 40 bytes without padding: saved and restored with memcpy. Also a generator for the distributions
/// of <random>. Arguments that NumPy refuses throw std::invalid_argument.
class NumpyRandom {
 public:
  using result_type = std::uint64_t;

  /// numpy.random.default_rng(seed).
  explicit NumpyRandom(std::uint64_t seed = 0) { this->seed(seed); }

  /// Starts again as NumpyRandom(value).
  void seed(std::uint64_t value);

  /// 64 raw bits: bit_generator.random_raw().
  result_type operator()();
  /// The smallest of them.
  static constexpr result_type min() { return 0; }
  /// The largest of them.
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  /// random(): uniform in [0, 1); random(dtype=float32) is Random<float>().
  template <typename Real = double>
    requires(std::same_as<Real, double> || std::same_as<Real, float>)
  Real Random();

  /// uniform(low, high): in [low, high).
  double Uniform(double low, double high);

  /// integers(low, high): in [low, high).
  std::int64_t Integers(std::int64_t low, std::int64_t high);

  /// choice(count): in [0, count).
  std::int64_t Choice(std::int64_t count);

  /// standard_normal().
  double StandardNormal();
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

  /// gymnasium.envs.toy_text.utils.categorical_sample: an index, drawn with its probability; 0 if
  /// the probabilities add up to no more than the number drawn.
  std::size_t CategoricalSample(std::span<const double> probabilities);

 private:
#if defined(_MSC_VER) && !defined(__clang__)
  using Uint128 = std::_Unsigned128;
#else
  __extension__ using Uint128 = unsigned __int128;
#endif

  static Uint128 Join(std::uint64_t high, std::uint64_t low) { return Uint128{high} << 64 | low; }

  void Advance();
  std::uint32_t Next32();
  std::uint64_t Bounded(std::uint64_t largest);
  double NormalTail(bool negative);

  // 128-bit numbers as halves, lest their alignment leave padding in every environment.
  std::uint64_t state_high_;
  std::uint64_t state_low_;
  std::uint64_t increment_high_;
  std::uint64_t increment_low_;
  // The unused upper half of the last 64 bits that were drawn for 32, above a bit that marks it
  // present; 0 if absent. 64-bit draws leave it waiting, as in NumPy.
  std::uint64_t spare_half_;
};

static_assert(sizeof(NumpyRandom) == 40);
static_assert(std::is_trivially_copyable_v<NumpyRandom>);
static_assert(std::has_unique_object_representations_v<NumpyRandom>);

// ---------------------------------------------------------------------------------------- detail

inline void NumpyRandom::seed(std::uint64_t value) {
  const auto words = SeedSequence(value).GenerateState<8>();
  const auto pair = [&](std::size_t i) {
    return std::uint64_t{words[2 * i + 1]} << 32 | words[2 * i];
  };
  const Uint128 start = Join(pair(0), pair(1));
  const Uint128 increment = Join(pair(2), pair(3)) << 1 | 1;
  const Uint128 state = increment + start;  // one step from state 0, then the start is added
  increment_high_ = static_cast<std::uint64_t>(increment >> 64);
  increment_low_ = static_cast<std::uint64_t>(increment);
  state_high_ = static_cast<std::uint64_t>(state >> 64);
  state_low_ = static_cast<std::uint64_t>(state);
  Advance();
  spare_half_ = 0;
}

// PCG's 128-bit linear congruential step (O'Neill 2014).
inline void NumpyRandom::Advance() {
  const Uint128 multiplier = Join(0x2360ed051fc65da4, 0x4385df649fccf645);
  const Uint128 state =
      Join(state_high_, state_low_) * multiplier + Join(increment_high_, increment_low_);
  state_high_ = static_cast<std::uint64_t>(state >> 64);
  state_low_ = static_cast<std::uint64_t>(state);
}

// PCG's output XSL-RR: the folded state, rotated by its top six bits.
inline std::uint64_t NumpyRandom::operator()() {
  Advance();
  return std::rotr(state_high_ ^ state_low_, static_cast<int>(state_high_ >> 58));
}

inline std::uint32_t NumpyRandom::Next32() {
  constexpr std::uint64_t kPresent = std::uint64_t{1} << 31;
  if (spare_half_ != 0) {
    const auto half = static_cast<std::uint32_t>(spare_half_ >> 32);
    spare_half_ = 0;
    return half;
  }
  const std::uint64_t bits = (*this)();
  spare_half_ = (bits >> 32 << 32) | kPresent;
  return static_cast<std::uint32_t>(bits);
}

template <typename Real>
  requires(std::same_as<Real, double> || std::same_as<Real, float>)
Real NumpyRandom::Random() {
  if constexpr (std::same_as<Real, float>) {
    return static_cast<float>(Next32() >> 8) * 0x1p-24F;
  } else {
    return static_cast<double>((*this)() >> 11) * 0x1p-53;
  }
}

inline double NumpyRandom::Uniform(double low, double high) {
  const double range = high - low;
  detail::RequireFinite(range);
  detail::RequireNonNegative("high - low", range);
  return low + detail::Rounded(range * Random());
}

// Uniform in [0, largest] by Lemire's multiplication (2019): the product's upper half is the draw,
// and its lower half tells the few draws that would favour some results. NumPy takes 32 bits at a
// time where they suffice, and none for 0.
inline std::uint64_t NumpyRandom::Bounded(std::uint64_t largest) {
  constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
  if (largest == 0) {
    return 0;
  }
  if (largest < kMax32) {
    const auto count = static_cast<std::uint32_t>(largest + 1);
    std::uint64_t product = std::uint64_t{Next32()} * count;
    if (static_cast<std::uint32_t>(product) < count) {
      const std::uint32_t threshold = (0U - count) % count;
      while (static_cast<std::uint32_t>(product) < threshold) {
        product = std::uint64_t{Next32()} * count;
      }
    }
    return product >> 32;
  }
  if (largest == kMax32) {
    return Next32();
  }
  const std::uint64_t count = largest + 1;
  Uint128 product = Uint128{(*this)()} * count;
  if (static_cast<std::uint64_t>(product) < count) {
    const std::uint64_t threshold = (0 - count) % count;
    while (static_cast<std::uint64_t>(product) < threshold) {
      product = Uint128{(*this)()} * count;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

inline std::int64_t NumpyRandom::Integers(std::int64_t low, std::int64_t high) {
  detail::RequireBelow(low, high);
  const auto first = static_cast<std::uint64_t>(low);
  return static_cast<std::int64_t>(first + Bounded(static_cast<std::uint64_t>(high) - first - 1));
}

inline std::int64_t NumpyRandom::Choice(std::int64_t count) {
  detail::RequireChoices(count);
  return static_cast<std::int64_t>(Bounded(static_cast<std::uint64_t>(count) - 1));
}

inline double NumpyRandom::StandardNormal() {
  const detail::Ziggurat& strips = detail::NormalZiggurat();
  while (true) {
    // 8 of the 64 bits choose the strip, 1 the sign, 52 are the mantissa, 3 go unused.
    const std::uint64_t bits = (*this)();
    const std::size_t index = bits & 0xff;
    const std::uint64_t sign = bits >> 8 & 1;
    const std::uint64_t mantissa = bits >> 9 & 0xfffffffffffff;
    const detail::ZigguratStrip& strip = strips[index];
    const double magnitude = static_cast<double>(mantissa) * strip.width;
    // No branch on the sign: half of them would be predicted wrongly.
    const double x = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | sign << 63);
    if (mantissa < strip.accept) [[likely]] {
      return x;
    }
    if (index == 0) {
      return NormalTail((mantissa >> 8 & 1) != 0);
    }
    const double rise = strips[index - 1].height - strip.height;
    if (detail::Rounded(rise * Random()) + strip.height < std::exp(-0.5 * x * x)) {
      return x;
    }
  }
}

// Marsaglia's tail (1964): an exponential beyond the edge, accepted by another.
inline double NumpyRandom::NormalTail(bool negative) {
  while (true) {
    const double beyond = -detail::kInverseNormalTail * std::log1p(-Random());
    const double bound = -std::log1p(-Random());
    if (bound + bound > beyond * beyond) {
      const double x = detail::kNormalTail + detail::Rounded(beyond);
      return negative ? -x : x;
    }
  }
}

inline double NumpyRandom::Normal(double loc, double scale) {
  detail::RequireNonNegative("scale", scale);
  return loc + detail::Rounded(scale * StandardNormal());
}

inline double NumpyRandom::StandardExponential() {
  const detail::Ziggurat& strips = detail::ExponentialZiggurat();
  while (true) {
    // 3 of the 64 bits go unused, 8 choose the strip, 53 are the mantissa.
    const std::uint64_t bits = (*this)();
    const std::size_t index = bits >> 3 & 0xff;
    const std::uint64_t mantissa = bits >> 11;
    const detail::ZigguratStrip& strip = strips[index];
    const double x = static_cast<double>(mantissa) * strip.width;
    if (mantissa < strip.accept) [[likely]] {
      return x;
    }
    if (index == 0) {
      return detail::kExponentialTail - std::log1p(-Random());
    }
    const double rise = strips[index - 1].height - strip.height;
    if (detail::Rounded(rise * Random()) + strip.height < std::exp(-x)) {
      return x;
    }
  }
}

inline double NumpyRandom::Exponential(double scale) {
  detail::RequireNonNegative("scale", scale);
  return scale * StandardExponential();
}

template <typename Values>
void NumpyRandom::Shuffle(Values&& values) {
  // Not Bounded: NumPy shuffles with the older method.
  detail::ShuffleWith(std::span(values), [this](std::uint64_t i) {
    return detail::MaskedBounded(i, [this] { return Next32(); }, [this] { return (*this)(); });
  });
}

template <typename Values>
void NumpyRandom::Permutation(Values&& values) {
  detail::FillAscending(std::span(values));
  Shuffle(values);
}

inline std::size_t NumpyRandom::CategoricalSample(std::span<const double> probabilities) {
  if (probabilities.empty()) [[unlikely]] {
    throw std::invalid_argument("probabilities must not be empty");
  }
  const double drawn = Random();
  double cumulative = 0.0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    cumulative += probabilities[i];
    if (cumulative > drawn) {
      return i;
    }
  }
  return 0;
}

}  // namespace envpool
