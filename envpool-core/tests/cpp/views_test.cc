// SPDX-License-Identifier: Apache-2.0
// The types that an environment's author uses: dicts, specs, views, dynamic arrays, checks, saved
// values.
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "envpool/view.h"  // without ENVPOOL_TEST: indices are checked in every build
#define ENVPOOL_TEST
#include "envpool/core/env.h"
#include "envpool/state_io.h"
#include "support.h"

namespace testing_envs {
namespace {

using envpool::Box;
using envpool::DType;
using envpool::MakeArraySpec;
using envpool::View;

void Dicts() {
  auto dict = envpool::Dict{"a"_ = 1, "b"_ = 2.5, "c"_ = "text", "d"_.Bind(std::string("more"))};
  dict["a"_] += 4;
  EXPECT(dict["a"_] == 5 && dict["b"_] == 2.5);
  EXPECT(dict["c"_] + dict["d"_] == "textmore");
  static_assert(std::is_same_v<decltype(dict["c"_]), std::string&>);
  static_assert(decltype(dict)::size == 4);
  const auto joined =
      ConcatDict(dict, MakeDict("e"_.Bind(true), "f.g:h"_.Bind(std::vector<int>{7})));
  EXPECT(joined["e"_] && joined["f.g:h"_][0] == 7 && joined["a"_] == 5);
  std::string names;
  joined.ForEach([&](std::string_view name, const auto&) { names += std::string(name) + ","; });
  EXPECT(names == "a,b,c,d,e,f.g:h,");
}

void Specs() {
  const auto unbounded = MakeArraySpec("x", Spec<float>({4}));
  EXPECT(unbounded.dtype == DType::kFloat32 && unbounded.element_size == 4);
  EXPECT(unbounded.low[0] == -std::numeric_limits<double>::infinity());
  EXPECT(unbounded.high[0] == std::numeric_limits<double>::infinity());
  EXPECT(unbounded.int_low.empty() && !unbounded.per_player() && !unbounded.dynamic());
  const auto whole = MakeArraySpec("x", Spec<std::int64_t>({-1, 3}));
  EXPECT(whole.int_low[0] == std::numeric_limits<std::int64_t>::min());
  EXPECT(whole.int_high[0] == std::numeric_limits<std::int64_t>::max());
  EXPECT(whole.per_player() && whole.item_shape() == std::vector<int>{3} &&
         whole.item_size() == 24);
  const auto each = MakeArraySpec("x", Spec<float>({2}, {{0, -1}, {4, 1}}));
  EXPECT(each.low[1] == -1 && each.high[0] == 4);
  const auto all = MakeArraySpec("x", Box<float>({2, 2}, -1, {1, 2, 3, 4}));
  EXPECT(all.low.size() == 1 && all.high[3] == 4);
  const auto choice = MakeArraySpec("x", envpool::Discrete(6));
  EXPECT(choice.int_low[0] == 0 && choice.int_high[0] == 5 && choice.shape[0] == -1);
  const auto scalar = MakeArraySpec("x", Spec<bool>({}));
  EXPECT(scalar.dtype == DType::kBool && scalar.item_size() == 1);
  const auto dynamic = MakeArraySpec("x", Spec<Container<double>>({-1, 2}, Spec<double>({-1, 3})));
  EXPECT(dynamic.dynamic() && dynamic.dtype == DType::kFloat64);
  EXPECT(dynamic.item_size() == 2 * sizeof(void*) && dynamic.inner_shape[1] == 3);
  constexpr DType kLong = sizeof(long) == 8 ? DType::kUint64 : DType::kUint32;
  EXPECT(MakeArraySpec("x", Spec<unsigned long>({})).dtype == kLong);
  EXPECT(MakeArraySpec("x", Spec<long long>({})).dtype == DType::kInt64);
  EXPECT(MakeArraySpec("x", Spec<signed char>({})).dtype == DType::kInt8);
  EXPECT(TextOf([] {
           MakeArraySpec("size", Spec<int>({3, -1}));
         }).starts_with("array 'size': size -1"));
  EXPECT(TextOf([] { MakeArraySpec("many", Spec<int>({3}, {{0, 0}, {1, 1}})); }) ==
         "array 'many': 2 bounds for 3 elements; give one value or one per element");
}

void Views() {
  float memory[24] = {};
  const int dims[] = {3, 4};
  const View<float> view(memory, 2, 12, dims, 3);
  EXPECT(view.ndim() == 3 && view.size() == 24 && view.Shape(0) == 2 && view.Shape(2) == 4);
  EXPECT((view.Shape() == std::vector<std::size_t>{2, 3, 4}));
  view[1][2][3] = 23;
  view(0, 1, 2) = std::int64_t{6};  // converts
  view(1, 0) = view(0, 1);          // rows of four
  EXPECT(memory[23] == 23 && memory[6] == 6 && memory[14] == 6);
  const float value = view(1, 2, 3);
  const int as_int = static_cast<int>(view(1, 2, 3));
  EXPECT(value == 23 && as_int == 23);
  view[0][0][0] += 2;
  EXPECT(memory[0] == 2);
  view[0][0].Assign(1, 2.5, 3u, true);
  EXPECT(memory[1] == 2.5f && memory[3] == 1);
  const double numbers[] = {9, 8, 7, 6};
  view[0][2].Assign(numbers, 4);
  EXPECT(memory[8] == 9 && memory[11] == 6);
  view.Slice(1, 2).Fill(5);
  EXPECT(memory[12] == 5 && memory[23] == 5 && memory[11] == 6);
  view[1].Zero();
  EXPECT(memory[12] == 0 && memory[23] == 0);
  EXPECT(view.Slice(0, 0).size() == 0);
  EXPECT(view.data() == memory && view[1].Data() == memory + 12 && view.end() == memory + 24);
  EXPECT(TextOf([&] { view[0][0].Assign(1, 2); }) == "Assign got 2 values for an array of 4");
  EXPECT(TextOf([&] { view.Slice(1, 3); }) == "Slice(1, 3) of an array with 2 rows");
  EXPECT(TextOf([&] { view.Slice(2, 1); }) == "Slice(2, 1) of an array with 2 rows");
  float number = 4;
  const View<float> scalar(&number, 1, 1, nullptr, 0);
  EXPECT(scalar.ndim() == 0 && scalar.size() == 1 && scalar.Shape().empty() && scalar == 4);
  EXPECT(scalar[0] == 4);  // a scalar and an array of one are the same to most code
}

void IndicesThatLeaveAnArray() {
  float memory[24] = {};
  const int dims[] = {3, 4};
  const View<float> view(memory, 2, 12, dims, 3);
  EXPECT(TextOf([&] { view[2]; }) == "index 2 of an array of shape (2, 3, 4): allowed are 0 .. 1");
  EXPECT(TextOf([&] { view(2); }).starts_with("index 2 of an array of shape (2, 3, 4)"));
  EXPECT(TextOf([&] { view(0, 3); }) == "index 3 of an array of shape (3, 4): allowed are 0 .. 2");
  EXPECT(TextOf([&] { view(0, -1); }).starts_with("index -1 of an array of shape (3, 4)"));
  // All indices at once take another way, which names the same dimensions.
  for (const auto& [i, j, k, text] :
       {std::tuple(2, 0, 0, "index 2 of an array of shape (2, 3, 4): allowed are 0 .. 1"),
        std::tuple(0, 3, 0, "index 3 of an array of shape (3, 4): allowed are 0 .. 2"),
        std::tuple(1, 2, 4, "index 4 of an array of shape (4,): allowed are 0 .. 3"),
        std::tuple(1, 2, -1, "index -1 of an array of shape (4,): allowed are 0 .. 3")}) {
    EXPECT(TextOf([&] { view(i, j, k) = 1; }) == text);
    EXPECT(TextOf([&] { view[i][j][k] = 1; }) == text);
  }
  EXPECT(TextOf([&] { view(0, 0, 0, 1); }) == "index 1 of a lone number: only 0 is allowed");
  EXPECT(TextOf([&] { view[0][0][0][1]; }) == "index 1 of a lone number: only 0 is allowed");
  EXPECT(TextOf([&] { view.Slice(1, 1)[0]; }) ==
         "index 0 of an array of shape (0, 3, 4): there is nothing in it");
  EXPECT(TextOf([&] { view.Shape(3); }) == "Shape(3) of an array that has 3 dimensions");
  EXPECT(TextOf([&] { TArray<int>(std::vector<int>{2})[2]; }).starts_with("index 2 of an array"));
}

/// The shapes (kPlayers,), (kPlayers, 4) and (kPlayers, 2, 3) with max_num_players=1.
void TheOnlyPlayer() {
  float memory[6] = {0, 1, 2, 3, 4, 5};
  const int four[] = {4}, two_three[] = {2, 3};
  const View<float> numbers(memory, 1, 4, four, 2, true);
  for (int i = 0; i < 4; ++i) {
    EXPECT(numbers[i] == memory[i] && numbers(i) == memory[i]);
    EXPECT(numbers[0][i] == memory[i] && numbers(0, i) == memory[i]);
  }
  numbers[0] = 7;
  numbers[3] = 8;
  EXPECT(memory[0] == 7 && memory[3] == 8 && numbers[0].size() == 4);
  EXPECT(TextOf([&] { numbers[4]; }) == "index 4 of an array of shape (1, 4): allowed are 0 .. 3");
  EXPECT(TextOf([&] { numbers(1, 0); }).ends_with("(1, 4): allowed are 0 .. 0"));
  EXPECT(TextOf([&] { numbers(0, 4); }).starts_with("index 4 of an array of shape (4,)"));
  EXPECT(TextOf([&] { numbers[2][1]; }) == "index 1 of a lone number: only 0 is allowed");
  const View<float> lone(memory, 1, 1, four, 1, true);
  EXPECT(TextOf([&] { lone[1]; }) == "index 1 of an array of shape (1,): allowed are 0 .. 0");
  const View<float> nobody(memory, 0, 4, four, 2, true);
  EXPECT(TextOf([&] { nobody[1]; }).ends_with("(0, 4): there is nothing in it"));
  const View<float> rows(memory, 1, 6, two_three, 3, true);
  EXPECT(rows(0, 1, 2) == 5);
  // With (1, 2) nobody knows whether the 1 is of the player or of the player's array.
  const std::string text = TextOf([&] { rows(1, 2); });
  EXPECT(text.ends_with("(1, 2, 3): allowed are 0 .. 0, as the first index is the player's"));
  const View<float> among_more(memory, 1, 4, four, 2);  // max_num_players > 1, and one is left
  EXPECT(TextOf([&] { among_more[1]; }).ends_with("(1, 4): allowed are 0 .. 0"));
}

void DynamicArrays() {
  TArray<int> array(::Spec<int>({2, 3}));
  EXPECT(array.size() == 6 && array(1, 2) == 0 && array.Shape(1) == 3);
  array(1, 2) = 4.7;
  array[0][1] = 2;
  EXPECT(array.data()[5] == 4 && array.Data()[1] == 2);
  array.Fill(9);
  array.Zero();
  array.Assign(1, 2, 3, 4, 5, 6);
  EXPECT(array(1, 0) == 4);
  EXPECT(TArray<int>(std::vector<int>{0, 5}).size() == 0);
  EXPECT(TArray<int>(std::vector<int>{}).size() == 1);
  EXPECT(TextOf([] { TArray<int>(std::vector<int>{2, -1}); }) ==
         "TArray needs a shape without negative sizes");
}

void Checks() {
  const int two = 2;
  CHECK_EQ(two, 2) << "not evaluated";
  CHECK(two > 1);
  if (two == 2)
    CHECK_NE(two, 3);
  else
    EXPECT(false);
  const std::string text = TextOf([&] { CHECK_EQ(two, 3) << "for " << 7; });
  EXPECT(text.find("views_test.cc:") != std::string::npos);
  EXPECT(text.find("(two)==(3)") != std::string::npos || text.find("two") != std::string::npos);
  EXPECT(text.ends_with("(2 vs. 3) for 7"));
  EXPECT(TextOf([&] { CHECK_GE(two, 3); }).find("(2 vs. 3)") != std::string::npos);
  EXPECT(!TextOf([&] { CHECK_LT(two, 2); }).empty() && !TextOf([&] { CHECK_GT(two, 2); }).empty());
  EXPECT(TextOf([&] { CHECK_LE(two, 2); }).empty());
  EXPECT(TextOf([] { LOG(FATAL) << "the end"; }).ends_with("the end"));
  EXPECT(!TextOf([&] { DCHECK_EQ(two, 3); }).empty());  // as ENVPOOL_TEST is defined
}

void SavedValues() {
  envpool::StateWriter out;
  const std::vector<std::int16_t> numbers{1, -2, 3};
  const std::vector<bool> flags{true, false};
  struct Point {
    double x, y;
  };
  out.Write(1.5f, numbers, std::string("text"), Point{1, 2}, flags, std::vector<int>{},
            std::string());
  envpool::StateReader in(out.bytes().data(), out.bytes().size());
  float number = 0;
  std::vector<std::int16_t> read;
  std::vector<bool> read_flags;
  std::vector<int> none{5};
  std::string text, empty = "x";
  Point point{};
  in.Read(number, read, text, point, read_flags, none, empty);
  EXPECT(number == 1.5f && read == numbers && text == "text" && point.y == 2);
  EXPECT(read_flags == flags && none.empty() && empty.empty() && in.left() == 0);
  for (std::size_t size = 0; size < out.bytes().size(); ++size) {
    envpool::StateReader cut(out.bytes().data(), size);
    EXPECT(!TextOf([&] { cut.Read(number, read, text, point, read_flags, none, empty); }).empty());
  }
  // A count that was changed asks for no memory.
  const std::string huge(8, '\xff');
  envpool::StateReader damaged(huge.data(), huge.size());
  EXPECT(TextOf([&] { damaged.Read(read); }).find("shorter than its count") != std::string::npos);
}

}  // namespace
}  // namespace testing_envs

int main() {
  testing_envs::Dicts();
  testing_envs::Specs();
  testing_envs::Views();
  testing_envs::IndicesThatLeaveAnArray();
  testing_envs::TheOnlyPlayer();
  testing_envs::DynamicArrays();
  testing_envs::Checks();
  testing_envs::SavedValues();
  return 0;
}
