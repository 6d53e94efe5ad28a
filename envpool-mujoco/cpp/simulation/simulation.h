// SPDX-License-Identifier: Apache-2.0
// Simulation: one robot and its world, on a model that it shares with others.
//
//   Simulation simulation(ModelStore::Load(path));
//   simulation.Reset();
//   simulation.data().qpos[0] = 0.1;
//   simulation.Forward();
//   simulation.Step(5);
//
// The model's arrays are shared and read only. The struct around them is a copy, so that options
// belong to this simulation alone; `Own` gives it a copy of an array that a task changes.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "envpool/state_io.h"
#include "simulation/library.h"
#include "simulation/model_store.h"

namespace mujoco {

class Simulation {
 public:
  explicit Simulation(SharedModel shared)
      : shared_(std::move(shared)), sizes_(*shared_), model_(*shared_), data_(MakeData(model_)) {}
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// What it shares with others.
  const SharedModel& shared() const { return shared_; }
  const mjModel& model() const { return model_; }
  const ModelSizes& sizes() const { return sizes_; }
  /// Options of this simulation alone.
  mjOption& options() { return model_.opt; }
  mjData& data() { return *data_; }
  const mjData& data() const { return *data_; }

  /// The array that `member` of the model points to, as a copy that this simulation may change:
  /// `double* pos = simulation.Own(&mjModel::geom_pos, 3 * model.ngeom)`. It is part of the saved
  /// state.
  template <typename T>
  T* Own(T* mjModel::* member, int count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    auto memory = std::make_unique<std::byte[]>(bytes);
    std::memcpy(memory.get(), model_.*member, bytes);
    model_.*member = reinterpret_cast<T*>(memory.get());
    own_.push_back({std::move(memory), bytes});
    return model_.*member;
  }

  /// mj_resetData: the model's own start, or one of its keyframes, at rest. Warnings are counted
  /// anew.
  void Reset(int keyframe = -1) {
    const LibraryCall call;
    mj_resetDataKeyframe(&model_, data_.get(), keyframe);
    stepped_ = false;
  }
  /// mj_forward: all that follows from positions, velocities and controls.
  void Forward() {
    const LibraryCall call;
    mj_forward(&model_, data_.get());
  }
  /// `count` times mj_step; at least once.
  void Step(int count) {
    const LibraryCall call;
    for (int i = 1; i < count; ++i) mj_step(&model_, data_.get());
    Remember();
    mj_step(&model_, data_.get());
  }
  /// mj_rnePostConstraint: the forces on bodies, as cfrc_ext, which mj_step leaves alone where no
  /// sensor needs them.
  void ComputeBodyForces() {
    const LibraryCall call;
    mj_rnePostConstraint(&model_, data_.get());
  }
  /// Whether there was a step since the last Reset.
  bool stepped() const { return stepped_; }
  /// How often MuJoCo warned since the last Reset, one count for each of mjtWarning.
  std::array<int, mjNWARNING> Warnings() const {
    std::array<int, mjNWARNING> counts;
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = data_->warning[i].number;
    return counts;
  }

  /// The number of a body, joint, ... of this name. Throws MujocoError where there is none.
  int Id(mjtObj type, const std::string& name) const {
    const int id = mj_name2id(&model_, type, name.c_str());
    if (id >= 0) return id;
    throw MujocoError("the model has no " + std::string(mju_type2Str(type)) + " '" + name + "'");
  }

  void SaveState(envpool::StateWriter& out) const {
    std::vector<mjtNum> state = last_start_;
    if (!stepped_) Get(state);
    out.Write(stepped_, state, stepped_ ? last_warnings_ : Warnings());
    for (const Owned& owned : own_) {
      out.Write(std::string(reinterpret_cast<const char*>(owned.memory.get()), owned.bytes));
    }
  }
  /// Also brings back all that was computed, bit for bit.
  void LoadState(envpool::StateReader& in) {
    std::vector<mjtNum> state;
    std::array<int, mjNWARNING> warnings;
    bool stepped = false;
    in.Read(stepped, state, warnings);
    CheckSize(state.size(), StateSize());
    for (const Owned& owned : own_) {
      std::string bytes;
      in.Read(bytes);
      CheckSize(bytes.size(), owned.bytes);
      std::memcpy(owned.memory.get(), bytes.data(), bytes.size());
    }
    Reset();
    mj_setState(&model_, data_.get(), state.data(), kWhole);
    for (std::size_t i = 0; i < warnings.size(); ++i) data_->warning[i].number = warnings[i];
    if (stepped) {
      Step(1);
    } else {
      Forward();
    }
  }

 private:
  struct Owned {
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes;
  };
  struct Deleter {
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  static constexpr int kWhole = mjSTATE_INTEGRATION;

  std::size_t StateSize() const { return static_cast<std::size_t>(mj_stateSize(&model_, kWhole)); }
  void Get(std::vector<mjtNum>& state) const {
    state.resize(StateSize());
    mj_getState(&model_, data_.get(), state.data(), kWhole);
  }
  // Positions of bodies, forces and the like are those at the start of the last mj_step, not those
  // of its end. A state that is saved is therefore that start, and to load it is to do that step
  // again.
  void Remember() {
    Get(last_start_);
    last_warnings_ = Warnings();
    stepped_ = true;
  }

  static std::unique_ptr<mjData, Deleter> MakeData(const mjModel& model) {
    InstallLogHandler();
    const LibraryCall call;
    std::unique_ptr<mjData, Deleter> data(mj_makeData(&model));
    if (data == nullptr) throw MujocoError("there is not enough memory for a simulation");
    return data;
  }
  static void CheckSize(std::size_t got, std::size_t wanted) {
    if (got != wanted) throw std::out_of_range("the saved state is of another model");
  }

  const SharedModel shared_;
  const ModelSizes sizes_;
  mjModel model_;
  std::vector<Owned> own_;
  std::unique_ptr<mjData, Deleter> data_;
  bool stepped_ = false;            // since the last Reset
  std::vector<mjtNum> last_start_;  // the state before the last mj_step
  std::array<int, mjNWARNING> last_warnings_{};
};

}  // namespace mujoco
