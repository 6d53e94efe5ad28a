// SPDX-License-Identifier: Apache-2.0
// SimulatedEnv: an environment with one simulation. It gives tasks the data, draws frames, saves
// states, and has fields of the model that may differ from those of its neighbours.
//
//   class Arm final : public SimulatedEnv<ArmSpec, NumpyRandom> {
//    public:
//     Arm(const Spec& spec, int env_id)
//         : SimulatedEnv(spec, env_id, ArmSpec::Model(spec.config), kMujocoLook) {}
//
//    private:
//     void StartEpisode() override {
//       simulation().Reset();
//       data().qpos[0] = gen_.Uniform(-1, 1);
//     }
//     double Advance(const Action& action) override {
//       data().ctrl[0] = action["action"_][0];
//       simulation().Step(frame_skip());
//       return -std::abs(data().qpos[0]);                       // the reward
//     }
//     void WriteResult(State& state, bool first) override {
//       state["obs"_].Assign(data().qpos, nq());
//     }
//   };
//
// Environments of a model share mjData. In all of these functions data() has this environment's
// positions, velocities and everything else of mjSTATE_INTEGRATION. Quantities that MuJoCo computed
// from them may be another environment's until Step or Forward computes them again. A task keeps
// quantities of the last step in members.
//
// The options `frame_skip`, `render_quality` and FieldOptions() are required; `camera_name` is used
// if a description has it. In Python the family calls envpool_mujoco.family.with_fields for the
// result of its preparation.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envpool/env.h"
#include "envpool/state_io.h"
#include "envpool_mujoco/cameras.h"
#include "envpool_mujoco/detail/field_calls.h"
#include "envpool_mujoco/field_options.h"
#include "envpool_mujoco/model_fields.h"
#include "envpool_mujoco/model_store.h"
#include "envpool_mujoco/renderer.h"
#include "envpool_mujoco/simulation.h"
#include "envpool_mujoco/workspaces.h"

namespace envpool::mujoco {

/// Whether environments of a model take turns in a few mjData, or each has one of its own, where
/// all that was computed stays.
enum class DataOwner : bool { kModel, kEnvironment };

template <typename Description, typename Random>
class SimulatedEnv : public Env<Description, Random> {
  using Base = Env<Description, Random>;

 public:
  using typename Base::Action;
  using typename Base::Spec;
  using typename Base::State;

  /// `size` is that of a frame where no other one is asked for.
  SimulatedEnv(const Spec& spec, int env_id, const SharedModel& model, Look look,
               FrameSize size = {480, 480}, DataOwner owner = DataOwner::kModel)
      : Base(spec, env_id),
        simulation_(model, owner == DataOwner::kModel ? Workspaces::Of(model) : nullptr),
        frame_skip_(spec.config["frame_skip"_]),
        renderer_(spec.config["render_quality"_], look, size) {
    if constexpr (HasField<decltype(spec.config), "camera_name">) {
      const std::string& name = spec.config["camera_name"_];
      if (!name.empty()) own_camera_ = NamedCamera(*model, "camera_name", name);
    }
    simulation_.Randomize(spec.config["randomize"_]);
    const std::vector<std::string>& names = spec.config["model_info"_];
    if (names.empty()) return;
    fields_ = ModelFields::Of(model);
    for (const std::string& name : names) {
      told_.push_back(&fields_->at(fields_->Readable(name, "model_info")));
    }
  }

  bool IsDone() final { return terminated_; }
  void Reset() final {
    const Simulation::DataScope scope(simulation_, Simulation::Restore::kState);
    terminated_ = false;
    simulation_.RestoreFields();
    StartEpisode();
    const bool changed =
        simulation_.DrawFields(this->gen_, this->reset_options()["model_fields"_].values);
    if (changed) OnModelChange();
    ComputeStart(changed);
    Write(0.0, true);
  }
  void Step(const Action& action) final {
    const Simulation::DataScope scope(simulation_, Simulation::Restore::kState);
    const double reward = Advance(action);
    Write(reward, false);
  }

  std::pair<int, int> RenderSize(int width, int height) const {
    return renderer_.Size(width, height);
  }
  void CheckRender(int /*width*/, int /*height*/, int camera_id) const {
    renderer_.Check(simulation_, CameraFor(camera_id));
  }
  void Render(int width, int height, int camera_id, unsigned char* rgb) {
    Draw({width, height}, camera_id, rgb);
  }
  void RenderDepth(int width, int height, int camera_id, float* depth) {
    Draw({width, height}, camera_id, depth);
  }

  void SaveState(StateWriter& out) const {
    simulation_.SaveState(out);
    camera_.SaveState(out);
    out.Write(terminated_);
    Save(out);
  }
  void LoadState(StateReader& in) {
    const Simulation::DataScope scope(simulation_, Simulation::Restore::kNothing);
    simulation_.LoadState(in);
    camera_.LoadState(in);
    in.Read(terminated_);
    OnModelChange();
    Load(in);
  }

