// SPDX-License-Identifier: Apache-2.0
// The interface of an observation: each agent has one observer.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "../scene.h"
#include "envpool/spec.h"
#include "envpool/state_io.h"

namespace envpool::highway {

class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  /// The arrays of an observation. `players`: true if they have a row per agent.
  virtual std::vector<ArraySpec> Specs(bool players) const = 0;
  /// Draws the random numbers that the package draws when it asks an observation for its space.
  virtual void DrawForSpace(Scene& /*scene*/) {}
  /// Forgets the last episode.
  virtual void Begin() {}
  /// Writes the observation of `ego` into the arrays.
  virtual void Observe(Scene& scene, const Vehicle& ego, std::span<std::byte* const> arrays) = 0;
  /// The drawing of an observation on frames, as points of a closed line; usually none.
  virtual std::vector<Vec> Outline() const { return {}; }
  virtual void Save(StateWriter& /*out*/) const {}
  virtual void Load(StateReader& /*in*/) {}

 protected:
  /// A shape, with a row per agent if `players`.
  static std::vector<int> Shape(bool players, std::vector<int> shape) {
    if (players) shape.insert(shape.begin(), kPlayers);
    return shape;
  }
};

}  // namespace envpool::highway
