// SPDX-License-Identifier: Apache-2.0
// Simulation: one robot and its world, on a model that it shares with others.
//
//   Simulation simulation(ModelStore::Load(path));
//   simulation.Reset();
//   simulation.data().qpos[0] = 0.1;
//   simulation.Forward();
//   simulation.Step(5);
//
// The model is shared and read only. A simulation that asks for `options`, or for an array by
// `Own`, gets a copy of it and of mjModel; the other arrays stay shared.
//
// A simulation has an mjData of its own, or keeps a state only and borrows an mjData that other
// simulations of the model use as well:
//
//   Simulation simulation(model, Workspaces::Of(model));
//   const Simulation::DataScope scope(simulation, Simulation::Restore::kState);
//   simulation.Step(5);      // data() is there as long as the scope, and an error elsewhere
//
// Environments do not borrow by themselves: SimulatedEnv does it for them.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "envpool/error.h"
#include "envpool/state_io.h"
#include "envpool_mujoco/detail/first_half.h"
#include "envpool_mujoco/detail/own_fields.h"
#include "envpool_mujoco/field_draws.h"
#include "envpool_mujoco/library.h"
#include "envpool_mujoco/model_fields.h"
#include "envpool_mujoco/model_store.h"
#include "envpool_mujoco/workspaces.h"

namespace envpool::mujoco {

class Simulation {
 public:
  /// With `workspaces` there is data() only while there is a DataScope.
  explicit Simulation(SharedModel shared, std::shared_ptr<Workspaces> workspaces = nullptr)
      : shared_(std::move(shared)),
        sizes_(*shared_),
        model_(shared_.get()),
        workspaces_(std::move(workspaces)),
        last_start_(StateSize()) {
    if (workspaces_ == nullptr) {
      own_data_ = Workspace::Make(*model_);
      data_ = own_data_.get();
    } else {
      state_.resize(StateSize());
      const DataScope scope(*this, Restore::kNothing);
      Reset();
    }
  }
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// The content of mjData when a DataScope begins. kNothing: anything, so that Reset has to be
  /// called first. kState: mjSTATE_INTEGRATION of this simulation. kEverything: derived quantities
  /// as well, computed again where another simulation was in there.
  enum class Restore { kNothing, kState, kEverything };
  /// Borrows an mjData where it is shared, and keeps this simulation's state when it gives it back.
  class DataScope {
   public:
    DataScope(Simulation& simulation, Restore restore) : simulation_(simulation) {
      if (simulation.workspaces_ != nullptr) simulation.Enter(restore);
    }
    ~DataScope() {
      if (simulation_.workspaces_ == nullptr) return;
      simulation_.Leave(std::uncaught_exceptions() > exceptions_);
    }
    DataScope(const DataScope&) = delete;
    DataScope& operator=(const DataScope&) = delete;

   private:
    Simulation& simulation_;
    const int exceptions_ = std::uncaught_exceptions();  // that are on their way already
  };

  /// Saves the state of a simulation, and restores it at its end. A frame with goals needs it.
  /// With shared mjData it is used inside a DataScope.
  class ScopedStateRestore {
   public:
    explicit ScopedStateRestore(Simulation& simulation)
        : simulation_(simulation),
          state_(simulation.StateSize()),
          warnings_(simulation.Warnings()) {
      mj_getState(simulation.model_, simulation.Data(), state_.data(), kWhole);
    }
    ~ScopedStateRestore() {
      simulation_.Put(state_, warnings_);
      if (simulation_.workspaces_ != nullptr) {
        simulation_.disturbed_ = true;
        return;
      }
      try {
        simulation_.ComputeLast();
      } catch (const MujocoError&) {
        // It was at this when the state was new, and said so then.
      }
    }
    ScopedStateRestore(const ScopedStateRestore&) = delete;
    ScopedStateRestore& operator=(const ScopedStateRestore&) = delete;
    mjData& data() { return *simulation_.data_; }

   private:
    Simulation& simulation_;
    std::vector<mjtNum> state_;
    const std::array<int, mjNWARNING> warnings_;
  };

  /// The model and workspaces that it shares with other simulations.
  const SharedModel& shared() const { return shared_; }
  const mjModel& model() const { return *model_; }
  const ModelSizes& sizes() const { return sizes_; }
  /// Options of this simulation alone.
  mjOption& options() { return MyModel().opt; }
  /// Throws std::logic_error where the data is shared and there is no DataScope.
  mjData& data() { return *Data(); }
  const mjData& data() const { return *Data(); }

