// SPDX-License-Identifier: Apache-2.0
// escape_bowl: a rodent climbs out of a bowl with bumps. Escape of
// dm_control.locomotion.tasks.escape, as rodent_escape_bowl of its examples makes it.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "dm_control/find_height.h"
#include "dm_control/names.h"
#include "dm_control/randomizers.h"
#include "dm_control/terrain.h"
#include "dm_control/vectors.h"
#include "locomotion/locomotion_task.h"
#include "locomotion/tasks.h"

namespace envpool::mujoco {
namespace {

class EscapeBowl final : public LocomotionTask {
 public:
  explicit EscapeBowl(const mjModel& model)
      : LocomotionTask(model, kRodent),
        head_(Names(model).site("walker/head")),
        pelvis_(Names(model).body("walker/pelvis")),
        root_(Names(model).qpos("walker/")) {
    if (model.nhfield != 1 || model.hfield_nrow[0] != model.hfield_ncol[0]) {
      throw MujocoError("the model has no square heightfield");
    }
  }

  Layout Observations() const override {
    Layout layout = walker().Observations();
    layout.push_back({"walker.origin", {3}});
    return layout;
  }
  Simulation::Sensors sensors() const override { return Simulation::Sensors::kAll; }

  void Prepare(Physics& physics) override {
    terrain_ = physics.Own(&mjModel::hfield_data, physics.model().nhfielddata);
  }

  void Start(Physics& physics) override {
    const mjModel& model = physics.model();
    const auto size = static_cast<std::size_t>(model.hfield_nrow[0]);
    // dm_control finds the height before there is a terrain: on the ground below it.
    std::fill_n(terrain_, size * size, 0.0F);
    FindHeight(physics, root_, RandomRotation(physics.random()));
    const Bowl bowl = {.size = size,
                       .bumps = static_cast<std::size_t>(2 * model.hfield_size[0] / kBump),
                       .lowest = 0.5,
                       .least = 0.1};
    MakeBowl(physics.random(), bowl, terrain_);
  }

  double* Observe(const Physics& physics, double* out) const override {
    out = walker().Observe(physics, out);
    const int root = walker().root();
    for (const double x : TimesMatrix(physics.xpos(root), physics.xmat(root))) *out++ = -x;
    return out;
  }

  double Reward(const Physics& physics) const override {
    const double radius = physics.model().hfield_size[0];
    const double escape =
        Tolerance(numpy::Norm(physics.site_xpos(head_), 3), {.lower = radius,
                                                             .upper = kInfinity,
                                                             .margin = radius,
                                                             .shape = Shape::kLinear,
                                                             .at_margin = 0});
    return std::min(Upright(physics, walker().root()), Upright(physics, pelvis_)) * escape;
  }

 private:
  static constexpr double kBump = 0.2;  // metres

  static double Upright(const Physics& physics, int body) {
    const double enough = std::cos(30 * (std::numbers::pi / 180));
    return Tolerance(physics.axis(body, kZ, kZ), {.lower = enough,
                                                  .upper = kInfinity,
                                                  .margin = 1 + enough,
                                                  .shape = Shape::kLinear,
                                                  .at_margin = 0});
  }

  const int head_, pelvis_, root_;
  float* terrain_ = nullptr;
};

}  // namespace

std::unique_ptr<Task> MakeEscapeBowl(const mjModel& model) {
  return std::make_unique<EscapeBowl>(model);
}

}  // namespace envpool::mujoco
