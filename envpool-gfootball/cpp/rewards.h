// SPDX-License-Identifier: Apache-2.0
// The agents' rewards: goals, and checkpoints on the way to the goal.
//
// The reference for checkpoints is gfootball.env.wrappers.CheckpointRewardWrapper.
#pragma once

#include <cmath>
#include <string>

#include "envpool/error.h"
#include "view.h"

namespace envpool::gfootball {

/// True if checkpoints are rewarded. Throws OptionError.
inline bool PaysCheckpoints(const std::string& rewards) {
  return Chosen("rewards", rewards, {"scoring", "scoring,checkpoints"}) == 1;
}

/// The checkpoints of one agent.
class Checkpoints {
 public:
  void Begin() { collected_ = 0; }
  /// `reward` plus the reward of new checkpoints.
  float Paid(float reward, const View& view) {
    constexpr int kCount = 10;
    constexpr double kPaid = 0.1;
    if (reward == 1) {  // a goal: all remaining checkpoints
      reward += static_cast<float>(kPaid * (kCount - collected_));
      collected_ = kCount;
      return reward;
    }
    if (view.ball_owned_team() != 0 || view.match().ball_owned_player != view.active()) {
      return reward;
    }
    const double x = static_cast<double>(view.ball(0)) - 1, y = view.ball(1);
    const double distance = std::sqrt(x * x + y * y);
    while (collected_ < kCount && !(distance > 0.99 - 0.8 / (kCount - 1) * collected_)) {
      reward += static_cast<float>(kPaid);
      ++collected_;
    }
    return reward;
  }

 private:
  std::int32_t collected_ = 0;
};

}  // namespace envpool::gfootball
