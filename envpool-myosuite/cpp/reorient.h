// SPDX-License-Identifier: Apache-2.0
// Turn an object of drawn shape and size with the fingers. Geometries8EnvV0, Geometries100EnvV0,
// InDistribution and OutofDistribution of myosuite 2.12.2.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "turned_object.h"

namespace envpool::myosuite {

struct ReorientSpec : MuscleSpec<ReorientSpec> {
  static auto DefaultConfig() {
    return MuscleOptions("envs/myo/assets/hand/myohand_sar.xml", 10) +
           Dict{"objects"_ = "8", "capsules"_ = std::vector<double>{},
                "ellipsoids"_ = std::vector<double>{}, "cylinders"_ = std::vector<double>{},
                "boxes"_ = std::vector<double>{}};
  }
  static SharedModel Model(const auto& config) { return TaskModel(config); }
  static auto StateSpec(const auto& config) {
    const SharedModel model = Model(config);
    CheckSixJoints(*model);
    Chosen("objects", config["objects"_], {"8", "100", "ID", "OOD"});
    CheckSizes("capsules", config["capsules"_]);
    CheckSizes("ellipsoids", config["ellipsoids"_]);
    CheckSizes("cylinders", config["cylinders"_]);
    CheckSizes("boxes", config["boxes"_]);
    const auto muscles = static_cast<int>(model->nu);
    return MuscleState(config, model, static_cast<int>(model->nq) - 6 + 21 + 3 * muscles);
  }
  static auto ActionSpec(const auto& config) { return MuscleActions(*Model(config)); }

 private:
  static void CheckSizes(const char* option, const std::vector<double>& sizes) {
    if (sizes.empty() || sizes.size() % 3 != 0) {
      throw OptionError(option, std::to_string(sizes.size()) + " numbers",
                        "three for each size, and one size at least", "pass as many");
    }
    for (const double size : sizes) {
      if (size > 0) continue;
      throw OptionError(option, std::to_string(size), "sizes above 0, in m", "pass such numbers");
    }
  }
};

class Reorient final : public TurnedObject<ReorientSpec> {
 public:
  Reorient(const Spec& spec, int env_id)
      : TurnedObject(spec, env_id),
        sizes_{spec.config["capsules"_], spec.config["ellipsoids"_], spec.config["cylinders"_],
               spec.config["boxes"_]},
        draws_colour_(std::string(spec.config["objects"_]) != "8"),
        shown_{GeomOf("obj"), GeomOf("target")},
        tops_{GeomOf("top"), GeomOf("t_top")},
        bottoms_{GeomOf("bot"), GeomOf("t_bot")},
        length_(Length(0)),
        goal_length_(Length(1)),
        types_(OwnGeoms(&mjModel::geom_type, 1)),
        geom_sizes_(OwnGeoms(&mjModel::geom_size, 3)),
        places_(OwnGeoms(&mjModel::geom_pos, 3)) {
    OwnBodies(&mjModel::body_mass, 1)[object()] = 1.2;
    if (draws_colour_) OwnGeoms(&mjModel::geom_condim, 1)[shown_[0]] = 3;
  }

 private:
  void Start() override {
    PalmUp();
    const auto kind = static_cast<std::size_t>(gen_.Integers(0, 4));
    const auto count = static_cast<std::int64_t>(sizes_[kind].size() / 3);
    const double* const size = sizes_[kind].data() + 3 * gen_.Integers(0, count);
    if (draws_colour_) gen_.Integers(0, count);  // a color, which is not observed
    for (const int geom : shown_) {
      types_[geom] = mjGEOM_CAPSULE + static_cast<int>(kind);
      std::copy_n(size, 3, geom_sizes_ + 3 * geom);
    }
    // The distance of the two ends that define its direction; they are not the ends of its shape.
    const double end = kind == 0 ? 1.3 * size[1] : size[kind == 2 ? 1 : 2];
    for (std::size_t i = 0; i < 2; ++i) {
      SetPlace(tops_[i], end);
      SetPlace(bottoms_[i], -end);
    }
    const double first = gen_.Uniform(-1, 1), second = gen_.Uniform(-0.8, 1.2);
    Aim(first, second);
  }
  void Look(bool placed) override {
    if (!placed) SeeAll();
  }
  Direction Pointing() const override { return Between(At(tops_[0]), At(bottoms_[0]), length_); }
  Direction Wanted() const override { return Between(At(tops_[1]), At(bottoms_[1]), goal_length_); }
  double* Observe(double* out) const override {
    out = WriteTurn(out);
    const int nu = simulation().sizes().nu;
    for (const double* values :
         {data().actuator_length, data().actuator_velocity, data().actuator_force}) {
      out = std::copy_n(values, nu, out);
    }
    return out;
  }

  int GeomOf(const char* name) const { return mujoco::NumberOf(model(), mjOBJ_GEOM, name); }
  double Length(std::size_t i) const {
    return LengthOf(model().geom_pos + 3 * tops_[i], model().geom_pos + 3 * bottoms_[i]);
  }
  const double* At(int geom) const { return data().geom_xpos + 3 * geom; }
  void SetPlace(int geom, double height) {
    const double place[] = {0, 0, height};
    std::copy_n(place, 3, places_ + 3 * geom);
  }

  const std::array<std::vector<double>, 4> sizes_;
  const bool draws_colour_;
  const std::array<int, 2> shown_, tops_, bottoms_;  // geoms of the object and of its goal
  const double length_, goal_length_;                // in m, in the model's file
  int* const types_;
  mjtNum *const geom_sizes_, *const places_;
};

}  // namespace envpool::myosuite
