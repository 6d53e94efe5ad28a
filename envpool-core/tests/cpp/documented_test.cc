// SPDX-License-Identifier: Apache-2.0
// Spellings of the EnvPool documentation that the environments of the other tests have no use for:
// the type Array, helpers that take a State or an Action, and arrays of the only player that are
// indexed without the player. Compiled without ENVPOOL_TEST, as environments are.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "envpool/core/array.h"
#include "envpool/core/async_envpool.h"
#include "envpool/core/env.h"
#include "support.h"

namespace {

using envpool::DType;
using testing_envs::Op;
using testing_envs::TestPool;
using testing_envs::TextOf;

class PushEnvFns {
 public:
  static decltype(auto) DefaultConfig() { return MakeDict("read"_.Bind(2)); }
  template <typename Config>
  static decltype(auto) StateSpec(const Config& /*conf*/) {
    return MakeDict("obs"_.Bind(Spec<float>({-1, 4})), "info:bytes"_.Bind(Spec<uint8_t>({2, 3})),
                    "info:list"_.Bind(Spec<Container<int>>({-1})));
  }
  template <typename Config>
  static decltype(auto) ActionSpec(const Config& /*conf*/) {
    return MakeDict("action"_.Bind(Spec<float>({-1, 4}, {-200.0, 200.0})));
  }
};

using PushEnvSpec = EnvSpec<PushEnvFns>;

/// Numbers 0, 1, 2, ... into an array of any type.
void Fill(const Array& array) {
  for (std::size_t i = 0; i < array.Shape(0); ++i) {
    for (std::size_t j = 0; j < array.Shape(1); ++j) array(i, j) = i * array.Shape(1) + j;
  }
}

template <typename State>
void WriteReward(State& state, float reward) {
  state["reward"_] = reward;
}

class PushEnv : public Env<PushEnvSpec> {
 public:
  PushEnv(const Spec& spec, int env_id) : Env<PushEnvSpec>(spec, env_id) {}

  bool IsDone() override { return false; }
  void Reset() override {
    State state = Allocate();
    WriteObs(state);
  }
  void Step(const Action& action) override {
    float push = action["action"_][spec_.config["read"_]];
    float same = action["action"_][0][2];
    CHECK(spec_.config["read"_] != 2 || push == same);
    CHECK_EQ(Second(action), static_cast<float>(action["action"_](0, 1)));
    State state = Allocate();
    WriteObs(state);
    WriteReward(state, push);
  }

