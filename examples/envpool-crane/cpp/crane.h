// SPDX-License-Identifier: Apache-2.0
// Crane: a trolley on a rail, from which a load hangs that is to come to rest at a place.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "envpool/env.h"
#include "envpool/frame_stack.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "envpool_mujoco/field_options.h"
#include "envpool_mujoco/model_store.h"
#include "envpool_mujoco/names.h"
#include "envpool_mujoco/renderer.h"
#include "envpool_mujoco/simulated_env.h"

namespace crane {
using namespace envpool::literals;
namespace mujoco = envpool::mujoco;

struct CraneSpec : mujoco::SimulatedSpec<CraneSpec> {
  static mujoco::SharedModel Model(const auto& config) {
    return mujoco::ModelStore::Load(config["xml_file"_]);
  }
  static auto DefaultConfig() {
    return envpool::Dict{"xml_file"_ = "", "frame_skip"_ = 10, "close"_ = 0.1,
                         "render_quality"_ = "full"} +
           mujoco::FieldOptions();
  }
  static auto StateSpec(const auto& config) {
    envpool::CheckFrames(config["frame_skip"_], 1);
    mujoco::QualityOf(config["render_quality"_]);  // or it is refused
    return envpool::Dict{"obs"_ = envpool::Spec<double>({5}),
                         "info:distance"_ = envpool::Spec<double>({}),
                         "info:model"_ = mujoco::FieldInfos(config, Model(config))};
  }
  static auto ActionSpec(const auto&) {
    return envpool::Dict{"action"_ = envpool::Box<float>({1}, -1, 1)};
  }
};

class Crane final : public mujoco::SimulatedEnv<CraneSpec, envpool::NumpyRandom> {
 public:
  Crane(const Spec& spec, int env_id)
      : SimulatedEnv(spec, env_id, CraneSpec::Model(spec.config), mujoco::kMujocoLook, {480, 320}),
        load_(mujoco::SiteOf(model(), "load")),
        target_(mujoco::SiteOf(model(), "goal")) {}

 private:
  void StartEpisode() override {
    simulation().Reset();
    data().qpos[0] = gen_.Uniform(-2, 2);
    goal_ = gen_.Uniform(-2, 2);
  }
  double Advance(const Action& action) override {
    data().ctrl[0] = action["action"_][0];
    simulation().Step(frame_skip());
    simulation().Forward();
    const bool rests = std::abs(data().qvel[0]) < 0.1;
    return Distance() < spec_.config["close"_] && rests ? 1 : 0;
  }
  void WriteResult(State& state, bool) override {
    double* obs = std::copy_n(data().qpos, 2, state["obs"_].data());
    *std::copy_n(data().qvel, 2, obs) = goal_;
    state["info:distance"_] = Distance();
  }
  bool ShowsGoals() const override { return true; }
  void ShowGoals(mjData& shown) const override { shown.site_xpos[3 * target_] = goal_; }
  void Save(envpool::StateWriter& out) const override { out.Write(goal_); }
  void Load(envpool::StateReader& in) override { in.Read(goal_); }

  double Distance() const { return std::abs(data().site_xpos[3 * load_] - goal_); }

  const int load_, target_;
  double goal_ = 0;
};

}  // namespace crane
