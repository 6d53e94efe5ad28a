// SPDX-License-Identifier: Apache-2.0
// cartpole: balance one to three poles, one on top of the other, on a cart, or swing them up.
#include <algorithm>
#include <numbers>

#include "dm_control/tasks.h"

namespace envpool::mujoco {
namespace {

class Cartpole final : public Task {
 public:
  Cartpole(const mjModel& model, bool swing_up, bool sparse)
      : Task(model),
        swing_up_(swing_up),
        sparse_(sparse),
        slider_(Names(model).qpos("slider")),
        hinge_(Names(model).qpos("hinge_1")),
        poles_(ModelSizes(model).nbody - kFirstPole) {}

  Layout Observations() const override {
    return {{"position", {1 + 2 * poles_}}, {"velocity", {nv()}}};
  }

  void Start(Physics& physics) override {
    auto& random = physics.random();
    mjtNum* qpos = physics.data().qpos;
    if (swing_up_) {
      qpos[slider_] = 0.01 * random.Randn();
      qpos[hinge_] = std::numbers::pi + 0.01 * random.Randn();
      for (int i = 2; i < nq(); ++i) qpos[i] = 0.1 * random.Randn();
    } else {
      qpos[slider_] = random.Uniform(-0.1, 0.1);
      for (int i = 1; i < nq(); ++i) qpos[i] = random.Uniform(-0.034, 0.034);
    }
    for (int i = 0; i < nv(); ++i) physics.data().qvel[i] = 0.01 * random.Randn();
  }

  double* Observe(const Physics& physics, double* out) const override {
    *out++ = physics.data().qpos[slider_];
    for (int pole = 0; pole < poles_; ++pole) {
      *out++ = Cosine(physics, pole);
      *out++ = physics.axis(kFirstPole + pole, kX, kZ);
    }
    return Velocities(physics, out);
  }

  double Reward(const Physics& physics) const override {
    return sparse_ ? SparseReward(physics) : SmoothReward(physics);
  }

 private:
  static constexpr int kFirstPole = 2;  // after the world and the cart

  double Cosine(const Physics& physics, int pole) const {
    return physics.axis(kFirstPole + pole, kZ, kZ);
  }
  double SparseReward(const Physics& physics) const {
    double upright = 1;
    for (int pole = 0; pole < poles_; ++pole) {
      upright *= ToleranceInArray(Cosine(physics, pole), {.lower = 0.995, .upper = 1});
    }
    return Tolerance(physics.data().qpos[slider_], {.lower = -0.25, .upper = 0.25}) * upright;
  }
  double SmoothReward(const Physics& physics) const {
    const mjData& data = physics.data();
    const auto up = [&](int pole) { return (Cosine(physics, pole) + 1) / 2; };
    const double upright = numpy::PairwiseSum(up, 0, poles_) / poles_;
    const double centered = (1 + Tolerance(data.qpos[slider_], {.margin = 2})) / 2;
    const double control =
        ToleranceInArray(data.ctrl[0], {.margin = 1, .shape = Shape::kQuadratic, .at_margin = 0});
    double slow = 1;
    for (int i = 1; i < nv(); ++i) {
      slow = std::min(slow, ToleranceInArray(data.qvel[i], {.margin = 5}));
    }
    return upright * ((4 + control) / 5) * ((1 + slow) / 2) * centered;
  }

  const bool swing_up_, sparse_;
  const int slider_, hinge_, poles_;
};

}  // namespace

std::unique_ptr<Task> MakeCartpole(const std::string& task, const mjModel& model) {
  const auto make = [&](bool swing_up, bool sparse) {
    return std::make_unique<Cartpole>(model, swing_up, sparse);
  };
  if (task == "balance") return make(false, false);
  if (task == "balance_sparse") return make(false, true);
  if (task == "swingup" || task == "two_poles" || task == "three_poles") return make(true, false);
  if (task == "swingup_sparse") return make(true, true);
  return nullptr;
}

}  // namespace envpool::mujoco