  /// The array that `member` of the model points to, as a copy that this simulation may change:
  /// `double* pos = simulation.Own(&mjModel::geom_pos, 3 * model.ngeom)`. It is part of the saved
  /// state.
  template <typename T>
  T* Own(T* mjModel::* member, int count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
    auto memory = std::make_unique<std::byte[]>(bytes);
    mjModel& mine = MyModel();
    std::memcpy(memory.get(), mine.*member, bytes);
    mine.*member = reinterpret_cast<T*>(memory.get());
    own_.push_back({std::move(memory), bytes});
    return mine.*member;
  }

  /// Fields of the model are drawn in this way from the next DrawFields on; to be called once,
  /// before there is an episode. Without anything to draw it does nothing.
  void Randomize(const mujoco::Randomize& option) {
    if (!option.empty()) MakeFields(option);
  }
  /// Sets a field, to the number that the model has or to these, from the next DrawFields on.
  void SetField(const std::string& name, const std::vector<double>& values) {
    if (fields_ == nullptr) MakeFields({});
    fields_->Set(name, values);
  }
  /// The values that SetField has set, for another simulation of this model.
  FieldValues set_fields() const { return fields_ == nullptr ? FieldValues() : fields_->set(); }
  void SetFields(const FieldValues& values) {
    if (fields_ == nullptr && values.empty()) return;
    if (fields_ == nullptr) MakeFields({});
    fields_->Set(values);
  }
  /// Makes all fields the model's again, before a start is drawn.
  void RestoreFields() {
    if (fields_ != nullptr) fields_->Restore(MyModel());
  }
  /// Gives fields the values that are drawn for them, that were set, or that `once` has. To be
  /// called after all other draws of a start and before the start is computed. Returns whether
  /// fields may have changed.
  template <typename Random>
  bool DrawFields(Random& random, const FieldValues& once = {}) {
    if (fields_ == nullptr && once.empty()) return false;
    if (fields_ == nullptr) MakeFields({});
    fields_->Begin(MyModel(), random, once);
    MixFriction();
    return true;
  }

