// SPDX-License-Identifier: Apache-2.0
// A level of BabyAI: rooms, and a function that furnishes them and gives the instruction.
//
//   inline void GoToObj(Rooms& rooms) {
//     rooms.PlaceAgent();
//     const Id thing = rooms.AddDistractors(1, true)[0];
//     rooms.w.instruction = Ask(GoTo(Describe(rooms.w, thing)));
//   }
//   inline const Level kGoToObj = BabyAi<GoToObj>("babyai_goto_obj", "");
//
// Levels whose instruction cannot be asked for, or whose things cannot be reached, are drawn again.
#pragma once

#include <string_view>
#include <vector>

#include "verifier.h"

namespace minigrid {

/// Whether a way leads to everything that is no wall: through empty cells and doors.
inline bool IsAllReachable(const World& w) {
  std::vector<char> reached(static_cast<std::size_t>(w.width() * w.height()));
  std::vector<Point> stack = {w.agent};
  const auto seen = [&](Point at) -> char& {
    return reached[static_cast<std::size_t>(at.y * w.width() + at.x)];
  };
  seen(w.agent) = 1;
  while (!stack.empty()) {
    const Point at = stack.back();
    stack.pop_back();
    const Id id = w.At(at);
    if (id != kNothing && w.look(id).kind != kDoor) continue;
    for (const Point step : kSteps) {
      const Point next = at + step;
      if (!w.grid.Has(next) || seen(next) != 0) continue;
      seen(next) = 1;
      stack.push_back(next);
    }
  }
  for (int y = 0; y < w.height(); ++y) {
    for (int x = 0; x < w.width(); ++x) {
      const Id id = w.At({x, y});
      if (id != kNothing && id != kWallId && seen({x, y}) == 0) return false;
    }
  }
  return true;
}
inline void RequireReachable(World& w) {
  if (!w.failed() && !IsAllReachable(w)) w.Fail();
}

/// The limit of steps of an instruction: so many for each thing to go to.
inline int StepsOf(const Rooms& rooms, const Instruction& instruction) {
  int ways = 0;
  ForEachClause(instruction,
                [&](const Clause& clause) { ways += clause.verb == Verb::kPutNext ? 2 : 1; });
  return ways * rooms.size() * rooms.size() * rooms.rows() * rooms.cols();
}

template <void (*kFurnish)(Rooms&), bool kLevelGen = false>
void GenerateBabyAi(World& w) {
  Rooms rooms(w);
  w.instruction = {};
  kFurnish(rooms);
  if (w.failed()) return;
  if (!IsValid(rooms, w.instruction, kLevelGen && w.options["unblocking"_])) return w.Fail();
  w.max_steps = StepsOf(rooms, w.instruction);
  Say(w.mission, w.instruction);
}

inline void StepBabyAi(World& w, Turn& turn) {
  Act(w, turn);
  if (turn.action == kDrop) LookAgain(w);
  const Verdict verdict = Verify(w, w.instruction, turn.action);
  if (verdict == Verdict::kSuccess) w.Succeed(turn);
  if (verdict == Verdict::kFailure) World::Lose(turn);
}

/// `steps_per_area`: so many steps for each cell of a room; 0: the limit is the instruction's.
template <int kSteps, int kRows, int kCols, int kSize>
Layout BabyAiLayout(const Options& o) {
  const int size = o["room_size"_];
  return RoomLayout(o, kSteps * size * size, kRows, kCols, kSize);
}

/// At least so many rows and columns of rooms, of at least this size.
template <void (*kFurnish)(Rooms&), int kSteps = 0, int kRows = 1, int kCols = 1, int kSize = 4>
Level BabyAi(std::string_view name, std::string_view options,
             Layout (*layout)(const Options&) = BabyAiLayout<kSteps, kRows, kCols, kSize>) {
  return {.name = name,
          .options = options,
          .layout = layout,
          .generate = GenerateBabyAi<kFurnish>,
          .step = StepBabyAi,
          .longest_mission = 321};
}

}  // namespace minigrid
