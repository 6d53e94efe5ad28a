// SPDX-License-Identifier: Apache-2.0
// Decides by the rules of table tennis whether a ball was returned, from its contacts in successive
// states. evaluate_pingpong_trajectory of myosuite 2.12.2.
#pragma once

#include <array>

namespace envpool::myosuite {

/// The ball's contacts: paddle, own half, the other half, net, ground, anything else.
using BallTouches = std::array<double, 6>;

class Rally {
 public:
  /// A decision is final. The reference intends to end an episode at a fault, but does not.
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

  bool hit_ = false, left_ = false;  // the paddle was touched, and then released
  bool bounced_ = false, away_ = false;
  int bounces_ = 0;  // bounces on the own half; states of one contact
  bool decided_ = false, returned_ = false;
};

}  // namespace envpool::myosuite