  /// mj_resetData: the model's own start, or one of its keyframes, at rest. Warnings are counted
  /// anew.
  void Reset(int keyframe = -1) {
    const LibraryCall call;
    mj_resetDataKeyframe(model_, Data(), keyframe);
    last_ = Last::kReset;
  }
  /// mj_forward: all that follows from positions, velocities and controls.
  void Forward() {
    const LibraryCall call;
    Remember(Last::kForward);
    mj_forward(model_, Data());
  }
  /// The same as if the actuators were not there.
  void ForwardWithoutActuators() {
    const LibraryCall call;
    Remember(Last::kPassiveForward);
    const Instead flags = Disabled(mjDSBL_ACTUATION);
    mj_forward(model_, Data());
  }
  /// Computes positions and contacts of a state that is computed in full later. It uses the middle
  /// phase of collision detection, which leaves out geoms that only just touch: the contacts are
  /// those that MuJoCo finds in the model as it was written.
  void FindContacts() {
    const LibraryCall call;
    int& flags = options().disableflags;
    const Instead whole(flags, flags & ~static_cast<int>(mjDSBL_MIDPHASE));
    mj_kinematics(model_, Data());
    mj_collision(model_, Data());
  }
  /// `count` times mj_step; at least once.
  void Step(int count) {
    Step(count, [](int) {});
  }
  /// The same, each after a call of `before` with its number, as for controls of its own.
  template <typename Before>
  void Step(int count, const Before& before) {
    const LibraryCall call;
    for (int i = 0; i < count; ++i) {
      before(i);
      if (i == count - 1) Remember(Last::kStep);
      mj_step(model_, Data());
    }
  }
  /// mj_step1: computes the quantities that depend on positions and velocities only.
  void FollowMotion() {
    const LibraryCall call;
    mj_step1(model_, Data());
    last_ = Last::kStepInMotion;
  }
  /// Numbers of a row of Rollout's controls that moves mocap bodies as well.
  static constexpr int kControlAndMocap = mjSTATE_CTRL | mjSTATE_MOCAP_POS | mjSTATE_MOCAP_QUAT;
  /// Simulates `steps` steps from a start, mjSTATE_FULLPHYSICS, each under a row of `controls`: nu
  /// numbers, or those of kControlAndMocap. Writes a row of states and a row of all sensors after
  /// each step. Afterwards data() is as before; with shared mjData it needs a DataScope with
  /// Restore::kState.
  void Rollout(const std::vector<mjtNum>& start, std::size_t steps,
               const std::vector<mjtNum>& controls, std::vector<mjtNum>& states,
               std::vector<mjtNum>& sensors) {
    const auto size = static_cast<std::size_t>(mj_stateSize(model_, mjSTATE_FULLPHYSICS));
    const auto read = static_cast<std::size_t>(model_->nsensordata);
    const std::size_t width = steps == 0 ? 0 : controls.size() / steps;
    const bool moves = width > static_cast<std::size_t>(sizes_.nu);
    ScopedStateRestore restore(*this);
    mjData& data = restore.data();
    const LibraryCall call;
    mj_resetData(model_, &data);
    mj_setState(model_, &data, start.data(), mjSTATE_FULLPHYSICS);
    states.resize(steps * size);
    sensors.resize(steps * read);
    for (std::size_t i = 0; i < steps; ++i) {
      mj_setState(model_, &data, controls.data() + i * width,
                  moves ? kControlAndMocap : mjSTATE_CTRL);
      mj_step(model_, &data);
      mj_getState(model_, &data, states.data() + i * size, mjSTATE_FULLPHYSICS);
      std::memcpy(sensors.data() + i * read, data.sensordata, read * sizeof(mjtNum));
    }
  }
  /// The sensors that are read after a step: none, those of positions and velocities, or those of
  /// forces and accelerations as well.
  enum class Sensors { kNone, kMotion, kAll };
  /// Makes `count` steps, at least one. Afterwards quantities that depend on positions and
  /// velocities are those of the state at the end; mj_step leaves those of the last step's start.
  /// They must be in sync before the call, as after a Forward. Sensors are computed only if they
  /// are read. If none are read, and the next step begins anew anyway, only positions of bodies and
  /// geoms are computed.
  void StepInSync(int count, Sensors read = Sensors::kAll) {
    const LibraryCall call;
    if (model_->opt.integrator == mjINT_RK4) {
      // Its steps have no second half of their own.
      for (int i = 0; i < count; ++i) {
        if (i == count - 1) Remember(Last::kStepInSync);
        mj_step(model_, Data());
      }
      if (read != Sensors::kNone) return mj_step1(model_, Data());
      mj_checkPos(model_, Data());
      mj_checkVel(model_, Data());
      mj_kinematics(model_, Data());
      mj_comPos(model_, Data());
      return;
    }
    for (int i = 0; i < count; ++i) {
      const bool last = i == count - 1;
      if (last && read == Sensors::kAll) Remember(Last::kStepInSync);
      if (last && read != Sensors::kAll) last_ = Last::kStepInMotion;
      {
        const Instead flags = Disabled(last && read == Sensors::kAll ? 0 : mjDSBL_SENSOR);
        mj_step2(model_, Data());
      }
      const Instead flags = Disabled(last && read != Sensors::kNone ? 0 : mjDSBL_SENSOR);
      StepFirstHalf(MyModel(), Data());
    }
  }
  /// Places cameras and lights for a frame; steps do not.
  void PlaceCameras() {
    const LibraryCall call;
    mj_camlight(model_, Data());
  }
  /// mj_rnePostConstraint: the forces on bodies, as cfrc_ext, which mj_step leaves alone where no
  /// sensor needs them.
  void ComputeBodyForces() {
    const LibraryCall call;
    mj_rnePostConstraint(model_, Data());
  }
  /// To be called after a change of data() or the model. The state as it is now is then saved and
  /// drawn. Until the next computation only positions of bodies and geoms are right.
  void Changed() {
    last_ = Last::kStepInMotion;
    if (workspaces_ == nullptr) return ComputeLast();
    disturbed_ = true;
  }
  /// Whether there was a step since the last Reset.
  bool stepped() const {
    return last_ == Last::kStep || last_ == Last::kStepInSync || last_ == Last::kStepInMotion;
  }
  /// How often MuJoCo warned since the last Reset, one count for each of mjtWarning.
  std::array<int, mjNWARNING> Warnings() const {
    std::array<int, mjNWARNING> counts;
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = Data()->warning[i].number;
    return counts;
  }

