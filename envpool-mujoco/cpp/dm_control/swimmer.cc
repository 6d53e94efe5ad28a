// SPDX-License-Identifier: Apache-2.0
// swimmer: swim to a target with a body of several links, in a plane.
#include "dm_control/randomizers.h"
#include "dm_control/tasks.h"
#include "dm_control/vectors.h"

namespace envpool::mujoco {
namespace {

class Swimmer final : public Task {
 public:
  explicit Swimmer(const mjModel& model)
      : Task(model),
        head_(Names(model).body("head")),
        nose_(Names(model).geom("nose")),
        target_(Names(model).geom("target")),
        light_(Names(model).light("target_light")),
        links_((static_cast<int>(model.nsensordata) - kOtherSensors) / kSensorsPerLink) {}

  Layout Observations() const override {
    return {{"joints", {nq() - kRoot}}, {"to_target", {2}}, {"body_velocities", {3 * links_}}};
  }
  Simulation::Sensors sensors() const override { return Simulation::Sensors::kMotion; }

  void Prepare(Physics& physics) override {
    const mjModel& model = physics.model();
    position_ = physics.Own(&mjModel::geom_pos, 3 * model.ngeom) + 3 * target_;
    light_position_ = physics.Own(&mjModel::light_pos, 3 * model.nlight) + 3 * light_;
  }
  void Start(Physics& physics) override {
    auto& random = physics.random();
    RandomizeJoints(physics);
    const double box = random.Random() < 0.2 ? 0.3 : 2;
    for (const int i : {kX, kY}) {
      position_[i] = random.Uniform(-box, box);
      light_position_[i] = position_[i];
    }
  }

  double* Observe(const Physics& physics, double* out) const override {
    out = Copy(physics.data().qpos + kRoot, nq() - kRoot, out);
    const Vec3 to_target = ToTarget(physics);
    out = Copy(to_target.data(), 2, out);
    // Velocities along x and y, and around z.
    const mjtNum* link = physics.data().sensordata + kOtherSensors;
    for (int i = 0; i < links_; ++i, link += kSensorsPerLink) {
      for (const int velocity : {0, 1, 5}) *out++ = link[velocity];
    }
    return out;
  }
  double Reward(const Physics& physics) const override {
    const double size = physics.model().geom_size[3 * target_];
    const Vec3 to_target = ToTarget(physics);
    return Tolerance(numpy::Norm(to_target.data(), 2),
                     {.upper = size, .margin = 5 * size, .shape = Shape::kLongTail});
  }

 private:
  static constexpr int kRoot = 3;           // number of the head's positions
  static constexpr int kOtherSensors = 12;  // sensor numbers before those of the links
  static constexpr int kSensorsPerLink = 6;

  // In the head's frame.
  Vec3 ToTarget(const Physics& physics) const {
    const Vec3 away = Difference(physics.geom_xpos(target_), physics.geom_xpos(nose_));
    return TimesMatrix(away.data(), physics.xmat(head_));
  }

  const int head_, nose_, target_, light_, links_;
  mjtNum *position_ = nullptr, *light_position_ = nullptr;  // of the target
};

}  // namespace

std::unique_ptr<Task> MakeSwimmer(const std::string& task, const mjModel& model) {
  if (task == "swimmer6" || task == "swimmer15") return std::make_unique<Swimmer>(model);
  return nullptr;
}

}  // namespace envpool::mujoco
