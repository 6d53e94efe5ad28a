// SPDX-License-Identifier: Apache-2.0
// Bring an object to a place with an arm and a hand. RelocateEnvV0 of myosuite 2.12.2.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "goal_body.h"
#include "muscle_env.h"
#include "three_between.h"
#include "turned_object.h"

namespace envpool::myosuite {

struct RelocateSpec : MuscleSpec<RelocateSpec> {
  static auto DefaultConfig() {
    return MuscleOptions("envs/myo/assets/arm/myoarm_relocate.xml", 10) +
           Dict{"target_xyz_low"_ = std::vector<double>{0.0, -0.35, 0.9},
                "target_xyz_high"_ = std::vector<double>{0.2, -0.1, 0.9},
                "target_rxryrz_low"_ = std::vector<double>{0.0, 0.0, 0.0},
                "target_rxryrz_high"_ = std::vector<double>{0.0, 0.0, 0.0},
                "obj_xyz_low"_ = std::vector<double>{},
                "obj_xyz_high"_ = std::vector<double>{},
                "obj_geom_low"_ = std::vector<double>{},
                "obj_geom_high"_ = std::vector<double>{},
                "obj_friction_low"_ = std::vector<double>{},
                "obj_friction_high"_ = std::vector<double>{},
                "obj_mass_range"_ = std::vector<double>{},
                "qpos_noise_range"_ = 0.0,
                "pos_th"_ = std::numeric_limits<double>::infinity(),
                "rot_th"_ = std::numeric_limits<double>::infinity()};
  }
  static SharedModel Model(const auto& config) { return TaskModel(config); }
  static auto StateSpec(const auto& config) {
    const SharedModel model = Model(config);
    CheckSixJoints(*model);
    if (model->nq != model->njnt || model->nkey < 2) {
      throw OptionError("xml_file", "a model of another arm",
                        "one whose joints are hinges and slides, with 2 keyframes",
                        "pass such a model");
    }
    CheckThree("target_xyz", config["target_xyz_low"_], config["target_xyz_high"_]);
    CheckThree("target_rxryrz", config["target_rxryrz_low"_], config["target_rxryrz_high"_]);
    CheckThree("obj_xyz", config["obj_xyz_low"_], config["obj_xyz_high"_], true);
    CheckThree("obj_geom", config["obj_geom_low"_], config["obj_geom_high"_], true, 1e-6);
    CheckThree("obj_friction", config["obj_friction_low"_], config["obj_friction_high"_], true, 0);
    const std::vector<double>& mass = config["obj_mass_range"_];
    if (!mass.empty()) CheckRange("obj_mass_range", mass, kLeastMass);
    return MuscleState(config, model, static_cast<int>(model->nq - 7 + model->nv - 6) + 18);
  }
  static auto ActionSpec(const auto& config) { return MuscleActions(*Model(config)); }
};

class Relocate final : public MuscleEnv<RelocateSpec> {
 public:
  Relocate(const Spec& spec, int env_id)
      : MuscleEnv(spec, env_id),
        target_xyz_{spec.config["target_xyz_low"_], spec.config["target_xyz_high"_]},
        target_turn_{spec.config["target_rxryrz_low"_], spec.config["target_rxryrz_high"_]},
        object_xyz_{spec.config["obj_xyz_low"_], spec.config["obj_xyz_high"_]},
        size_{spec.config["obj_geom_low"_], spec.config["obj_geom_high"_]},
        friction_{spec.config["obj_friction_low"_], spec.config["obj_friction_high"_]},
        mass_(spec.config["obj_mass_range"_]),
        shift_(spec.config["qpos_noise_range"_]),
        near_(spec.config["pos_th"_]),
        near_turn_(spec.config["rot_th"_]),
        goal_(model(), "target_o", "object_o"),
        palm_(mujoco::SiteOf(model(), "S_grasp")),
        object_(mujoco::BodyOf(model(), "Object")),
        target_(mujoco::BodyOf(model(), "target")),
        places_(OwnBodies(&mjModel::body_pos, 3)),
        turns_(OwnBodies(&mjModel::body_quat, 4)),
        masses_(OwnBodies(&mjModel::body_mass, 1)) {
    if (size_.low.empty()) return;
    types_ = OwnGeoms(&mjModel::geom_type, 1);
    sizes_ = OwnGeoms(&mjModel::geom_size, 3);
    boxes_ = OwnGeoms(&mjModel::geom_aabb, 6);
    radii_ = OwnGeoms(&mjModel::geom_rbound, 1);
    geom_places_ = OwnGeoms(&mjModel::geom_pos, 3);
    geom_turns_ = OwnGeoms(&mjModel::geom_quat, 4);
    frictions_ = OwnGeoms(&mjModel::geom_friction, 3);
  }