  void SaveState(envpool::StateWriter& out) const {
    if (KeepsMoreThanState(*model_)) {
      throw envpool::Error(
          envpool::ErrorKind::kSavedState, "save_state()",
          "a model with MuJoCo's flag sleep or ipc, whose next step depends on more "
          "than its state",
          "models without these flags", "remove the flag from <option> of the model");
    }
    const unsigned char fields = fields_ != nullptr ? kWithFields : 0;
    const auto last = static_cast<unsigned char>(static_cast<unsigned char>(last_) | fields);
    if (Remembered()) {
      out.Write(last, last_start_, last_warnings_);
    } else if (workspaces_ != nullptr) {
      out.Write(last, state_, warnings_);
    } else {
      std::vector<mjtNum> state(StateSize());
      mj_getState(model_, Data(), state.data(), kWhole);
      out.Write(last, state, Warnings());
    }
    for (const Owned& owned : own_) {
      out.Write(std::string(reinterpret_cast<const char*>(owned.memory.get()), owned.bytes));
    }
    if (fields_ != nullptr) fields_->Save(out);
  }
  /// Also brings back all that was computed, bit for bit; after steps in which forces and
  /// accelerations were not read, all but these.
  void LoadState(envpool::StateReader& in) {
    std::vector<mjtNum> state;
    std::array<int, mjNWARNING> warnings;
    unsigned char saved = 0;
    in.Read(saved, state, warnings);
    const bool with_fields = (saved & kWithFields) != 0;
    const auto last = static_cast<Last>(saved & ~kWithFields);
    CheckSize(state.size(), StateSize());
    if (with_fields && fields_ == nullptr) MakeFields({});
    RestoreFields();
    for (const Owned& owned : own_) {
      std::string bytes;
      in.Read(bytes);
      CheckSize(bytes.size(), owned.bytes);
      std::memcpy(owned.memory.get(), bytes.data(), bytes.size());
    }
    if (with_fields) fields_->Load(MyModel(), in);
    if (!with_fields && fields_ != nullptr) fields_->Forget(MyModel());
    MixFriction();
    Reset();
    ComputeAgain(last, state, warnings);
  }

 private:
  struct Owned {
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes;
  };
  /// The last computation. After kStepInMotion forces and accelerations are not read, and all other
  /// quantities follow from the present state.
  enum class Last : unsigned char {
    kReset,
    kForward,
    kPassiveForward,
    kStep,
    kStepInSync,
    kStepInMotion
  };
  static constexpr int kWhole = mjSTATE_INTEGRATION;
  static constexpr unsigned char kWithFields = 0x80;  // in a saved state, beside a Last

  void MakeFields(const mujoco::Randomize& option) {
    fields_ = std::make_unique<OwnFields>(FieldDraws::Of(shared_, option), workspaces_ != nullptr);
  }

  /// With `flags` in `disableflags` for a while.
  Instead<int> Disabled(int flags) {
    int& place = options().disableflags;
    return {place, place | flags};
  }
  static std::uint64_t FirstScope() {
    static std::atomic<std::uint64_t> simulations{0};
    return ++simulations << 40;
  }
  std::size_t StateSize() const { return static_cast<std::size_t>(mj_stateSize(model_, kWhole)); }
  mjModel& MyModel() {
    if (my_model_ == nullptr) {
      my_model_ = std::make_unique<mjModel>(*shared_);
      model_ = my_model_.get();
    }
    return *my_model_;
  }
  // After mj_step, positions of bodies, forces and the like are those at the start of the step, and
  // the solver's result depends on its starting point. So a saved state is the state before the
  // last computation, and loading it repeats that computation.
  void Remember(Last what) {
    mj_getState(model_, Data(), last_start_.data(), kWhole);
    last_warnings_ = Warnings();
    last_ = what;
  }
  bool Remembered() const { return last_ != Last::kReset && last_ != Last::kStepInMotion; }
  // Repeats the computation `last` for this state.
  void ComputeAgain(Last last, const std::vector<mjtNum>& state,
                    const std::array<int, mjNWARNING>& warnings) {
    Put(state, warnings);
    switch (last) {
      case Last::kReset:
        break;
      case Last::kForward:
        return Forward();
      case Last::kPassiveForward:
        return ForwardWithoutActuators();
      case Last::kStep:
        return Step(1);
      case Last::kStepInSync: {  // its last step
        const LibraryCall call;
        Remember(Last::kStepInSync);
        mj_step(model_, Data());
        mj_step1(model_, Data());
        return;
      }
      case Last::kStepInMotion: {  // the second half of its last step
        const LibraryCall call;
        mj_step1(model_, Data());
        PutWarnings(warnings);
        last_ = last;
      }
    }
  }
  // Repeats the last computation, in data that has the present state.
  void ComputeLast() {
    if (last_ == Last::kReset) return;
    std::vector<mjtNum> start = last_start_;
    std::array<int, mjNWARNING> warnings = last_warnings_;
    if (!Remembered()) {
      mj_getState(model_, Data(), start.data(), kWhole);
      warnings = Warnings();
    }
    ComputeAgain(last_, start, warnings);
  }
  void Put(const std::vector<mjtNum>& state, const std::array<int, mjNWARNING>& warnings) {
    mj_setState(model_, Data(), state.data(), kWhole);
    PutWarnings(warnings);
  }
  void PutWarnings(const std::array<int, mjNWARNING>& warnings) {
    for (std::size_t i = 0; i < warnings.size(); ++i) Data()->warning[i].number = warnings[i];
  }

