// SPDX-License-Identifier: Apache-2.0
// run_walls, run_gaps: a walker runs along a corridor, around walls or over gaps in the floor.
// RunThroughCorridor of dm_control.locomotion.tasks.corridors, in the corridors that
// cmu_humanoid_run_walls, cmu_humanoid_run_gaps and rodent_run_gaps of its examples make.
#include <utility>

#include "dm_control/names.h"
#include "locomotion/locomotion_task.h"
#include "locomotion/still_geoms.h"
#include "locomotion/tasks.h"

namespace envpool::mujoco {
namespace {

struct Rules {
  const WalkerAnatomy* anatomy;
  double start;          // metres along the corridor
  double speed;          // metres a second, which are worth most
  bool falls;            // whether it fails when anything but its feet touches the floor
  double depth;          // and where an end effector is lower
  double width, length;  // of the corridor, metres
};

class RunCorridor : public LocomotionTask {
 public:
  RunCorridor(const mjModel& model, const Rules& rules, const char* body)
      : LocomotionTask(model, *rules.anatomy),
        rules_(rules),
        floor_(model.body_geomadr[0]),  // the first of the world's planes
        boxes_(model, {Names(model).body(body)}) {}

  Layout Observations() const override { return walker().Observations(); }
  void Prepare(Physics& physics) override { boxes_.Prepare(physics); }

  void Start(Physics& physics) override {
    // Boxes are drawn before the model is compiled there, so before all else.
    boxes_.RemoveFrom(PlaceBoxes(physics.random()));
    boxes_.FindVolumes();
    walker().Stand(physics);
    walker().Shift(physics, rules_.start, 0, 0);
  }

  void Advance(Physics& physics, int steps) override {
    physics.Step(steps, Simulation::Sensors::kNone);
    // The first look at what follows from the controls computes all of it anew.
    physics.ForwardWithActuators();
  }

  double* Observe(const Physics& physics, double* out) const override {
    return walker().Observe(physics, out);
  }

  double Reward(const Physics& physics) const override {
    return Tolerance(physics.subtree_velocity(walker().root(), kX), {.lower = rules_.speed,
                                                                     .upper = rules_.speed,
                                                                     .margin = rules_.speed,
                                                                     .shape = Shape::kLinear,
                                                                     .at_margin = 0});
  }

  bool Terminates(const Physics& physics) const override {
    return walker().IsBelow(physics, rules_.depth) ||
           (rules_.falls && walker().Falls(physics, [this](int geom) { return IsFloor(geom); }));
  }

 protected:
  /// regenerate: draws and places boxes; returns how many there are.
  virtual int PlaceBoxes(envpool::NumpyLegacyRandom& random) = 0;
  virtual bool IsFloor(int geom) const { return geom == floor_; }

  const Rules& rules() const { return rules_; }
  StillGeoms& boxes() { return boxes_; }
  const StillGeoms& boxes() const { return boxes_; }

 private:
  const Rules& rules_;
  const int floor_;
  StillGeoms boxes_;
};

/// WallsCorridor: every 4 m a wall from one side, then from the other.
class RunWalls final : public RunCorridor {
 public:
  RunWalls(const mjModel& model, const Rules& rules) : RunCorridor(model, rules, "walls") {}

 private:
  int PlaceBoxes(envpool::NumpyLegacyRandom& random) override {
    double side = -1;
    int wall = 0;
    for (double x = kFirst; x < rules().length; x += kBetween, ++wall) {
      side = -side;
      const double width = random.Uniform(1, 7);
      boxes().PlaceBox(wall, {x, side * (rules().width - width) / 2, kHeight / 2},
                       {kThickness / 2, width / 2, kHeight / 2});
    }
    return wall;
  }

  static constexpr double kFirst = 2, kBetween = 4, kHeight = 3, kThickness = 0.16;  // metres
};

/// GapsCorridor: platforms with gaps between them.
class RunGaps final : public RunCorridor {
 public:
  using Range = std::pair<double, double>;  // metres

  RunGaps(const mjModel& model, const Rules& rules, Range platform, Range gap)
      : RunCorridor(model, rules, "ground"), platform_(platform), gap_(gap) {}

 private:
  int PlaceBoxes(envpool::NumpyLegacyRandom& random) override {
    int platform = 0;
    const auto place = [&](double begin, double length) {
      boxes().PlaceBox(platform++, {begin + length / 2, 0, -kThickness},
                       {length / 2, rules().width / 2, kThickness});
    };
    place(0, kFirst);
    double x = kFirst;
    while (x < rules().length) {
      const double length = random.Uniform(platform_.first, platform_.second);
      place(x, length);
      x += length + random.Uniform(gap_.first, gap_.second);
    }
    return platform;
  }
  bool IsFloor(int geom) const override { return RunCorridor::IsFloor(geom) || boxes().Has(geom); }

  static constexpr double kFirst = 6, kThickness = 0.16;  // metres
  const Range platform_, gap_;
};

constexpr Rules kHumanoid = {&kCmuHumanoid, 0.5, 3, true, -0.5, 10, 100};
constexpr Rules kRat = {&kRodent, 5, 1, false, -0.3, 2, 40};

}  // namespace

std::unique_ptr<Task> MakeHumanoidRunWalls(const mjModel& model) {
  return std::make_unique<RunWalls>(model, kHumanoid);
}
std::unique_ptr<Task> MakeHumanoidRunGaps(const mjModel& model) {
  return std::make_unique<RunGaps>(model, kHumanoid, RunGaps::Range(0.3, 2.5),
                                   RunGaps::Range(0.5, 1.25));
}
std::unique_ptr<Task> MakeRodentRunGaps(const mjModel& model) {
  return std::make_unique<RunGaps>(model, kRat, RunGaps::Range(0.4, 0.8),
                                   RunGaps::Range(0.05, 0.2));
}

}  // namespace envpool::mujoco
