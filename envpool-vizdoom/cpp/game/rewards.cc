// SPDX-License-Identifier: Apache-2.0
#include "game/rewards.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "game/names.h"

namespace envpool::vizdoom {
namespace {

// Limits: without them a hit with a large weapon would be worth more than a kill.
constexpr double kMostDamage = 200, kMostHits = 5;
constexpr double kWholeHealth = 100;
constexpr double kLeastHealth = -10000;  // the engine reports -999900 while there is no player

bool CountsFromTheBegin(int variable) {
  return variable == kHitCount || variable == kDamageCount || variable == kDeathCount;
}

}  // namespace

double ReadVariable(const Engine& engine, int variable) {
  const GameState& game = engine.game();
  const Counters& counters = engine.counters();
  const auto at = [&](const auto& row, int first) {
    return static_cast<double>(row[variable - first]);
  };
  switch (variable) {
    case kKillCount:
      return game.map_kills;
    case kItemCount:
      return game.map_items;
    case kSecretCount:
      return game.map_secrets;
    case kFragCount:
      return game.frags;
    case kDeathCount:
      return game.deaths;
    case kHitCount:
      return counters.hits;
    case kHitsTaken:
      return counters.hits_taken;
    case kDamageCount:
      return counters.damage;
    case kDamageTaken:
      return counters.damage_taken;
    case kHealth:
      return game.health;
    case kArmor:
      return game.armor;
    case kDead:
      return game.player_dead;
    case kOnGround:
      return game.on_ground;
    case kAttackReady:
      return game.attack_ready;
    case kAlternativeAttackReady:
      return game.alternative_attack_ready;
    case kSelectedWeapon:
      return game.selected_weapon;
    case kSelectedWeaponAmmo:
      return game.selected_weapon_ammo;
    case kPlayerNumber:
      return game.player_number;
    case kPlayerCount:
      return game.player_count;
    default:
      break;
  }
  if (variable >= kUser1) return at(game.user_variables, kUser1);
  if (variable >= kPlayer1FragCount) return at(game.player_frags, kPlayer1FragCount);
  if (variable >= kCameraPositionX) return at(game.camera, kCameraPositionX);
  if (variable >= kPositionX) return at(game.movement, kPositionX);
  if (variable >= kWeapon0) return at(game.weapon, kWeapon0);
  return at(game.ammo, kAmmo0);
}

VariableRewards::VariableRewards(std::vector<int> variables, const RewardConfig& rewards,
                                 const WeaponRewardConfig& weapons, int weapon_duration)
    : variables_(std::move(variables)),
      values_(variables_.size()),
      last_(variables_.size()),
      base_(variables_.size()),
      weights_(variables_.size()),
      weapon_duration_(weapon_duration) {
  for (const auto& [name, weights] : rewards) {
    const auto found = std::find(variables_.begin(), variables_.end(), FindVariable(name));
    if (found == variables_.end()) continue;
    weights_[static_cast<std::size_t>(found - variables_.begin())] = {std::get<0>(weights),
                                                                      std::get<1>(weights)};
  }
  for (const auto& [slot, reward] : weapons) weapon_rewards_[slot] = reward;
}

void VariableRewards::Begin(const Engine& engine) {
  std::fill(base_.begin(), base_.end(), 0.0);
  Read(engine);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (CountsFromTheBegin(variables_[i])) base_[i] = std::exchange(values_[i], 0.0);
  }
  weapon_ = -1;
  held_ = 0;
  last_ = values_;
  for (std::size_t i = 0; i < variables_.size(); ++i) Change(i);
  CountWeapon();
}

float VariableRewards::Step(const Engine& engine) {
  std::swap(last_, values_);
  Read(engine);
  float reward = 0;
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const double change = Change(i);
    if (change >= 0) {
      reward += static_cast<float>(change * weights_[i].up);
    } else {
      reward -= static_cast<float>(change * weights_[i].down);
    }
  }
  CountWeapon();
  if (weapon_ >= 0 && weapon_ < kSlots && held_ >= weapon_duration_ && ammo_ > 0) {
    reward += weapon_rewards_[weapon_];
  }
  return reward;
}

void VariableRewards::Read(const Engine& engine) {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    values_[i] = ReadVariable(engine, variables_[i]) - base_[i];
  }
}

double VariableRewards::Change(std::size_t i) {
  if (variables_[i] == kHealth) {
    const bool was = last_[i] > kLeastHealth, is = values_[i] > kLeastHealth;
    if (!was) last_[i] = is ? values_[i] : kWholeHealth;
    if (!is) values_[i] = last_[i];
  }
  const double change = values_[i] - last_[i];
  if (variables_[i] == kDamageCount) return std::min(change, kMostDamage);
  if (variables_[i] == kHitCount) return std::min(change, kMostHits);
  return change;
}

void VariableRewards::CountWeapon() {
  int weapon = -1;
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (variables_[i] == kSelectedWeapon) weapon = static_cast<int>(values_[i]);
    if (variables_[i] == kSelectedWeaponAmmo) ammo_ = static_cast<int>(values_[i]);
  }
  held_ = weapon == weapon_ ? held_ + 1 : 1;
  weapon_ = weapon;
}

void ScenarioReward::Begin(const Game& game, int player) {
  tic_ = 0;
  Step(game, player);
}

double ScenarioReward::Step(const Game& game, int player) {
  const GameState& now = game.engine(player).game();
  const Counters& counters = game.engine(player).counters();
  double reward = 0;
  const double map_reward = now.map_reward / 65536.0;
  reward += map_reward - std::exchange(map_reward_, map_reward);
  const auto lived =
      static_cast<std::int32_t>(game.last_tic(player) - std::exchange(tic_, game.last_tic(player)));
  reward += std::max(lived, 0) * rewards_.living;
  if (now.player_dead) {
    reward -= rewards_.death_penalty;
  } else if (game.ended()) {
    reward += rewards_.map_exit;
  }
  // In ViZDoom's order, because sums of floating-point numbers depend on it; decreases are ignored.
  const auto add = [&](std::int32_t& last, std::int32_t value, double each) {
    if (each != 0 && value > last) reward += (value - last) * each;
    last = value;
  };
  add(kills_, now.kills, rewards_.kill);
  add(secrets_, now.secrets, rewards_.secret);
  add(items_, now.items, rewards_.item);
  add(frags_, now.frags, rewards_.frag);
  add(hits_, counters.hits, rewards_.hit);
  add(hits_taken_, counters.hits_taken, -rewards_.hit_taken_penalty);
  add(damage_, counters.damage, rewards_.damage_made);
  add(damage_taken_, counters.damage_taken, -rewards_.damage_taken_penalty);
  add(health_, now.health, rewards_.health);
  add(armor_, now.armor, rewards_.armor);
  return reward;
}

}  // namespace envpool::vizdoom