  mjData* Data() const {
    if (data_ == nullptr) [[unlikely]]
      ThrowNoData();
    return data_;
  }
  [[noreturn]] static void ThrowNoData() {
    throw std::logic_error(
        "data() was used while the simulation has none. The environments of a model share mjData, "
        "which is an environment's in a reset, a step, a frame and the loading of a state only. "
        "What a constructor computes belongs into InResetData; whoever has a Simulation without a "
        "SimulatedEnv makes a Simulation::DataScope first");
  }
  void MixFriction() {
    if (fields_ != nullptr && workspace_ != nullptr) {
      fields_->MixFriction(MyModel(), workspace_->pair_friction);
    }
  }
  void Enter(Restore restore) {
    if (workspace_ != nullptr) {
      throw std::logic_error(
          "a DataScope began within another one of the same simulation, as where InResetData is "
          "called in a reset or a step. data() is there already: call what it computes alone");
    }
    workspace_ = workspaces_->Take();
    data_ = workspace_->data.get();
    MixFriction();
    // A scope that an exception ends leaves nothing.
    const bool is_mine = std::exchange(workspace_->left_by, 0) == last_scope_;
    if (is_mine || restore == Restore::kNothing) return;
    Put(state_, warnings_);
    if (restore == Restore::kEverything) ComputeLast();
  }
  void Leave(bool failed) {
    if (fields_ != nullptr) fields_->UnmixFriction(MyModel());
    // MuJoCo has left the data half computed.
    if (failed) {
      data_ = nullptr;
      return workspace_.reset();
    }
    mj_getState(model_, data_, state_.data(), kWhole);
    warnings_ = Warnings();
    data_ = nullptr;
    // A new number in any case: workspaces that it left before are not of this state.
    ++last_scope_;
    workspace_->left_by = std::exchange(disturbed_, false) ? 0 : last_scope_;
    workspaces_->Give(std::move(workspace_));
  }

  static void CheckSize(std::size_t got, std::size_t wanted) {
    if (got != wanted) throw std::out_of_range("the saved state is of another model");
  }

  const SharedModel shared_;
  const ModelSizes sizes_;
  std::unique_ptr<mjModel> my_model_;  // where something in it is this simulation's alone
  const mjModel* model_;               // that one, or what is shared
  std::vector<Owned> own_;
  std::unique_ptr<OwnFields> fields_;             // null where all are the model's and the task's
  const std::shared_ptr<Workspaces> workspaces_;  // null where the data is its own
  Workspace::Data own_data_;
  std::unique_ptr<Workspace> workspace_;  // while there is a DataScope
  mjData* data_ = nullptr;                // its own, or that of the workspace while there is one
  bool disturbed_ = false;                // what was computed in this scope is not there any more
  std::uint64_t last_scope_ = FirstScope();  // no two scopes have the same number
  std::vector<mjtNum> state_;  // with workspaces: mjSTATE_INTEGRATION at the end of the last scope
  std::array<int, mjNWARNING> warnings_{};
  Last last_ = Last::kReset;
  std::vector<mjtNum> last_start_;  // the state before the last computation
  std::array<int, mjNWARNING> last_warnings_{};
};

}  // namespace envpool::mujoco