 private:
  void Start() override {
    target_xyz_.Draw(gen_, places_ + 3 * target_);
    DrawTurn(target_turn_, turns_ + 4 * target_);
    if (!object_xyz_.low.empty()) object_xyz_.Draw(gen_, places_ + 3 * object_);
    if (!size_.low.empty()) DrawObject();
    const double* const key = model().key_qpos + (object_xyz_.low.empty() ? 0 : model().nq);
    std::copy_n(key, model().nq, position().begin());
    // A constant shift: the reference draws nothing for it.
    for (std::size_t i = 0; shift_ != 0 && i + 6 < position().size(); ++i) {
      position()[i] += shift_ * (model().jnt_range[2 * i + 1] - model().jnt_range[2 * i]);
    }
  }
  /// Draws shapes of the object's parts, and its mass.
  void DrawObject() {
    const int first = model().body_geomadr[object_], count = model().body_geomnum[object_];
    const double most = *std::max_element(size_.high.begin(), size_.high.end());
    constexpr double kQuarter = std::numbers::pi / 2;
    for (int i = first; i < first + count; ++i) {
      types_[i] = mjGEOM_SPHERE + static_cast<int>(gen_.Integers(0, 5));
      double* const size = sizes_ + 3 * i;
      size_.Draw(gen_, size);
      // The bounding box for contacts does not follow the drawn size.
      std::copy(size_.high.begin(), size_.high.end(), boxes_ + 6 * i + 3);
      radii_[i] = 2.0 * most;
      for (int k = 0; k < 3; ++k) geom_places_[3 * i + k] = gen_.Uniform(-1.0 * size[k], size[k]);
      const mujoco::Quaternion turn = mujoco::QuaternionOf(DrawThree(-kQuarter, kQuarter));
      std::copy(turn.begin(), turn.end(), geom_turns_ + 4 * i);
      for (int k = 0; k < 4; ++k) gen_.Random();  // a color, which is not observed
      if (!friction_.low.empty()) friction_.Draw(gen_, frictions_ + 3 * i);
    }
    if (!mass_.empty()) masses_[object_] = gen_.Uniform(mass_[0], mass_[1]);
  }
  void Look(bool placed) override {
    if (!placed) return Place();
    first_look_.resize(static_cast<std::size_t>(nq() - 7 + simulation().sizes().nv - 6) + 18);
    if (data().ncon == 0) return;
    // If an object touches something, the reference draws it again, but observes the first draw.
    WriteNow(first_look_.data());
    shows_first_ = true;
    for (int tries = 0; data().ncon > 0; ++tries) {
      if (tries == 1000) {
        throw std::runtime_error(
            "the object touched something in each of 1000 starts that were drawn; give obj_xyz_low "
            "and obj_xyz_high more room, or none at all");
      }
      BeginAgain();
    }
  }
  void LookAgain() override {}
  double* Observe(double* out) const override {
    if (!shows_first_) return WriteNow(out);
    shows_first_ = false;
    return std::copy(first_look_.begin(), first_look_.end(), out);
  }
  double* WriteNow(double* out) const {
    constexpr double kNone[] = {0, 0, 0};
    return goal_.Write(data(), kNone, WriteHand(out, 7, 6));
  }
  Verdict Judge(const double* end, double /*effort*/) const override {
    std::array<double, 3> reach;
    for (std::size_t i = 0; i < 3; ++i) {
      reach[i] = data().site_xpos[3 * static_cast<std::size_t>(palm_) + i] -
                 data().site_xpos[3 * static_cast<std::size_t>(goal_.object) + i];
    }
    const double distance = mujoco::RowNorm(end - 12, 3), turn = mujoco::RowNorm(end - 3, 3);
    const bool drops = mujoco::RowNorm(reach.data(), 3) > 0.500;
    return {100.0 * -distance + 1.0 * -turn, -1.0 * turn - 10.0 * distance,
            distance < near_ && turn < near_turn_ && !drops, drops};
  }

  void DrawTurn(const ThreeBetween& range, double* out) {
    mujoco::Euler euler;
    range.Draw(gen_, euler.data());
    const mujoco::Quaternion turn = mujoco::QuaternionOf(euler);
    std::copy(turn.begin(), turn.end(), out);
  }

  const ThreeBetween target_xyz_, target_turn_, object_xyz_, size_, friction_;
  const std::vector<double> mass_;
  const double shift_, near_, near_turn_;
  const GoalBody goal_;
  const int palm_, object_, target_;
  mjtNum *const places_, *const turns_, *const masses_;
  int* types_ = nullptr;
  mjtNum *sizes_ = nullptr, *boxes_ = nullptr, *radii_ = nullptr, *geom_places_ = nullptr,
         *geom_turns_ = nullptr, *frictions_ = nullptr;
  std::vector<double> first_look_;
  mutable bool shows_first_ = false;
};

}  // namespace envpool::myosuite
