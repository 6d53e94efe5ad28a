// SPDX-License-Identifier: Apache-2.0
// CompiledPool: the pool that Python holds. Gymnasium, dm_env and spaces are not its business: it
// takes actions and environment ids, and returns arrays in the layout that it was given. Frames are
// in frames.cc, saved states and calls of environments in saved_states.cc.
//
// Python's GIL is let go of while environments work, one thread at a time uses a pool, and a forked
// child uses none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arguments.h"
#include "envpool/binding/options.h"
#include "envpool/engine/pool.h"
#include "gil_sharing.h"
#include "last_observation.h"
#include "native_pool.h"
#include "pool_calls.h"
#include "python.h"
#include "result_layout.h"
#include "result_memory.h"

namespace envpool::python {

class CompiledPool {
 public:
  /// `list_reset_options`: see EnvType.
  CompiledPool(std::unique_ptr<ResultMemory> memory, std::unique_ptr<Pool> pool,
               std::vector<Option> (*list_reset_options)(void* options));
  CompiledPool(const CompiledPool&) = delete;
  CompiledPool& operator=(const CompiledPool&) = delete;
  ~CompiledPool();

  void SetResultLayouts(PyObject* step, PyObject* reset);
  /// The next results of a synchronous pool are written into these arrays, by their names in
  /// layouts, with a row for each environment and player; those not named are the pool's own.
  void SetResultArrays(PyObject* arrays);

  /// The options that a reset takes, as a dict of their defaults.
  Object ResetOptions() const;
  /// Gives the next reset of environments a dict of options; None: no options. Throws
  /// Error(kConfig) on a wrong value.
  void SetResetOptions(PyObject* env_ids, PyObject* options);

  Object Step(PyObject* action, PyObject* env_id);
  /// Step for gymnasium.vector, where row i is environment i: a dict may have no other "env_id".
  Object StepAll(PyObject* actions);
  void Send(PyObject* action, PyObject* env_id);
  Object Recv(bool reset, std::optional<double> timeout);
  Object Reset(PyObject* env_id, PyObject* seed);
  /// A reset of some environments, whose result has rows of all: the others' are their last
  /// observation. Of a pool with a mask in its layouts.
  Object ResetSome(PyObject* env_ids, PyObject* seed);
  void AsyncReset(PyObject* env_id, PyObject* seed);
  Object Render(PyObject* env_ids, int width, int height, int camera_id, bool depth);
  /// A list of texts, where the environment draws itself as text.
  Object RenderText(PyObject* env_ids);
  /// Throws the exceptions that Render throws before it draws, for pools that draw elsewhere.
  void CheckDrawable(PyObject* env_ids);
  Object SaveState(PyObject* env_ids);
  void LoadState(PyObject* states, PyObject* env_ids);
  /// The environments' answers to requests, one for each id; lists of bytes. An id may come twice;
  /// requests of one environment are answered in their order, those of several side by side.
  Object Call(PyObject* env_ids, PyObject* requests);
  void Close();
  /// An EnvPoolC in a capsule; see c_pool.h.
  Object CPool();

  const std::string& task_id() const { return pool_->options().task_id; }
  bool closed() const { return pool_->closed(); }
  int num_threads() const { return pool_->options().num_threads; }
  int num_in_flight() const { return pool_->num_in_flight(); }

 private:
  // Throws where environments are in flight.
  void CheckNothingInFlight(const char* call) const;
  // Receives within `deadline`, also results of environments that another thread has yet to send.
  Object RecvFromOthers(bool reset, Clock::time_point deadline);
  /// How many environments were sent.
  int SendActions(PyObject* action, PyObject* env_id, bool then_recv);
  /// Returns the environments that were sent.
  Ids SendReset(PyObject* env_id, PyObject* seed, bool then_recv, bool may_leave_out = false);
  Received Receive(bool newest, Clock::time_point deadline);
  Received ReceiveReset(const Ids& ids);
  Object Deliver(const Received& received, bool reset) {
    return DeliverAs(received, [&] {
      return (reset ? reset_layout_ : step_layout_).Build(received, *memory_, last_);
    });
  }
  // Builds a result and gives the batch back.
  template <typename Build>
  Object DeliverAs(const Received& received, const Build& build);

  std::unique_ptr<ResultMemory> memory_;
  std::unique_ptr<PoolCalls> calls_;
  Pool* const pool_;  // that of calls_
  std::vector<Option> (*const list_reset_options_)(void* options);
  const bool synchronous_;
  const bool trivial_;
  Arguments arguments_;
  GilSharing gil_sharing_;
  ResultLayout step_layout_, reset_layout_;
  LastObservation last_;
  std::shared_ptr<NativeGate> gate_;  // null until somebody asks for it
};

}  // namespace envpool::python
