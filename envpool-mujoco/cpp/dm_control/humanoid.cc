// SPDX-License-Identifier: Apache-2.0
// humanoid and humanoid_CMU: stand, walk or run on two legs. Only their bodies differ.
#include "dm_control/randomizers.h"
#include "dm_control/tasks.h"
#include "dm_control/vectors.h"

namespace envpool::mujoco {
namespace {

/// The names of bodies, and the axes that point up.
struct Anatomy {
  const char* torso;
  const char* velocity;
  const char* limbs[4];  // hand and foot, left and right
  int up;
};
constexpr Anatomy kHumanoid = {
    "torso", "torso_subtreelinvel", {"left_hand", "left_foot", "right_hand", "right_foot"}, kZ};
constexpr Anatomy kCmu = {
    "thorax", "thorax_subtreelinvel", {"lhand", "lfoot", "rhand", "rfoot"}, kY};

class Humanoid final : public Task {
 public:
  Humanoid(const mjModel& model, const Anatomy& anatomy, double speed, bool pure_state)
      : Task(model),
        speed_(speed),
        pure_state_(pure_state),
        up_(anatomy.up),
        torso_(Names(model).body(anatomy.torso)),
        head_(Names(model).body("head")),
        velocity_(Names(model).sensor(anatomy.velocity)) {
    for (const char* limb : anatomy.limbs) limbs_.push_back(Names(model).body(limb));
  }

  Layout Observations() const override {
    if (pure_state_) return {{"position", {nq()}}, {"velocity", {nv()}}};
    return {{"joint_angles", {nq() - kRoot}}, {"head_height", {}},   {"extremities", {12}},
            {"torso_vertical", {3}},          {"com_velocity", {3}}, {"velocity", {nv()}}};
  }
  Simulation::Sensors sensors() const override { return Simulation::Sensors::kMotion; }

  void Start(Physics& physics) override { RandomizeJointsWithoutContact(physics); }

  double* Observe(const Physics& physics, double* out) const override {
    if (pure_state_) return Velocities(physics, Positions(physics, out));
    const mjData& data = physics.data();
    out = Copy(data.qpos + kRoot, nq() - kRoot, out);
    *out++ = Height(physics);
    for (const int limb : limbs_) {
      const Vec3 away = Difference(physics.xpos(limb), physics.xpos(torso_));
      for (const double x : TimesMatrix(away.data(), physics.xmat(torso_))) *out++ = x;
    }
    for (const int column : {kX, kY, kZ}) *out++ = physics.axis(torso_, kZ, column);
    out = Copy(data.sensordata + velocity_, 3, out);
    return Velocities(physics, out);
  }

  double Reward(const Physics& physics) const override {
    const double standing =
        Tolerance(Height(physics), {.lower = 1.4, .upper = kInfinity, .margin = 1.4 / 4});
    const double upright = Tolerance(
        physics.axis(torso_, kZ, up_),
        {.lower = 0.9, .upper = kInfinity, .margin = 1.9, .shape = Shape::kLinear, .at_margin = 0});
    const double stands = standing * upright;
    const double control = (4 + SmallControl(physics)) / 5;
    const mjtNum* velocity = physics.data().sensordata + velocity_;
    if (speed_ == 0) {
      const double still = (ToleranceInArray(velocity[kX], {.margin = 2}) +
                            ToleranceInArray(velocity[kY], {.margin = 2})) /
                           2;
      return control * stands * still;
    }
    const double move = Tolerance(numpy::Norm(velocity, 2), {.lower = speed_,
                                                             .upper = kInfinity,
                                                             .margin = speed_,
                                                             .shape = Shape::kLinear,
                                                             .at_margin = 0});
    return control * stands * ((5 * move + 1) / 6);
  }

 private:
  static constexpr int kRoot = 7;  // positions of the free joint

  double Height(const Physics& physics) const { return physics.xpos(head_)[kZ]; }

  const double speed_;
  const bool pure_state_;
  const int up_, torso_, head_, velocity_;
  std::vector<int> limbs_;
};

}  // namespace

std::unique_ptr<Task> MakeHumanoid(const std::string& task, const mjModel& model) {
  const auto make = [&](double speed, bool pure_state) {
    return std::make_unique<Humanoid>(model, kHumanoid, speed, pure_state);
  };
  if (task == "stand") return make(0, false);
  if (task == "walk") return make(1, false);
  if (task == "run") return make(10, false);
  if (task == "run_pure_state") return make(10, true);
  return nullptr;
}

std::unique_ptr<Task> MakeHumanoidCmu(const std::string& task, const mjModel& model) {
  const auto make = [&](double speed) {
    return std::make_unique<Humanoid>(model, kCmu, speed, false);
  };
  if (task == "stand") return make(0);
  if (task == "walk") return make(1);
  if (task == "run") return make(10);
  return nullptr;
}

}  // namespace envpool::mujoco
