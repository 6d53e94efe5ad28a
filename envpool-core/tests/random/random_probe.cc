// SPDX-License-Identifier: Apache-2.0
//
// Draws from the C++ generators as told on standard input, for comparison with NumPy. Commands are
// words separated by blanks; results leave on standard output as 8 bytes each, a double's or an
// integer's bits. An error ends the program with its text on standard error and status 1.
//
//   echo "generator 42  random 3  integers 0 16 2" | random_probe
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "envpool/random/numpy_legacy_random.h"
#include "envpool/random/numpy_random.h"
#include "envpool/random/seed_sequence.h"
#include "envpool/random/ziggurat.h"

namespace {

using envpool::NumpyLegacyRandom;
using envpool::NumpyRandom;

static_assert(std::uniform_random_bit_generator<NumpyRandom>);
static_assert(std::uniform_random_bit_generator<NumpyLegacyRandom>);

std::string NextWord() {
  std::string word;
  if (!(std::cin >> word)) {
    throw std::runtime_error("the command lacks an argument");
  }
  return word;
}

std::uint64_t NextUint() { return std::stoull(NextWord()); }
std::int64_t NextInt() { return std::stoll(NextWord()); }
double NextDouble() { return std::strtod(NextWord().c_str(), nullptr); }

void Emit(std::uint64_t bits) {
  std::cout.write(reinterpret_cast<const char*>(&bits), sizeof(bits));
}

template <typename Number>
void EmitNumber(Number number) {
  if constexpr (std::is_integral_v<Number>) {
    Emit(static_cast<std::uint64_t>(number));
  } else {
    Emit(std::bit_cast<std::uint64_t>(static_cast<double>(number)));
  }
}

// Reads how many draws are wanted, and emits as many.
template <typename Draw>
void Repeat(Draw&& draw) {
  for (std::uint64_t left = NextUint(); left > 0; --left) {
    EmitNumber(draw());
  }
}

template <typename Rng>
bool RunCommon(Rng& rng, const std::string& command) {
  if (command == "raw") {
    Repeat([&] { return rng(); });
  } else if (command == "random") {
    Repeat([&] { return rng.Random(); });
  } else if (command == "uniform") {
    const double low = NextDouble();
    const double high = NextDouble();
    Repeat([&] { return rng.Uniform(low, high); });
  } else if (command == "choice") {
    const std::int64_t count = NextInt();
    Repeat([&] { return rng.Choice(count); });
  } else if (command == "normal") {
    const double loc = NextDouble();
    const double scale = NextDouble();
    Repeat([&] { return rng.Normal(loc, scale); });
  } else if (command == "standard_exponential") {
    Repeat([&] { return rng.StandardExponential(); });
  } else if (command == "exponential") {
    const double scale = NextDouble();
    Repeat([&] { return rng.Exponential(scale); });
  } else if (command == "shuffle") {
    // Values that are not their own indices, lest a permutation pass for a shuffle.
    std::vector<std::int16_t> values(NextUint());
    std::iota(values.rbegin(), values.rend(), std::int16_t{7});
    rng.Shuffle(values);
    for (const auto value : values) EmitNumber(value);
  } else if (command == "permutation") {
    std::vector<std::int64_t> values(NextUint());
    rng.Permutation(std::span(values));
    for (const auto value : values) EmitNumber(value);
  } else {
    return false;
  }
  return true;
}

bool Run(NumpyRandom& rng, const std::string& command) {
  if (command == "random32") {
    Repeat([&] { return rng.Random<float>(); });
  } else if (command == "standard_normal") {
    Repeat([&] { return rng.StandardNormal(); });
  } else if (command == "integers") {
    const std::int64_t low = NextInt();
    const std::int64_t high = NextInt();
    Repeat([&] { return rng.Integers(low, high); });
  } else if (command == "categorical") {
    std::vector<double> probabilities(NextUint());
    for (double& probability : probabilities) probability = NextDouble();
    Repeat([&] { return rng.CategoricalSample(probabilities); });
  } else if (command == "pcg64") {
    // A chosen state and increment, each as two halves, the upper first.
    std::array<std::uint64_t, 5> words{};
    for (std::size_t i = 0; i < 4; ++i) words[i] = NextUint();
    std::memcpy(static_cast<void*>(&rng), words.data(), sizeof(rng));
  } else {
    return RunCommon(rng, command);
  }
  return true;
}

bool Run(NumpyLegacyRandom& rng, const std::string& command) {
  if (command == "randn") {
    Repeat([&] { return rng.Randn(); });
  } else if (command == "randint") {
    const std::int64_t low = NextInt();
    const std::int64_t high = NextInt();
    Repeat([&] { return rng.Randint(low, high); });
  } else {
    return RunCommon(rng, command);
  }
  return true;
}

void EmitTable(const envpool::detail::Ziggurat& strips) {
  for (const auto& strip : strips) {
    EmitNumber(strip.accept);
    EmitNumber(strip.width);
    EmitNumber(strip.height);
  }
}

// Nanoseconds of one call of `work(i)`: the fastest of several rounds, so that what else the
// machine does is left out.
template <typename Work>
double Nanoseconds(Work&& work) {
  using Clock = std::chrono::steady_clock;
  constexpr std::uint64_t kRounds = 20;
  constexpr std::uint64_t kCalls = 20000;
  double best = 1e30;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < kCalls; ++i) work(i);
    const std::chrono::duration<double, std::nano> spent = Clock::now() - start;
    best = std::min(best, spent.count() / static_cast<double>(kCalls));
  }
  return best;
}

