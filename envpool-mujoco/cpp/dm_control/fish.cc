// SPDX-License-Identifier: Apache-2.0
// fish: keep upright in water, or swim to a target.
#include "dm_control/randomizers.h"
#include "dm_control/tasks.h"
#include "dm_control/vectors.h"

namespace envpool::mujoco {
namespace {

constexpr const char* kJoints[] = {"tail1",         "tail_twist",     "tail2",
                                   "finright_roll", "finright_pitch", "finleft_roll",
                                   "finleft_pitch"};

class Fish : public Task {
 public:
  explicit Fish(const mjModel& model)
      : Task(model),
        target_(Names(model).geom("target")),
        torso_(Names(model).body("torso")),
        root_(Names(model).qpos("root")) {
    for (const char* joint : kJoints) joints_.push_back(Names(model).qpos(joint));
  }

 protected:
  int joint_count() const { return static_cast<int>(joints_.size()); }
  double Upright(const Physics& physics) const { return physics.axis(torso_, kZ, kZ); }

  void RandomizePose(Physics& physics) {
    mjtNum* qpos = physics.data().qpos;
    std::ranges::copy(RandomRotation(physics.random()), qpos + root_ + 3);
    for (const int joint : joints_) qpos[joint] = physics.random().Uniform(-0.2, 0.2);
  }
  double* ObservePose(const Physics& physics, double* out) const {
    for (const int joint : joints_) *out++ = physics.data().qpos[joint];
    *out++ = Upright(physics);
    return out;
  }

  const int target_;

 private:
  const int torso_, root_;
  std::vector<int> joints_;
};

class Upright final : public Fish {
 public:
  using Fish::Fish;

  Layout Observations() const override {
    return {{"joint_angles", {joint_count()}}, {"upright", {}}, {"velocity", {nv()}}};
  }
  void Prepare(Physics& physics) override {
    // The target belongs to the other task, and is hidden.
    physics.Own(&mjModel::geom_rgba, 4 * physics.model().ngeom)[4 * target_ + 3] = 0;
  }
  void Start(Physics& physics) override { RandomizePose(physics); }
  double* Observe(const Physics& physics, double* out) const override {
    return Velocities(physics, ObservePose(physics, out));
  }
  double Reward(const Physics& physics) const override {
    return Tolerance(Fish::Upright(physics), {.lower = 1, .upper = 1, .margin = 1});
  }
};

class Swim final : public Fish {
 public:
  explicit Swim(const mjModel& model) : Fish(model), mouth_(Names(model).geom("mouth")) {}

  Layout Observations() const override {
    return {
        {"joint_angles", {joint_count()}}, {"upright", {}}, {"target", {3}}, {"velocity", {nv()}}};
  }
  void Prepare(Physics& physics) override {
    position_ = physics.Own(&mjModel::geom_pos, 3 * physics.model().ngeom) + 3 * target_;
  }
  void Start(Physics& physics) override {
    RandomizePose(physics);
    position_[kX] = physics.random().Uniform(-0.4, 0.4);
    position_[kY] = physics.random().Uniform(-0.4, 0.4);
    position_[kZ] = physics.random().Uniform(0.1, 0.3);
  }
  double* Observe(const Physics& physics, double* out) const override {
    out = ObservePose(physics, out);
    for (const double x : ToTarget(physics)) *out++ = x;
    return Velocities(physics, out);
  }
  double Reward(const Physics& physics) const override {
    const mjtNum* sizes = physics.model().geom_size;
    const double radii = sizes[3 * mouth_] + sizes[3 * target_];
    const Vec3 away = ToTarget(physics);
    const double in_target =
        Tolerance(numpy::Norm(away.data(), 3), {.upper = radii, .margin = 2 * radii});
    return (7 * in_target + 0.5 * (Upright(physics) + 1)) / 8;
  }

 private:
  // In the mouth's frame.
  Vec3 ToTarget(const Physics& physics) const {
    const Vec3 away = Difference(physics.geom_xpos(target_), physics.geom_xpos(mouth_));
    return TimesMatrix(away.data(), physics.data().geom_xmat + 9 * mouth_);
  }

  const int mouth_;
  mjtNum* position_ = nullptr;  // position of the target
};

}  // namespace

std::unique_ptr<Task> MakeFish(const std::string& task, const mjModel& model) {
  if (task == "upright") return std::make_unique<Upright>(model);
  if (task == "swim") return std::make_unique<Swim>(model);
  return nullptr;
}

}  // namespace envpool::mujoco
