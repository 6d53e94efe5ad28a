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
        root_(Names(model).qpos("walker/")),
        ground_(Names(model).geom("terrain")),
        bowl_(SquareRows(model), 0.1) {}

  Layout Observations() const override {
    Layout layout = walker().Observations();
    layout.push_back({"walker.origin", {3}});
    return layout;
  }
  Simulation::Sensors sensors() const override { return Simulation::Sensors::kAll; }

  void Prepare(Physics& physics) override {
    const mjModel& model = physics.model();
    terrain_ = physics.Own(&mjModel::hfield_data, model.nhfielddata);
    contype_ = physics.Own(&mjModel::geom_contype, model.ngeom) + ground_;
    conaffinity_ = physics.Own(&mjModel::geom_conaffinity, model.ngeom) + ground_;
  }

  void Start(Physics& physics) override {
    const mjModel& model = physics.model();
    // dm_control finds the height before the terrain exists. A body that would touch that flat
    // terrain touches the plane 0.01 m above it, and MuJoCo finds this contact faster.
    {
      const Instead type(*contype_, 0);
      const Instead affinity(*conaffinity_, 0);
      FindHeight(physics, root_, RandomRotation(physics.random()));
    }
    const auto bumps = static_cast<std::size_t>(2 * model.hfield_size[0] / kBump);
    bowl_.Fill(physics.random(), bumps, 0.5, terrain_);
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

  const int head_, pelvis_, root_, ground_;
  const Bowl bowl_;
  float* terrain_ = nullptr;
  int *contype_ = nullptr, *conaffinity_ = nullptr;  // of the terrain
};

}  // namespace

std::unique_ptr<Task> MakeEscapeBowl(const mjModel& model) {
  return std::make_unique<EscapeBowl>(model);
}

}  // namespace envpool::mujoco
