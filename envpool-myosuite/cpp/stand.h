// SPDX-License-Identifier: Apache-2.0
// Stand: two legs stand, with their pelvis at a place. The ReachEnvV0 for legs of myosuite 2.12.2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "legs.h"

namespace envpool::myosuite {

struct StandSpec : MuscleSpec<StandSpec> {
  static auto DefaultConfig() {
    return MuscleOptions(kLegs, 10) + SiteOptions() +
           Dict{"target_low"_ = std::vector<double>{-0.05, -0.05, 0.0},
                "target_high"_ = std::vector<double>{0.05, 0.05, 0.0},
                "joint_random_range"_ = std::vector<double>{0.0, 0.0}, "far_th"_ = 0.35};
  }
  static SharedModel Model(const auto& config) { return TaskModel(config); }
  static auto StateSpec(const auto& config) {
    const SharedModel model = Model(config);
    CheckLegs(*model, 1);
    const int count = CheckSites(config);
    const std::vector<double>& range = config["joint_random_range"_];
    if (range.size() != 2 || !(range[0] <= range[1])) {
      const std::string got = range.size() == 2
                                  ? std::to_string(range[0]) + " and " + std::to_string(range[1])
                                  : std::to_string(range.size()) + " numbers";
      throw OptionError("joint_random_range", got, "two numbers, the least and the greatest",
                        "pass angles in rad");
    }
    return MuscleState(config, model, static_cast<int>(model->nq + model->nv) + 2 * count);
  }
  static auto ActionSpec(const auto& config) { return MuscleActions(*Model(config)); }
};

class Stand final : public Legs<StandSpec> {
 public:
  Stand(const Spec& spec, int env_id)
      : Legs(spec, env_id),
        low_(spec.config["target_low"_]),
        high_(spec.config["target_high"_]),
        range_(spec.config["joint_random_range"_]),
        far_(spec.config["far_th"_]) {
    FindSites(spec.config["sites"_]);
    for (int i = 0; i < model().ngeom; ++i) {
      if (model().geom_group[i] == 1) colours()[4 * i + 3] = 0;  // the skin
    }
    HideTerrain();
  }

 private:
  void Look(bool placed) override {
    if (!placed) Place();
  }
  void Start() override {
    // Goals are around the sites' places in one pose, and the episode begins in another pose.
    DrawPose();
    std::copy(position().begin(), position().end(), data().qpos);
    Place();
    for (std::size_t i = 0; i < low_.size(); ++i) {
      const auto tip = static_cast<std::size_t>(tips()[i / 3]);
      site_pos()[3 * static_cast<std::size_t>(targets()[i / 3]) + i % 3] =
          data().site_xpos[3 * tip + i % 3] + gen_.Uniform(low_[i], high_[i]);
    }
    DrawPose();
  }
  double* Observe(double* out) const override { return WriteTips(WriteJoints(out)); }
  Verdict Judge(const double* end, double effort) const override {
    const int count = static_cast<int>(low_.size()), nv = simulation().sizes().nv;
    const auto sites = static_cast<double>(tips().size());
    const double distance = mujoco::RowNorm(end - count, count);
    const double speed = mujoco::RowNorm(end - 2 * count - nv, nv);
    // The first steps of an episode cannot end it.
    const double limit =
        data().time > 2 * dt() ? far_ * sites : std::numeric_limits<double>::infinity();
    const double near = sites * 0.050;
    const bool far = distance > limit;
    const double bonus = 1.0 * (distance < 2 * near) + 1.0 * (distance < near);
    const double reach = (10.0 - distance) - 10.0 * speed;
    return {((reach + 4.0 * bonus) + 50 * (-1.0 * far)) + -100.0 * effort, -distance,
            distance < near, far};
  }

  /// Draws each joint around the first keyframe, inside its range. For the free joint only x
  /// changes, with the range 0 to 0.
  void DrawPose() {
    BeginAt(0);
    if (range_[0] == range_[1]) return;
    drawn_.resize(position().size());
    for (double& value : drawn_) value = gen_.Uniform(range_[0], range_[1]);
    for (int i = 0; i < simulation().sizes().njnt; ++i) {
      const auto place = static_cast<std::size_t>(model().jnt_qposadr[i]);
      const mjtNum* const range = model().jnt_range + 2 * i;
      position()[place] = std::min(std::max(position()[place] + drawn_[place], range[0]), range[1]);
    }
  }

  const std::vector<double> low_, high_, range_;
  const double far_;
  std::vector<double> drawn_;
};

}  // namespace envpool::myosuite
