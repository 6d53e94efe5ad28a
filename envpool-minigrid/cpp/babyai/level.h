// SPDX-License-Identifier: Apache-2.0
// A level of BabyAI: rooms, and a function that furnishes them and returns the instruction.
//
//   inline Instruction GoToObj(Gridworld& w, Rooms& rooms) {
//     rooms.PlaceAgent();
//     const Id thing = rooms.AddDistractors(1, true)[0];
//     return GoTo(Describe(w, thing));
//   }
//   const Level level = BabyAi("babyai_goto_obj", "", RoomGrid(0), GoToObj);
//
// A level with an invalid instruction, or with things that cannot be reached, is drawn again.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verifier.h"

namespace envpool::minigrid {

/// True if everything except walls can be reached through empty cells and doors.
inline bool IsAllReachable(const Gridworld& w) {
  std::vector<char> reached(w.width() * w.height());
  std::vector<Point> stack = {w.agent};
  const auto seen = [&](Point at) -> char& { return reached[at.y * w.width() + at.x]; };
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
inline void RequireReachable(Gridworld& w) {
  if (!w.failed() && !IsAllReachable(w)) w.Fail();
}

/// The step limit of an instruction: a number for each thing that the agent must go to.
inline int StepsOf(const Rooms& rooms, const Instruction& instruction) {
  int ways = 0;
  ForEachClause(instruction,
                [&](const Clause& clause) { ways += clause.verb == Verb::kPutNext ? 2 : 1; });
  return ways * rooms.size() * rooms.size() * rooms.rows() * rooms.cols();
}

using Furnish = Instruction (*)(Gridworld&, Rooms&);
inline void GenerateBabyAi(Gridworld& w, Furnish furnish, bool unblocking = false) {
  Rooms rooms(w);
  w.instruction = furnish(w, rooms);
  if (w.failed()) return;
  if (!IsValid(w, rooms, w.instruction, unblocking)) return w.Fail();
  w.max_steps = StepsOf(rooms, w.instruction);
  Say(w.mission, w.instruction);
}

inline void StepBabyAi(Gridworld& w, Turn& turn) {
  Act(w, turn);
  if (turn.action == kDrop) LookAgain(w);
  const Verdict verdict = Verify(w, w.instruction, turn.action);
  if (verdict == Verdict::kSuccess) w.Succeed(turn);
  if (verdict == Verdict::kFailure) Gridworld::Lose(turn);
}

/// `options`: the level's options beside the three of rooms.
inline Level BabyAi(std::string_view name, std::string_view options, LayoutOf layout,
                    Furnish furnish, void (*check)(const Options&, const Layout&) = nullptr,
                    void (*begin)(Gridworld&) = nullptr) {
  return {.name = std::string(name),
          .options = std::string(kRoomOptions) + std::string(options),
          .layout = std::move(layout),
          .check = check,
          .generate = [furnish](Gridworld& w) { GenerateBabyAi(w, furnish); },
          .step = StepBabyAi,
          .begin = begin,
          .longest_mission = 321};
}

}  // namespace envpool::minigrid