  // The model fields that were set, which a new seed does not change.
  FieldValues Kept() const { return simulation_.set_fields(); }
  void Keep(const FieldValues& kept) { simulation_.SetFields(kept); }
  /// Answers requests of the pool's methods; see envpool_mujoco/_pool_fields.py.
  std::string Call(const std::string& request) { return AnswerFieldCall(simulation_, request); }

 protected:
  /// Begins an episode: calls simulation().Reset(), draws positions and velocities, and sets them.
  virtual void StartEpisode() = 0;
  /// Called after fields of the model were drawn or loaded: computes again the values that the task
  /// keeps of the model, as a sum of masses.
  virtual void OnModelChange() {}
  /// Computes the quantities of the first observation. `changed`: fields of the model were drawn
  /// since StartEpisode.
  virtual void ComputeStart(bool /*changed*/) { simulation_.Forward(); }
  /// Simulates an action; returns the reward, and calls Terminate at an end.
  virtual double Advance(const Action& action) = 0;
  /// Writes observations and infos, of a reset if `first`.
  virtual void WriteResult(State& state, bool first) = 0;
  /// Saves the state that the next step depends on beside the simulation. Load may read quantities
  /// that MuJoCo computed.
  virtual void Save(StateWriter&) const {}
  virtual void Load(StateReader&) {}

  /// The camera of a frame for which none is named. In it all that MuJoCo computed is there.
  virtual mjvCamera FreeCamera() { return ModelCamera(model()); }
  /// Gymnasium's free camera, for FreeCamera of tasks that have it.
  mjvCamera GymnasiumView(const CameraConfig& config) {
    return camera_.Of(model(), data(), config);
  }
  /// Whether ShowGoals is called for a frame. It may change the data in any way; the simulation
  /// goes on without these changes.
  virtual bool ShowsGoals() const { return false; }
  virtual void ShowGoals(mjData&) const {}

  Simulation& simulation() { return simulation_; }
  const Simulation& simulation() const { return simulation_; }
  const mjModel& model() const { return simulation_.model(); }
  mjData& data() { return simulation_.data(); }
  const mjData& data() const { return simulation_.data(); }
  int nq() const { return simulation_.sizes().nq; }
  int nv() const { return simulation_.sizes().nv; }
  int nu() const { return simulation_.sizes().nu; }
  int nbody() const { return simulation_.sizes().nbody; }
  /// Steps of the simulation in an action.
  int frame_skip() const { return frame_skip_; }
  /// Seconds between two actions.
  double dt() const { return model().opt.timestep * frame_skip_; }
  void Terminate(bool terminated) { terminated_ = terminated; }
  /// For constructors of environments with several players: WriteResult writes each player's
  /// reward.
  void SetPlayers(int players) { players_ = players; }

  /// For constructors that compute a value once for a model: calls `work` with data() in the
  /// model's initial state and returns its result.
  template <typename Work>
  auto InResetData(const Work& work) {
    const Simulation::DataScope scope(simulation_, Simulation::Restore::kNothing);
    simulation_.Reset();
    return work();
  }
  /// For tasks whose observations have frames: draws the present frame of a camera.
  void DrawNow(FrameSize size, int camera_id, Pixels to) {
    renderer_.Draw(simulation_, size, camera_id, [this] { return FreeCamera(); }, to);
  }
  /// Throws OptionError unless a camera can draw.
  void CheckCanDraw(int camera_id) const { renderer_.Check(simulation_, camera_id); }

 private:
  int CameraFor(int camera_id) const { return camera_id < 0 ? own_camera_ : camera_id; }
  void Draw(FrameSize size, int camera_id, Pixels to) {
    const Simulation::DataScope scope(simulation_, Simulation::Restore::kEverything);
    if (!ShowsGoals()) return DrawNow(size, CameraFor(camera_id), to);
    const auto show = [this](mjData& changed) { ShowGoals(changed); };
    renderer_.Draw(
        simulation_, size, CameraFor(camera_id), [this] { return FreeCamera(); }, to, show);
  }
  void Write(double reward, bool first) {
    State state = this->Allocate(players_);
    WriteResult(state, first);
    if constexpr (HasField<State, "info:mujoco_warning">) {
      const auto warnings = state["info:mujoco_warning"_];
      for (std::size_t i = 0; i < mjNWARNING; ++i) warnings[i] = data().warning[i].number;
    }
    std::size_t i = 0;
    for (const ModelField* field : told_) {
      std::byte* out = state["info:model"_][i++].data;
      for (int k = 0; k < field->size(); ++k, out += sizeof(double)) {
        const double value = field->Read(model(), k);
        std::memcpy(out, &value, sizeof(double));
      }
    }
    // An environment with several players writes a reward for each player itself.
    if (players_ == 1) state["reward"_] = reward;
  }

  Simulation simulation_;
  const int frame_skip_;
  Renderer renderer_;
  int own_camera_ = -1;  // the free one
  GymnasiumCamera camera_;
  std::shared_ptr<const ModelFields> fields_;  // where some are told
  std::vector<const ModelField*> told_;        // what `model_info` asks for
  int players_ = 1;
  bool terminated_ = false;
};

}  // namespace envpool::mujoco