template <typename Value>
void Keep(const Value& value) {
  asm volatile("" : : "m"(value) : "memory");
}

void EmitTimings() {
  NumpyRandom rng(1);
  NumpyLegacyRandom legacy(1);
  EmitNumber(Nanoseconds([&](std::uint64_t i) { Keep(NumpyRandom(i)); }));
  EmitNumber(Nanoseconds([&](std::uint64_t) { Keep(rng.Random()); }));
  EmitNumber(Nanoseconds([&](std::uint64_t) { Keep(rng.Integers(0, 6)); }));
  EmitNumber(Nanoseconds([&](std::uint64_t) { Keep(rng.StandardNormal()); }));
  EmitNumber(Nanoseconds([&](std::uint64_t) { Keep(rng.StandardExponential()); }));
  EmitNumber(Nanoseconds([&](std::uint64_t i) { Keep(NumpyLegacyRandom(i)); }));
  EmitNumber(Nanoseconds([&](std::uint64_t) { Keep(legacy.Random()); }));
  EmitNumber(Nanoseconds([&](std::uint64_t) { Keep(legacy.Randint(0, 6)); }));
  EmitNumber(Nanoseconds([&](std::uint64_t) { Keep(legacy.Randn()); }));
}

void RunAll() {
  using Generator = std::variant<NumpyRandom, NumpyLegacyRandom>;
  Generator generator;
  std::vector<char> saved(sizeof(Generator));
  std::string command;
  while (std::cin >> command) {
    if (command == "generator") {
      generator = NumpyRandom(NextUint());
    } else if (command == "legacy") {
      generator = NumpyLegacyRandom(NextUint());
    } else if (command == "legacy_list") {
      std::vector<std::uint32_t> key(NextUint());
      for (auto& word : key) word = static_cast<std::uint32_t>(NextUint());
      generator = NumpyLegacyRandom(key);
    } else if (command == "reseed") {
      const std::uint64_t seed = NextUint();
      std::visit([&](auto& rng) { rng.seed(seed); }, generator);
    } else if (command == "save") {
      std::visit([&](auto& rng) { std::memcpy(saved.data(), &rng, sizeof(rng)); }, generator);
    } else if (command == "load") {
      std::visit(
          [&](auto& rng) { std::memcpy(static_cast<void*>(&rng), saved.data(), sizeof(rng)); },
          generator);
    } else if (command == "seed_sequence") {
      for (const auto word : envpool::SeedSequence(NextUint()).GenerateState<11>()) {
        EmitNumber(word);
      }
    } else if (command == "normal_table") {
      EmitTable(envpool::detail::NormalZiggurat());
    } else if (command == "exponential_table") {
      EmitTable(envpool::detail::ExponentialZiggurat());
    } else if (command == "timings") {
      EmitTimings();
    } else if (!std::visit([&](auto& rng) { return Run(rng, command); }, generator)) {
      throw std::runtime_error("unknown command " + command);
    }
  }
}

}  // namespace

int main() {
  try {
    RunAll();
  } catch (const std::exception& error) {
    std::cerr << error.what();
    return 1;
  }
  return 0;
}
