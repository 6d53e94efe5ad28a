// SPDX-License-Identifier: Apache-2.0
// lqr: bring a chain of springs to rest; a linear system with a quadratic cost.
#include <cmath>
#include <vector>

#include "dm_control/tasks.h"

namespace envpool::mujoco {
namespace {

class Lqr final : public Task {
 public:
  using Task::Task;

  Layout Observations() const override { return {{"position", {nq()}}, {"velocity", {nv()}}}; }

  // Each environment has its own springs, which dm_control writes into its model.
  void Prepare(Physics& physics) override {
    mjtNum* stiffness = physics.Own(&mjModel::jnt_stiffness, physics.model().njnt);
    mjtNum* damping = physics.Own(&mjModel::dof_damping, physics.model().nv);
    for (int i = 0; i < nv(); ++i) {
      stiffness[i] = physics.random().Uniform(15, 25);
      damping[i] = physics.random().Uniform(0, 0);
    }
  }
  // A random point on a sphere.
  void Start(Physics& physics) override {
    std::vector<double> unit(static_cast<std::size_t>(nq()));
    for (double& x : unit) x = physics.random().Randn();
    const double norm = numpy::Norm(unit.data(), nq());
    for (std::size_t i = 0; i < unit.size(); ++i) {
      physics.data().qpos[i] = std::sqrt(2.0) * unit[i] / norm;
    }
  }

  double* Observe(const Physics& physics, double* out) const override {
    return Velocities(physics, Positions(physics, out));
  }
  double Reward(const Physics& physics) const override {
    const double state_cost = 0.5 * numpy::Dot(physics.data().qpos, physics.data().qpos, nq());
    const double control_cost = 0.5 * numpy::Dot(physics.data().ctrl, physics.data().ctrl, nu());
    return 1 - (state_cost + control_cost * 0.1);
  }
  bool Terminates(const Physics& physics) const override {
    const mjData& data = physics.data();
    const double square_of_qpos = numpy::Dot(data.qpos, data.qpos, nq());
    return std::sqrt(numpy::Dot(data.qvel, data.qvel, nv(), square_of_qpos)) < 1e-6;
  }
};

}  // namespace

std::unique_ptr<Task> MakeLqr(const std::string& task, const mjModel& model) {
  if (task == "lqr_2_1" || task == "lqr_6_2") return std::make_unique<Lqr>(model);
  return nullptr;
}

}  // namespace envpool::mujoco