 private:
  static float Second(const Action& action) {
    Array all = action["action"_];
    return all[1];
  }
  void WriteObs(State& state) {
    Array obs = state["obs"_];
    obs[0] = 0.5;
    obs[3] = 3;
    Fill(state["info:bytes"_]);
    Array list = state["info:list"_];
    Container<int>& first = list[0];
    first.reset(new TArray<int>(::Spec<int>({2})));
    const Array numbers = *first;
    numbers[1] = 5;
  }
};

using PushEnvPool = AsyncEnvPool<PushEnv>;

/// Steps two environments whose actions are 0 .. 3 and 100 .. 103; returns the rewards.
std::vector<float> Rewards(int read) {
  TestPool<PushEnv> pool({.num_envs = 2, .batch_size = 2, .num_threads = 1},
                         [&](auto& config) { config["read"_] = read; });
  pool.Send({0, 1}, Op::kReset);
  pool->Release(*pool.Recv().batch);
  pool->CheckSend(nullptr, 2, Op::kStep);
  for (int id = 0; id < 2; ++id) {
    auto* action = reinterpret_cast<float*>(pool->actions().columns()[2]) + 4 * id;
    for (int i = 0; i < 4; ++i) action[i] = static_cast<float>(100 * id + i);
  }
  pool->Send(nullptr, 2, Op::kStep);
  const auto received = pool.Recv();
  const auto* reward = received.batch->column<float>(envpool::kRewardColumn);
  const std::vector<float> rewards{reward[0], reward[1]};
  const auto* obs = received.batch->column<float>(envpool::kNumCommonColumns);
  EXPECT(obs[0] == 0.5f && obs[3] == 3 && obs[4] == 0.5f && obs[7] == 3);
  const auto* bytes = received.batch->column<std::uint8_t>(envpool::kNumCommonColumns + 1);
  for (int i = 0; i < 12; ++i) EXPECT(bytes[i] == i % 6);
  pool->Release(*received.batch);
  return rewards;
}

void OneIndexForTheOnlyPlayer() {
  for (const int read : {0, 1, 2, 3}) {
    const auto number = static_cast<float>(read);
    EXPECT((Rewards(read) == std::vector<float>{number, 100 + number}));
  }
  // The next number in memory is the next environment's: a WorkerError, not its action.
  for (const int read : {4, -1}) {
    EXPECT(TextOf([&] { Rewards(read); })
               .find("index " + std::to_string(read) +
                     " of an array of shape (1, 4): allowed are 0 .. 3") != std::string::npos);
  }
}

void Arrays() {
  TArray<std::int16_t> numbers(::Spec<std::int16_t>({2, 3}));
  const Array array = numbers;
  Fill(array);
  EXPECT(numbers(1, 2) == 5 && array.size == 6 && array.size() == 6 && array.ndim == 2);
  EXPECT(array.element_size == 2 && array.dtype() == DType::kInt16 && array[1].ndim() == 1);
  EXPECT((array.Shape() == std::vector<std::size_t>{2, 3}) && array[1].Shape(0) == 3);
  EXPECT(array.data() == numbers.data() && array[1].Data() == numbers.data() + 3);
  EXPECT(static_cast<std::int16_t*>(array(1, 1).data()) == numbers.data() + 4);
  const double as_double = array(1, 1);
  const bool as_bool = array(0, 0);
  EXPECT(as_double == 4 && !as_bool);
  array[1] = 7.9;  // the first of the row
  EXPECT(numbers(1, 0) == 7);
  array[0].Assign(9, 8.5, true);
  EXPECT(numbers(0, 0) == 9 && numbers(0, 1) == 8 && numbers(0, 2) == 1);
  array[1] = array[0];
  EXPECT(numbers(1, 1) == 8);
  TArray<double> doubles(std::vector<int>{3});
  Array(doubles).Assign(array[1]);
  EXPECT(doubles[0] == 9 && doubles[1] == 8 && doubles[2] == 1);
  const float source[] = {1.5f, 2.5f, 3.5f};
  array.Slice(1, 2).Assign(source, 3);
  EXPECT(numbers(1, 2) == 3);
  array[1].Fill(4u);
  EXPECT(numbers(1, 2) == 4 && numbers(0, 2) == 1);
  array.Zero();
  EXPECT(numbers(0, 0) == 0 && numbers(1, 2) == 0);
  EXPECT(TextOf([&] { array(1, 3); }) == "index 3 of an array of shape (3,): allowed are 0 .. 2");
  EXPECT(TextOf([&] { array[0].Assign(1); }) == "Assign got 1 values for an array of 3");
  EXPECT(TextOf([&] { array[0] = array; }) == "Assign got 6 values for an array of 3");
  EXPECT(
      TextOf([&] { [[maybe_unused]] Container<int>& list = array[0]; }).starts_with("Container"));
}

template <typename T>
void EveryType() {
  TArray<T> owner(std::vector<int>{2});
  const Array array = owner;
  array.Assign(0, 1);
  const T second = array[1];
  EXPECT(second == T{1} && owner[1] == T{1} && array.element_size == sizeof(T));
}

void DynamicElements() {
  Container<float> memory[2];
  const int* none = nullptr;
  const Array array = envpool::View<Container<float>>(memory, 2, 1, none, 1);
  Container<float>& second = array[1];
  EXPECT(&second == memory + 1 && array.dtype() == DType::kFloat32);
  EXPECT(!TextOf([&] { [[maybe_unused]] Container<int>& other = array[1]; }).empty());
  EXPECT(TextOf([&] { array[1] = 1; }).ends_with("an element of it is a Container<T>&"));
  EXPECT(!TextOf([&] { array.Zero(); }).empty() && !TextOf([&] { array = array; }).empty());
}

/// A range of numbers, and one of vectors, however it is spelled: no compiler takes one for the
/// other.
void RangesOfSpecs() {
  const std::vector<float> low{1, 2}, high{3, 4};
  const auto is_wide = [](const ::Spec<float>& spec) {
    return spec.low.size() == 2 && spec.high.size() == 2 && spec.low[1] == 2 && spec.high[1] == 4;
  };
  EXPECT(is_wide(::Spec<float>({2}, {low, high})));
  EXPECT(is_wide(::Spec<float>({2}, {{1, 2}, {3, 4}})));
  EXPECT(is_wide(::Spec<float>({2}, std::make_tuple(low, high))));
  const auto is_narrow = [](const auto& spec) {
    return spec.low.size() == 1 && spec.high.size() == 1 && spec.low[0] == 0 && spec.high[0] == 1;
  };
  EXPECT(is_narrow(::Spec<float>({2}, {0.0f, 1.0f})));
  EXPECT(is_narrow(::Spec<float>({2}, {0.0, 1.0})));
  EXPECT(is_narrow(::Spec<float>({2}, std::make_tuple(0.0f, 1.0f))));
  EXPECT(is_narrow(::Spec<int>({-1}, {0, 1})));
  EXPECT(is_narrow(::Spec<std::uint8_t>({}, {0, 1})));
  EXPECT(is_narrow(::Spec<bool>({}, {false, true})));
}

}  // namespace

int main() {
  RangesOfSpecs();
  OneIndexForTheOnlyPlayer();
  Arrays();
  EveryType<bool>();
  EveryType<std::int8_t>();
  EveryType<std::uint8_t>();
  EveryType<std::int16_t>();
  EveryType<std::uint16_t>();
  EveryType<int>();
  EveryType<unsigned>();
  EveryType<std::int64_t>();
  EveryType<long long>();
  EveryType<std::uint64_t>();
  EveryType<float>();
  EveryType<double>();
  DynamicElements();
  return 0;
}
