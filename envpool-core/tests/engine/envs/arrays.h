// SPDX-License-Identifier: Apache-2.0
// Arrays: every dtype as an action and, unchanged, as an observation; a flexible array whose shape
// is an option. Image: an image of which a step writes one byte. The others must read 0, whatever
// the memory held before.
#pragma once

#include <envpool/env.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace testing_envs {

using namespace envpool::literals;

struct ArraysSpec {
  static auto DefaultConfig() {
    return envpool::Dict{"shape"_ = std::vector<int>{2}, "low"_ = -5.0, "high"_ = 5.0};
  }
  static auto StateSpec(const auto& config) { return Both<true>(config); }
  static auto ActionSpec(const auto& config) { return Both<false>(config); }

 private:
  template <bool kState>
  static auto Both(const auto& config) {
    using envpool::Spec;
    const std::vector<int> one{2};
    const auto low = static_cast<std::int16_t>(config["low"_]);
    const auto high = static_cast<std::int16_t>(config["high"_]);
    if constexpr (kState) {
      return envpool::Dict{"obs:bool"_ = Spec<bool>(one),
                           "obs:int8"_ = Spec<std::int8_t>(one),
                           "obs:uint8"_ = Spec<std::uint8_t>(one),
                           "obs:int16"_ = Spec<std::int16_t>(one),
                           "obs:uint16"_ = Spec<std::uint16_t>(one),
                           "obs:int32"_ = Spec<std::int32_t>(one),
                           "obs:uint32"_ = Spec<std::uint32_t>(one),
                           "obs:int64"_ = Spec<std::int64_t>(one),
                           "obs:uint64"_ = Spec<std::uint64_t>(one),
                           "obs:float32"_ = Spec<float>(one),
                           "obs:float64"_ = Spec<double>(one),
                           "obs:bounded"_ = Spec<std::int16_t>(one, {low, high}),
                           "obs:scalar"_ = Spec<int>({}),
                           "obs:flexible"_ = Spec<float>(config["shape"_])};
    } else {
      return envpool::Dict{"bool"_ = Spec<bool>(one),
                           "int8"_ = Spec<std::int8_t>(one),
                           "uint8"_ = Spec<std::uint8_t>(one),
                           "int16"_ = Spec<std::int16_t>(one),
                           "uint16"_ = Spec<std::uint16_t>(one),
                           "int32"_ = Spec<std::int32_t>(one),
                           "uint32"_ = Spec<std::uint32_t>(one),
                           "int64"_ = Spec<std::int64_t>(one),
                           "uint64"_ = Spec<std::uint64_t>(one),
                           "float32"_ = Spec<float>(one),
                           "float64"_ = Spec<double>(one),
                           "bounded"_ = Spec<std::int16_t>(one, {low, high}),
                           "scalar"_ = envpool::Discrete(7),
                           "flexible"_ = Spec<float>(config["shape"_])};
    }
  }
};

class Arrays : public envpool::Env<ArraysSpec> {
 public:
  using Env::Env;

  bool IsDone() override { return false; }
  void Reset() override { Allocate(); }
  void Step(const Action& action) override {
    State state = Allocate();
    state["obs:bool"_] = action["bool"_];
    state["obs:int8"_] = action["int8"_];
    state["obs:uint8"_] = action["uint8"_];
    state["obs:int16"_] = action["int16"_];
    state["obs:uint16"_] = action["uint16"_];
    state["obs:int32"_] = action["int32"_];
    state["obs:uint32"_] = action["uint32"_];
    state["obs:int64"_] = action["int64"_];
    state["obs:uint64"_] = action["uint64"_];
    state["obs:float32"_] = action["float32"_];
    state["obs:float64"_] = action["float64"_];
    state["obs:bounded"_] = action["bounded"_];
    state["obs:scalar"_] = action["scalar"_];
    state["obs:flexible"_] = action["flexible"_];
  }
};

struct ImageSpec {
  static auto DefaultConfig() { return envpool::Dict{"side"_ = 12}; }
  static auto StateSpec(const auto& config) {
    const int side = config["side"_];
    return envpool::Dict{"obs"_ = envpool::Box<std::uint8_t>({3, side, side}, 0, 255),
                         "info:sum"_ = envpool::Spec<double>({2})};
  }
  static auto ActionSpec(const auto&) {
    return envpool::Dict{"action"_ = envpool::Box<float>({envpool::kPlayers, 2}, -1.0f, 1.0f)};
  }
};

class Image : public envpool::Env<ImageSpec> {
 public:
  using Env::Env;

  bool IsDone() override { return false; }
  void Reset() override { Write(); }
  void Step(const Action&) override { Write(); }

 private:
  void Write() {
    State state = Allocate();
    const auto side = static_cast<unsigned>(spec_.config["side"_]);
    const auto at = static_cast<unsigned>(env_id_ * 7 + step_++ * 5);
    state["obs"_](at % 3, at % side, at / side % side) = 255;
    if (step_ % 2 == 0) state["info:sum"_][1] = 1;
  }
  int step_ = 0;
};

}  // namespace testing_envs
