// SPDX-License-Identifier: Apache-2.0
// FrozenLake: cross the ice to the goal without falling into a hole. Gymnasium's FrozenLake-v1
// (4x4) and FrozenLake8x8-v1, and users' own maps.
//
//   envpool::Register<envpool::classic::FrozenLake>(m, "FrozenLake");
//
// Observation: row * columns + column. Action: 0 left, 1 down, 2 right, 3 up; with `is_slippery`
// the move follows the action with probability `success_rate`, else it goes to either side. Reward:
// `reward_schedule` gives the rewards of the goal, a hole and ice; 1, 0, 0 by default. Terminal: a
// hole or the goal.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "envpool/drawing/frame_size.h"
#include "envpool/drawing/scale.h"
#include "envpool/env.h"
#include "envpool/error.h"
#include "envpool/option_checks.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "render/draw_frozen_lake.h"

namespace envpool::classic {
using namespace envpool::literals;

/// The map of the first given option of `desc`, `map_name` and `size`.
struct LakeMap {
  /// Throws OptionError unless the option is a map with a start.
  template <typename Config>
  explicit LakeMap(const Config& config) {
    const std::vector<std::string>& desc = config["desc"_];
    if (!desc.empty()) {
      Take(desc);
      return;
    }
    const std::string& name = config["map_name"_];
    const int side = config["size"_];
    if (name == "4x4" || (name.empty() && side == 4)) {
      Take({"SFFF", "FHFH", "FFFH", "HFFG"});
    } else if (name == "8x8" || (name.empty() && side == 8)) {
      Take({"SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF", "FFFHFFFF", "FHHFFFHF", "FHFFHFHF",
            "FFFHFFFG"});
    } else if (!name.empty()) {
      throw envpool::OptionError("map_name", "'" + name + "'", "'4x4', '8x8', '' for `size`",
                                 "pass one of these, or a map of your own as desc", {"4x4", "8x8"});
    } else {
      throw envpool::OptionError("size", std::to_string(side), "4, 8",
                                 "pass one of these, or a map of your own as desc");
    }
  }

  std::string cells;  // row by row: S start, F frozen, H hole, G goal
  int rows = 0, columns = 0;

 private:
  void Take(const std::vector<std::string>& desc) {
    rows = static_cast<int>(desc.size());
    columns = static_cast<int>(desc.front().size());
    for (const std::string& row : desc) {
      if (row.size() != desc.front().size() || row.empty() ||
          row.find_first_not_of("SFHG") != std::string::npos) {
        throw envpool::OptionError("desc", "a row '" + row + "'",
                                   "rows of one length, of the letters S, F, H and G",
                                   "correct the row");
      }
      cells += row;
    }
    if (cells.find('S') == std::string::npos) {
      throw envpool::OptionError("desc", "a map without a start", "one S or more",
                                 "put an S where episodes may start");
    }
  }
};

struct FrozenLakeSpec {
  static auto DefaultConfig() {
    return envpool::Dict{"reward_threshold"_ = 0.7,
                         "size"_ = 4,
                         "map_name"_ = "",
                         "desc"_ = std::vector<std::string>{},
                         "is_slippery"_ = true,
                         "success_rate"_ = 1.0 / 3,
                         "reward_schedule"_ = std::vector<double>{1, 0, 0}};
  }
  static auto StateSpec(const auto& config) {
    const LakeMap map(config);
    if (config["reward_schedule"_].size() != 3) {
      throw envpool::OptionError("reward_schedule",
                                 std::to_string(config["reward_schedule"_].size()) + " numbers",
                                 "3 numbers: of the goal, of a hole, of frozen ice", "pass three");
    }
    CheckProbability("success_rate", config["success_rate"_]);
    return envpool::Dict{"obs"_ = envpool::Discrete(map.rows * map.columns)};
  }
  static auto ActionSpec(const auto& /*config*/) {
    return envpool::Dict{"action"_ = envpool::Discrete(4)};
  }
};

class FrozenLake final : public envpool::Env<FrozenLakeSpec, envpool::NumpyRandom> {
 public:
  using Env::Env;
  static constexpr auto kStepKind = envpool::StepKind::kTrivial;

  bool IsDone() override { return Letter() == 'H' || Letter() == 'G'; }

  void Reset() override {
    cell_ = static_cast<int>(gen_.CategoricalSample(starts_));
    Write(0);
  }

  void Step(const Action& action) override {
    const double sideways = (1 - success_rate_) / 2;
    const std::array<double, 3> odds = {sideways, success_rate_, sideways};
    constexpr std::array<double, 1> kCertain = {1.0};
    const int turn = slippery_ ? static_cast<int>(gen_.CategoricalSample(odds)) - 1
                               : static_cast<int>(gen_.CategoricalSample(kCertain));
    Move((action["action"_] + turn) & 3);
    Write(static_cast<float>(rewards_[Letter() == 'G' ? 0 : Letter() == 'H' ? 1 : 2]));
  }

  void SaveState(envpool::StateWriter& out) const { out.Write(cell_); }
  void LoadState(envpool::StateReader& in) { in.Read(cell_); }

  std::pair<int, int> RenderSize(int width, int height) const {
    return FrameSize(width, height, FrozenLakeFrame(map_.rows, map_.columns));
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    DrawAtSize(rgb, {width, height}, FrozenLakeFrame(map_.rows, map_.columns),
               [this](const Canvas& canvas) {
                 DrawFrozenLake(canvas, {map_.cells, map_.rows, map_.columns, cell_});
               });
  }

 private:
  char Letter() const { return map_.cells[static_cast<std::size_t>(cell_)]; }

  void Move(int direction) {
    constexpr std::array<int, 4> kRows = {0, 1, 0, -1}, kColumns = {-1, 0, 1, 0};
    const auto i = static_cast<std::size_t>(direction);
    const int row = std::clamp(cell_ / map_.columns + kRows[i], 0, map_.rows - 1);
    const int column = std::clamp(cell_ % map_.columns + kColumns[i], 0, map_.columns - 1);
    cell_ = row * map_.columns + column;
  }

  void Write(float reward) {
    State state = Allocate();
    state["obs"_] = cell_;
    state["reward"_] = reward;
  }

  /// The probability of each cell as the start.
  std::vector<double> StartOdds() const {
    std::vector<double> odds(map_.cells.size());
    const auto count = std::count(map_.cells.begin(), map_.cells.end(), 'S');
    for (std::size_t i = 0; i < odds.size(); ++i) {
      odds[i] = map_.cells[i] == 'S' ? 1.0 / static_cast<double>(count) : 0.0;
    }
    return odds;
  }

  const LakeMap map_{spec_.config};
  const std::vector<double> starts_ = StartOdds();
  const bool slippery_ = spec_.config["is_slippery"_];
  const double success_rate_ = spec_.config["success_rate"_];
  const std::vector<double> rewards_ = spec_.config["reward_schedule"_];
  int cell_ = 0;
};

}  // namespace envpool::classic
