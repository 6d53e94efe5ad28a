// SPDX-License-Identifier: Apache-2.0
// Walk: from a random free cell of a floor plan, which is a file, to the exit.
//
//   #####      # wall   . floor   E exit
//   #..E#
//   #####
#pragma once

#include <envpool/assets.h>
#include <envpool/env.h>
#include <envpool/shared_asset.h>
#include <envpool/state_io.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gallery {

using namespace envpool::literals;
using envpool::Dict;

/// Red, green, blue of wall, floor, exit and visitor; empty until Python has read it.
inline std::vector<std::uint8_t>& Palette() {
  static std::vector<std::uint8_t> palette;
  return palette;
}

struct WalkSpec {
  static auto DefaultConfig() { return Dict{"plan"_ = "hall", "reward_threshold"_ = 0.0}; }
  static auto StateSpec(const auto& /*config*/) {
    return Dict{"obs"_ = envpool::Box<int>({2}, 0, 255), "info:steps"_ = envpool::Box<int>({}, 0),
                "info:trail"_ = envpool::Spec<envpool::Container<int>>({envpool::kPlayers})};
  }
  static auto ActionSpec(const auto& /*config*/) {
    return Dict{"action"_ = envpool::Discrete(4)};  // left, right, up, down
  }
};

/// The lines of a floor plan.
using Plan = std::vector<std::string>;
/// How often a plan was read, for the tests.
inline std::atomic<int> plans_read{0};

/// One for all environments, however many there are: it is read once, and nobody writes it.
std::shared_ptr<const Plan> FindPlan(const auto& config) {
  const std::string path = envpool::AssetPath(config, "maps/" + config["plan"_] + ".txt");
  return envpool::SharedAsset<Plan>::Get(envpool::FileKey(path), [&path] {
    ++plans_read;
    Plan plan;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) plan.push_back(line);
    return plan;
  });
}

class Walk : public envpool::Env<WalkSpec> {
 public:
  Walk(const Spec& spec, int env_id) : Env(spec, env_id), shared_plan_(FindPlan(spec.config)) {}

  bool IsDone() override { return plan_[y_][x_] == 'E'; }
  void Reset() override {
    do {
      y_ = std::uniform_int_distribution<std::size_t>(0, plan_.size() - 1)(gen_);
      x_ = std::uniform_int_distribution<std::size_t>(0, plan_[0].size() - 1)(gen_);
    } while (plan_[y_][x_] != '.');
    steps_ = 0;
    Write(0);
  }
  void Step(const Action& action) override {
    static constexpr std::pair<int, int> kMoves[] = {{0, -1}, {0, 1}, {-1, 0}, {1, 0}};
    const auto [down, right] = kMoves[static_cast<int>(action["action"_])];
    const auto y = y_ + static_cast<std::size_t>(down), x = x_ + static_cast<std::size_t>(right);
    if (plan_[y][x] != '#') {
      y_ = y;
      x_ = x;
    }
    ++steps_;
    Write(-1);
  }

  /// Cells of 4 pixels, or as large as fits.
  std::pair<int, int> RenderSize(int width, int height) const {
    return {width > 0 ? width : 4 * static_cast<int>(plan_[0].size()),
            height > 0 ? height : 4 * static_cast<int>(plan_.size())};
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    if (Palette().empty()) throw std::runtime_error("the palette has not been read");
    for (int i = 0; i < width * height; ++i) {
      const std::size_t y =
          static_cast<std::size_t>(i / width) * plan_.size() / static_cast<std::size_t>(height);
      const std::size_t x =
          static_cast<std::size_t>(i % width) * plan_[0].size() / static_cast<std::size_t>(width);
      const char cell = plan_[y][x];
      const std::size_t colour = y == y_ && x == x_ ? 3 : cell == 'E' ? 2 : cell == '.' ? 1 : 0;
      for (std::size_t c = 0; c < 3; ++c) *rgb++ = Palette()[3 * colour + c];
    }
  }

  void SaveState(envpool::StateWriter& out) const { out.Write(y_, x_, steps_); }
  void LoadState(envpool::StateReader& in) { in.Read(y_, x_, steps_); }

 private:
  void Write(float reward) {
    State state = Allocate();
    state["obs"_].Assign(y_, x_);
    state["reward"_] = reward;
    state["info:steps"_] = steps_;
    // As many zeros as steps: an array of its own shape.
    envpool::Container<int>& trail = state["info:trail"_][0];
    trail = std::make_unique<envpool::TArray<int>>(std::vector<int>{steps_});
  }

  const std::shared_ptr<const Plan> shared_plan_;
  const Plan& plan_ = *shared_plan_;
  std::size_t y_ = 0, x_ = 0;
  int steps_ = 0;
};

}  // namespace gallery
