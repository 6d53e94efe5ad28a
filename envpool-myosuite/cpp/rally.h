// SPDX-License-Identifier: Apache-2.0
// Whether a ball was returned by the rules of table tennis, from what it touches, state after
// state. evaluate_pingpong_trajectory of myosuite 2.12.2.
#pragma once

#include <array>

namespace envpool::myosuite {

/// What a ball touches: paddle, own half, the other half, net, ground, anything else.
using BallTouches = std::array<double, 6>;

class Rally {
 public:
  /// Once it is decided it stays so. The reference ends no episode for a fault, which it means to.
  void See(const BallTouches& touches) {
    if (decided_) return;
    const bool paddle = touches[0] > 0, own = touches[1] > 0, other = touches[2] > 0;
    if (!paddle && hit_) left_ = true;
    if (paddle && left_) return Decide(false);
    hit_ = hit_ || paddle;
    if (own) {
      if (!bounced_) {
        bounced_ = true;
        bounces_ = 1;
      } else if (away_ || ++bounces_ > 2) {
        return Decide(false);
      }
    } else if (bounced_) {
      away_ = true;
    }
    if (other) Decide(hit_);
  }
  bool returned() const { return returned_; }

 private:
  void Decide(bool returned) {
    decided_ = true;
    returned_ = returned;
  }

  bool hit_ = false, left_ = false;  // the paddle was touched, and then no more
  bool bounced_ = false, away_ = false;
  int bounces_ = 0;  // on the own half, states of one touch
  bool decided_ = false, returned_ = false;
};

}  // namespace envpool::myosuite
