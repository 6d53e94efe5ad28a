// SPDX-License-Identifier: Apache-2.0
// manipulator: bring a ball or a peg to a target, which may be a cup or a slot, with an arm.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "dm_control/arm.h"
#include "dm_control/tasks.h"

namespace envpool::mujoco {
namespace {
using std::numbers::pi;

class Bring final : public Arm {
 public:
  Bring(const mjModel& model, bool peg, bool insert)
      : Arm(model), peg_(peg), insert_(insert), grasp_(Names(model).site("grasp")) {
    const Names names(model);
    const std::string object = peg ? "peg" : "ball";
    object_ = names.body(object);
    target_ = names.body("target_" + object);
    if (insert) receptacle_ = names.body(peg ? "slot" : "cup");
    for (const char* axis : {"_x", "_z", "_y"}) {
      positions_.push_back(names.qpos(object + axis));
      velocities_.push_back(names.qvel(object + axis));
    }
    if (peg) {
      pairs_ = {{names.site("peg_grasp"), grasp_},
                {names.site("peg_pinch"), names.site("pinch")},
                {names.site("peg"), names.site("target_peg")},
                {names.site("target_peg_tip"), names.site("peg_tip")}};
    } else {
      pairs_ = {{names.site("ball"), names.site("target_ball")}};
    }
  }

  // A cup or a slot may only just touch the object; the middle phase rejects such contacts.
  bool SameWithoutMidphase() const override { return !insert_; }
  Layout Observations() const override {
    Layout layout = ArmLayout();
    layout.push_back({"object_pos", {4}});
    layout.push_back({"object_vel", {3}});
    layout.push_back({"target_pos", {4}});
    return layout;
  }

  void Prepare(Physics& physics) override {
    body_pos_ = physics.Own(&mjModel::body_pos, 3 * physics.model().nbody);
    body_quat_ = physics.Own(&mjModel::body_quat, 4 * physics.model().nbody);
  }
  void Start(Physics& physics) override {
    do {
      RandomizeArm(physics);
      const Pose target = PlaceTarget(physics);
      const Pose object = PoseOfObject(physics, target);
      mjtNum* qpos = physics.data().qpos;
      qpos[positions_[0]] = object.x;
      qpos[positions_[1]] = object.z;
      qpos[positions_[2]] = object.angle;
    } while (physics.Touches());
  }

  double* Observe(const Physics& physics, double* out) const override {
    out = ObservePose(physics, object_, ObserveArm(physics, out));
    for (const int velocity : velocities_) *out++ = physics.data().qvel[velocity];
    return ObservePose(physics, target_, out);
  }

  double Reward(const Physics& physics) const override {
    const auto close = [&](std::size_t pair) {
      return Tolerance(SiteDistance(physics, pairs_[pair].first, pairs_[pair].second),
                       {.upper = kClose, .margin = kClose * 2});
    };
    if (!peg_) return close(0);
    const double grasping = (close(0) + close(1)) / 2;
    const double bringing = (close(2) + close(3)) / 2;
    return std::max(bringing, grasping / 3);
  }

 private:
  struct Pose {
    double x, z, angle;
  };
  static constexpr double kClose = 0.01;

  Pose PlaceTarget(Physics& physics) {
    auto& random = physics.random();
    Pose pose;
    pose.x = random.Uniform(-0.4, 0.4);
    pose.z = random.Uniform(0.1, 0.4);
    if (insert_) {
      pose.angle = random.Uniform(-pi / 3, pi / 3);
      Place(receptacle_, pose);
    } else {
      pose.angle = random.Uniform(-pi, pi);
    }
    Place(target_, pose);
    return pose;
  }
  void Place(int body, const Pose& pose) {
    body_pos_[3 * body + kX] = pose.x;
    body_pos_[3 * body + kZ] = pose.z;
    body_quat_[4 * body] = std::cos(pose.angle / 2);
    body_quat_[4 * body + 2] = std::sin(pose.angle / 2);
  }
  // With probability 0.1 it is in the hand, with probability 0.1 at the target.
  Pose PoseOfObject(Physics& physics, const Pose& target) const {
    auto& random = physics.random();
    const double kind = random.Random();
    if (kind < kInHand) {
      physics.Touches();
      const mjtNum* place = physics.site_xpos(grasp_);
      const mjtNum* frame = physics.data().site_xmat + 9 * grasp_;
      return {place[kX], place[kZ], pi - std::atan2(frame[3 * kZ], frame[0])};
    }
    if (kind < kInHand + kAtTarget) return target;
    Pose pose;
    pose.x = random.Uniform(-0.5, 0.5);
    pose.z = random.Uniform(0, 0.7);
    pose.angle = random.Uniform(0, 2 * pi);
    physics.data().qvel[velocities_[0]] = random.Uniform(-5, 5);
    return pose;
  }
  static constexpr double kInHand = 0.1, kAtTarget = 0.1;

  const bool peg_, insert_;
  const int grasp_;
  int object_, target_, receptacle_ = -1;
  std::vector<int> positions_, velocities_;  // indices of the object
  std::vector<std::pair<int, int>> pairs_;   // pairs of sites that should be close
  mjtNum *body_pos_ = nullptr, *body_quat_ = nullptr;
};

}  // namespace

std::unique_ptr<Task> MakeManipulator(const std::string& task, const mjModel& model) {
  const auto make = [&](bool peg, bool insert) {
    return std::make_unique<Bring>(model, peg, insert);
  };
  if (task == "bring_ball") return make(false, false);
  if (task == "bring_peg") return make(true, false);
  if (task == "insert_ball") return make(false, true);
  if (task == "insert_peg") return make(true, true);
  return nullptr;
}

}  // namespace envpool::mujoco
