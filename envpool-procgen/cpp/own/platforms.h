// SPDX-License-Identifier: Apache-2.0
// Platforms: the shared part of the games in which the agent jumps.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "own/game.h"

namespace envpool::procgen {

class Platforms : public Game {
 protected:
  // The agent's looks in all of these games.
  enum AgentLook : int { kInAir = 9, kWalking = 12 /* and the one after it */ };

  using Game::Game;

  /// Sets the values of a jump at the start of a level.
  void BeginOnGround() {
    gravity_ = 0.2f;
    max_jump_ = 1.5f;
    air_control_ = 0.15f;
    max_speed_ = .5f;
    supported_ = false;
    faces_right_ = true;
  }

  virtual bool Supports(int type) const = 0;

  /// True if one of two points below the agent lies in a thing that supports it.
  bool FindSupport() const {
    constexpr double kInside = .01;
    const Entity& player = agent();
    const auto rx = static_cast<double>(player.rx), ry = static_cast<double>(player.ry);
    const auto x = static_cast<double>(player.x);
    const auto below = static_cast<float>(static_cast<double>(player.y) - (ry + kInside));
    return Supports(CellAt(static_cast<float>(x - (rx - kInside)), below)) ||
           Supports(CellAt(static_cast<float>(x + (rx - kInside)), below));
  }

  /// The share of the sideways velocity that a step replaces by the wanted velocity.
  float Control() const { return supported_ ? mix_rate_ : mix_rate_ * air_control_; }
  void Steer() {
    const float control = Control(), strength = control * max_speed_;
    agent().vx = (1 - control) * agent().vx + strength * action_vx_;
  }

  /// Moves sideways as wanted, and up if a thing supports the agent.
  void SetAction(int move) override {
    action_vx_ = static_cast<float>(move / 3 - 1);
    if (action_vx_ != 0) faces_right_ = action_vx_ > 0;
    supported_ = FindSupport();
    action_vy_ = supported_ && move % 3 == 2 ? 1 : 0;
  }

  int ImageType(int type) const override {
    if (type != kPlayer) return Game::ImageType(type);
    if (StandsStill() && supported_) return kPlayer;
    return FirstPicture() || !supported_ ? kWalking : kWalking + 1;
  }

  /// True if the first of the two pictures of walking is shown.
  bool FirstPicture() const { return time_ / 5 % 2 == 0; }
  bool StandsStill() const {
    return static_cast<double>(std::fabs(agent().vx)) < .01 && action_vx_ == 0;
  }
  void Turn() {
    if (action_vx_ != 0) agent().mirrored = action_vx_ < 0;
  }

  float gravity_ = 0, air_control_ = 0;
  bool supported_ = false, faces_right_ = false;
};

}  // namespace envpool::procgen
