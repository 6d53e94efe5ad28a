// SPDX-License-Identifier: Apache-2.0
// The rewards of one player: by game variables as in EnvPool, or by the scenario as in ViZDoom.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "game/game.h"

namespace envpool::vizdoom {

/// The value of a game variable, by its number.
double ReadVariable(const Engine& engine, int variable);

/// By name of a variable: the rewards of an increase of 1 and of a decrease of 1.
using RewardConfig = std::map<std::string, std::tuple<float, float>>;
/// By slot of a weapon: the reward of holding it for a step.
using WeaponRewardConfig = std::map<int, float>;

/// The game variables of a player, as the info shows them, and a reward for their changes. The
/// engine does not reset the counters of hits, damage and deaths; here they count from the
/// beginning of the episode. While there is no player, health keeps its last value.
class VariableRewards {
 public:
  VariableRewards(std::vector<int> variables, const RewardConfig& rewards,
                  const WeaponRewardConfig& weapons, int weapon_duration);

  /// Call it when an episode begins.
  void Begin(const Engine& engine);
  /// Call it after a step; returns the step's reward.
  float Step(const Engine& engine);
  const std::vector<double>& values() const { return values_; }

 private:
  void Read(const Engine& engine);
  double Change(std::size_t i);
  void CountWeapon();

  struct Weights {
    double up = 0, down = 0;
  };
  std::vector<int> variables_;
  std::vector<double> values_, last_, base_;
  std::vector<Weights> weights_;
  float weapon_rewards_[kSlots] = {};
  int weapon_duration_, weapon_ = -1, held_ = 0, ammo_ = 0;
};

/// The scenario's reward: its programmed reward, and the rewards of its configuration.
class ScenarioReward {
 public:
  explicit ScenarioReward(const ScenarioRewards& rewards) : rewards_(rewards) {}

  /// Call it when an episode begins.
  void Begin(const Game& game, int player);
  /// Call it after a step; returns the step's reward.
  double Step(const Game& game, int player);

 private:
  const ScenarioRewards rewards_;
  double map_reward_ = 0;
  std::uint32_t tic_ = 0;
  std::int32_t kills_ = 0, secrets_ = 0, items_ = 0, frags_ = 0, hits_ = 0, hits_taken_ = 0,
               damage_ = 0, damage_taken_ = 0, health_ = 0, armor_ = 0;
};

}  // namespace envpool::vizdoom
