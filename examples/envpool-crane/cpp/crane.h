// SPDX-License-Identifier: Apache-2.0
// Crane: a trolley on a rail, from which a load hangs that is to come to rest at a place.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "envpool/env.h"
#include "envpool/frame_stack.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "envpool_mujoco/cameras.h"
#include "envpool_mujoco/model_store.h"
#include "envpool_mujoco/names.h"
#include "envpool_mujoco/renderer.h"
#include "envpool_mujoco/simulation.h"
#include "envpool_mujoco/workspaces.h"

namespace crane {
using namespace envpool::literals;
namespace mujoco = envpool::mujoco;

struct CraneSpec {
  static auto DefaultConfig() {
    return envpool::Dict{"xml_file"_ = "", "frame_skip"_ = 10, "close"_ = 0.1,
                         "render_quality"_ = "full"};
  }
  static auto StateSpec(const auto& config) {
    envpool::CheckFrames(config["frame_skip"_], 1);
    mujoco::QualityOf(config["render_quality"_]);  // or it is refused
    return envpool::Dict{"obs"_ = envpool::Spec<double>({5}),
                         "info:distance"_ = envpool::Spec<double>({})};
  }
  static auto ActionSpec(const auto&) {
    return envpool::Dict{"action"_ = envpool::Box<float>({1}, -1, 1)};
  }
};

class Crane final : public envpool::Env<CraneSpec, envpool::NumpyRandom> {
 public:
  Crane(const Spec& spec, int env_id)
      : Env(spec, env_id),
        simulation_(Model(spec.config["xml_file"_]),
                    mujoco::Workspaces::Of(Model(spec.config["xml_file"_]))),
        load_(mujoco::SiteOf(simulation_.model(), "load")),
        target_(mujoco::SiteOf(simulation_.model(), "goal")),
        renderer_(spec.config["render_quality"_], mujoco::kMujocoLook, {480, 320}) {}

  bool IsDone() override { return false; }

  void Reset() override {
    const mujoco::Simulation::Visit visit(simulation_, mujoco::Simulation::Finds::kNothing);
    simulation_.Reset();
    simulation_.data().qpos[0] = gen_.Uniform(-2, 2);
    goal_ = gen_.Uniform(-2, 2);
    simulation_.Forward();
    Write(0);
  }

  void Step(const Action& action) override {
    const mujoco::Simulation::Visit visit(simulation_, mujoco::Simulation::Finds::kState);
    simulation_.data().ctrl[0] = action["action"_][0];
    simulation_.Step(spec_.config["frame_skip"_]);
    simulation_.Forward();
    const double speed = std::abs(simulation_.data().qvel[0]);
    Write(Distance() < spec_.config["close"_] && speed < 0.1 ? 1 : 0);
  }

  std::pair<int, int> RenderSize(int width, int height) const {
    return renderer_.Size(width, height);
  }
  void CheckRender(int, int, int camera_id) const { renderer_.Check(simulation_, camera_id); }
  void Render(int width, int height, int camera_id, unsigned char* rgb) {
    const mujoco::Simulation::Visit visit(simulation_, mujoco::Simulation::Finds::kAll);
    const auto camera = [this] { return mujoco::ModelCamera(simulation_.model()); };
    const auto show = [this](mjData& data) { data.site_xpos[3 * target_] = goal_; };
    renderer_.Draw(simulation_, {width, height}, camera_id, camera, rgb, show);
  }

  void SaveState(envpool::StateWriter& out) const {
    simulation_.SaveState(out);
    out.Write(goal_);
  }
  void LoadState(envpool::StateReader& in) {
    const mujoco::Simulation::Visit visit(simulation_, mujoco::Simulation::Finds::kNothing);
    simulation_.LoadState(in);
    in.Read(goal_);
  }

 private:
  static mujoco::SharedModel Model(const std::string& path) {
    return mujoco::ModelStore::Load(path);
  }
  double Distance() const { return std::abs(simulation_.data().site_xpos[3 * load_] - goal_); }

  void Write(double reward) {
    const mjData& data = simulation_.data();
    State state = Allocate();
    double* obs = std::copy_n(data.qpos, 2, state["obs"_].data());
    *std::copy_n(data.qvel, 2, obs) = goal_;
    state["info:distance"_] = Distance();
    state["reward"_] = reward;
  }

  mujoco::Simulation simulation_;
  const int load_, target_;
  mujoco::Renderer renderer_;
  double goal_ = 0;
};

}  // namespace crane
