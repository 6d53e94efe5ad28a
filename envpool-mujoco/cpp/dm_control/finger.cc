// SPDX-License-Identifier: Apache-2.0
// finger: spin a body on a hinge with a finger, or turn it to a target.
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "dm_control/randomizers.h"
#include "dm_control/tasks.h"

namespace envpool::mujoco {
namespace {

class Finger : public Task {
 public:
  explicit Finger(const mjModel& model) : Finger(model, Names(model)) {}

  Layout Observations() const override {
    return {{"position", {4}}, {"velocity", {3}}, {"touch", {2}}};
  }
  Simulation::Sensors sensors() const override { return Simulation::Sensors::kAll; }

  double* Observe(const Physics& physics, double* out) const override {
    const mjtNum* sensors = physics.data().sensordata;
    for (const int angle : angles_) *out++ = sensors[angle];
    for (const double x : FromSpinner(physics, tip_position_)) *out++ = x;
    for (const int velocity : velocities_) *out++ = sensors[velocity];
    return LogOfTouch(physics, touch_, out);
  }

 protected:
  static void RandomizeWithoutContact(Physics& physics) {
    constexpr int kAttempts = 1000;
    for (int i = 0; i < kAttempts; ++i) {
      RandomizeJoints(physics);
      if (!physics.Touches()) return;
    }
    throw std::runtime_error("no pose without contact was found in 1000 attempts");
  }
  /// A measured position in the plane, relative to the spinner.
  std::array<double, 2> FromSpinner(const Physics& physics, int position) const {
    const mjtNum* sensors = physics.data().sensordata;
    return {sensors[position + kX] - sensors[spinner_position_ + kX],
            sensors[position + kZ] - sensors[spinner_position_ + kZ]};
  }

 private:
  Finger(const mjModel& model, const Names& names)
      : Task(model),
        angles_{names.sensor("proximal"), names.sensor("distal")},
        velocities_{names.sensor("proximal_velocity"), names.sensor("distal_velocity"),
                    names.sensor("hinge_velocity")},
        touch_{names.sensor("touchtop"), names.sensor("touchbottom")},
        spinner_position_(names.sensor("spinner")),
        hinge_(names.joint("hinge")),
        target_(names.site("target")),
        tip_position_(names.sensor("tip")),
        target_position_(names.sensor("target")),
        hinge_velocity_(names.sensor("hinge_velocity")) {}

  const std::vector<int> angles_, velocities_, touch_;
  const int spinner_position_;

 protected:
  const int hinge_, target_, tip_position_, target_position_, hinge_velocity_;
};

class Spin final : public Finger {
 public:
  explicit Spin(const mjModel& model) : Finger(model), tip_(Names(model).site("tip")) {}

  void Prepare(Physics& physics) override {
    const mjModel& model = physics.model();
    float* colors = physics.Own(&mjModel::site_rgba, 4 * model.nsite);
    for (const int hidden : {target_, tip_}) colors[4 * hidden + 3] = 0;
    physics.Own(&mjModel::dof_damping, model.nv)[model.jnt_dofadr[hinge_]] = 0.03;
  }
  void Start(Physics& physics) override { RandomizeWithoutContact(physics); }
  double Reward(const Physics& physics) const override {
    return physics.data().sensordata[hinge_velocity_] <= -15 ? 1 : 0;
  }

 private:
  const int tip_;
};

class Turn final : public Finger {
 public:
  Turn(const mjModel& model, double target_radius)
      : Finger(model), target_radius_(target_radius), cap_(Names(model).geom("cap1")) {}

  Layout Observations() const override {
    Layout layout = Finger::Observations();
    layout.push_back({"target_position", {2}});
    layout.push_back({"dist_to_target", {}});
    return layout;
  }

  void Prepare(Physics& physics) override {
    const mjtSize count = 3 * physics.model().nsite;
    position_ = physics.Own(&mjModel::site_pos, count) + 3 * target_;
    physics.Own(&mjModel::site_size, count)[3 * target_] = target_radius_;
  }
  void Start(Physics& physics) override {
    physics.Forward();
    const double angle = physics.random().Uniform(-std::numbers::pi, std::numbers::pi);
    const mjtNum* hinge = physics.data().xanchor + 3 * hinge_;
    const double radius = numpy::Sum(physics.model().geom_size + 3 * cap_, 3);
    position_[kX] = hinge[kX] + radius * std::sin(angle);
    position_[kZ] = hinge[kZ] + radius * std::cos(angle);
    RandomizeWithoutContact(physics);
  }

  double* Observe(const Physics& physics, double* out) const override {
    out = Finger::Observe(physics, out);
    for (const double x : FromSpinner(physics, target_position_)) *out++ = x;
    *out++ = DistanceToTarget(physics);
    return out;
  }
  double Reward(const Physics& physics) const override {
    return DistanceToTarget(physics) <= 0 ? 1 : 0;
  }

 private:
  // Distance to its surface, negative inside.
  double DistanceToTarget(const Physics& physics) const {
    const auto target = FromSpinner(physics, target_position_);
    const auto tip = FromSpinner(physics, tip_position_);
    const double away[] = {target[0] - tip[0], target[1] - tip[1]};
    return numpy::Norm(away, 2) - physics.model().site_size[3 * target_];
  }

  const double target_radius_;
  const int cap_;
  mjtNum* position_ = nullptr;  // position of the target
};

}  // namespace

std::unique_ptr<Task> MakeFinger(const std::string& task, const mjModel& model) {
  if (task == "spin") return std::make_unique<Spin>(model);
  if (task == "turn_easy") return std::make_unique<Turn>(model, 0.07);
  if (task == "turn_hard") return std::make_unique<Turn>(model, 0.03);
  return nullptr;
}

}  // namespace envpool::mujoco
