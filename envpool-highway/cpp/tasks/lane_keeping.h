// SPDX-License-Identifier: Apache-2.0
// Keep to a lane that is straight and then a sine: lane-keeping-v0.
//
// The reference is highway_env.envs.lane_keeping_env.
#pragma once

#include "../observations/goals.h"
#include "../scenario.h"

namespace envpool::highway {

inline Network LaneKeepingNetwork(const Options&, NumpyRandom&) {
  Network network;
  network.AddLane(
      "a", "b",
      Lane::Sine({0, 0}, {500, 0}, 5, 2 * kPi / 100, 0).Width(10).Lines(kStriped, kStriped));
  network.AddLane("c", "d",
                  Lane::Straight({50, 50}, {115, 15}).Width(10).Lines(kStriped, kStriped));
  const double y = 15 + 20 * (15 - 50) / static_cast<double>(115 - 50);
  network.AddLane("d", "a",
                  Lane::Straight({115, 15}, {115 + 20, y}).Width(10).Lines(kNoLine, kStriped));
  return network;
}
inline void PopulateLaneKeeping(Scene& scene) {
  const Network& network = scene.road.network;
  const Lane& lane = network.lane(network.At("c", "d", 0));
  scene.AddAgent(scene.MakeAgent({lane.Position(50, -4), lane.HeadingAt(0)}, 8.3));
}
inline const Scenario& LaneKeepingScenario() {
  static const Scenario scenario{
      .name = "lane_keeping",
      .network = LaneKeepingNetwork,
      .populate = PopulateLaneKeeping,
      .reward =
          [](const Scene& scene, const Vehicle& v, const double*) {
            const Lane& lane = Attributes::FollowedLane(scene);
            return 1 - numpy::Square(lane.LocalCoordinates(v.position).r / lane.width());
          },
      .terminated = [](const Scene&) { return false; },
      .before_step =
          [](Scene& scene) {
            const Lane& lane = Attributes::FollowedLane(scene);
            const bool left = !lane.OnLane(lane.LocalCoordinates(scene.agent(0).position));
            if (scene.stage == 0 && left) scene.stage = 1;
          },
      .observes_before_moving = true};
  return scenario;
}

}  // namespace envpool::highway
