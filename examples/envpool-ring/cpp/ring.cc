// SPDX-License-Identifier: Apache-2.0
// A ring of several lanes, on which all drive clockwise: the agent has to get ahead through slower
// cars. `roundabout_radius` is that of the innermost lane.

#include <envpool/module.h>
#include <envpool_highway/highway_env.h>

using namespace envpool::highway;

namespace {

constexpr const char* kNodes[] = {"east", "south", "west", "north"};
constexpr int kQuarters = 4;
constexpr double kWidth = 4, kSpeedLimit = 15;

Network MakeRing(const Options& options, envpool::NumpyRandom& /*rng*/) {
  Network network;
  const int lanes = options["lanes_count"_];
  for (int i = 0; i < lanes; ++i) {
    const double radius = options["roundabout_radius"_] + kWidth * i;
    for (int k = 0; k < kQuarters; ++k) {
      const double from = kPi / 2 * k, to = kPi / 2 * (k + 1);
      network.AddLane(
          kNodes[k], kNodes[(k + 1) % kQuarters],
          Lane::Arc({0, 0}, radius, from, to)
              .SpeedLimit(kSpeedLimit)
              .Lines(i == 0 ? kContinuous : kStriped, i == lanes - 1 ? kContinuous : kNoLine));
    }
  }
  return network;
}

/// The agent is in the east, on the outermost lane; the others begin evenly around the ring.
void Populate(Scene& scene) {
  Road& road = scene.road;
  const int lanes = scene.options["lanes_count"_], cars = scene.options["vehicles_count"_];
  const LaneIndex outermost = road.network.At("east", "south", lanes - 1);
  scene.AddAgent(scene.MakeAgent(road.PoseOn(outermost, 0), 10));
  for (int i = 1; i <= cars; ++i) {
    const double turn = static_cast<double>(kQuarters * i) / (cars + 1);
    const int quarter = static_cast<int>(turn);
    const int lane = static_cast<int>(scene.rng.Integers(0, lanes));
    const LaneIndex index =
        road.network.At(kNodes[quarter], kNodes[(quarter + 1) % kQuarters], lane);
    const double along = (turn - quarter) * road.network.lane(index).length();
    Vehicle car = scene.MakeDriver(road.PoseOn(index, along), scene.rng.Uniform(6, 10));
    scene.RandomizeBehavior(car);
    road.Add(car);
  }
}

const Scenario kRing{
    .name = "ring",
    .network = MakeRing,
    .populate = Populate,
    .terms = {Term<"collision_reward">(Crashed),
              Term<"high_speed_reward">([](const Scene& scene, const Vehicle& v) {
                return Clip(ScaledSpeed(scene, v.speed), 0, 1);
              })},
    .check =
        [](const Options& options) {
          CheckRange("lanes_count", options["lanes_count"_], 1, 8);
          CheckRange("vehicles_count", options["vehicles_count"_], 0, 100);
          CheckRange("roundabout_radius", options["roundabout_radius"_], 10, 1000);
        },
};

}  // namespace

PYBIND11_MODULE(_ring, m) {
  AddScenarios({kRing});
  envpool::Register<HighwayEnv>(m, "Highway");
}
