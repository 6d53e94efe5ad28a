// SPDX-License-Identifier: Apache-2.0
// Rewards of one player: by game variables, as EnvPool gives them, or by the scenario, as ViZDoom
// does.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "game/game.h"

namespace envpool::vizdoom {

/// The value of a game variable, by its number.
double ReadVariable(const Engine& engine, int variable);

/// By name of a variable: what an increase of 1 gives, and what a decrease of 1 does.
using RewardConfig = std::map<std::string, std::tuple<float, float>>;
/// By slot of a weapon: what holding it gives for a step.
using WeaponRewardConfig = std::map<int, float>;

/// The game variables of a player, as the info shows them, and a reward for their changes. Counters
/// of hits, damage and deaths, which the engine does not reset, are from the begin of the episode;
/// in place of the health that the engine shows while there is no player stands the last one.
class VariableRewards {
 public:
  VariableRewards(std::vector<int> variables, const RewardConfig& rewards,
                  const WeaponRewardConfig& weapons, int weapon_duration);

  /// An episode begins.
  void Begin(const Engine& engine);
  /// A step was taken; returns its reward.
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

/// What the scenario gives: its own programmed reward, and what its configuration says besides.
class ScenarioReward {
 public:
  explicit ScenarioReward(const ScenarioRewards& rewards) : rewards_(rewards) {}

  /// An episode begins.
  void Begin(const Game& game, int player);
  /// A step was taken; returns its reward.
  double Step(const Game& game, int player);

 private:
  const ScenarioRewards rewards_;
  double map_reward_ = 0;
  std::uint32_t tic_ = 0;
  std::int32_t kills_ = 0, secrets_ = 0, items_ = 0, frags_ = 0, hits_ = 0, hits_taken_ = 0,
               damage_ = 0, damage_taken_ = 0, health_ = 0, armor_ = 0;
};

}  // namespace envpool::vizdoom
