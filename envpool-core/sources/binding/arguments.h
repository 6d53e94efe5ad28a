// SPDX-License-Identifier: Apache-2.0
// Arguments: converts the arguments that Python passes to a pool.
//
//   const Ids ids = arguments.IdsForAction(action, env_id);
//   pool.Step(ids.ids, ids.count, true, [&] { arguments.WriteAction(action, ids); });
//
// An object that cannot be read is refused with one of EnvPool's errors, whose cause is the
// object's exception; KeyboardInterrupt is raised on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "envpool/engine/action_table.h"
#include "envpool/engine/batch.h"
#include "envpool/engine/pool.h"
#include "numpy.h"
#include "python.h"

namespace envpool::python {

/// Environments of a call: `ids` points to `count` of them, or is null for all. They hold until the
/// next call that parses some.
struct Ids {
  const int* ids = nullptr;
  int count = 0;
  int at(int i) const { return ids == nullptr ? i : ids[i]; }
};

class Arguments {
 public:
  /// `pool` outlives it.
  explicit Arguments(Pool& pool);

  /// An action without dicts in it: {"a": {"b": x}} as {"a.b": x}.
  static Object Flat(PyObject* action);
  /// Throws Error(kEnvId) unless these are whole numbers; whether they are ids is for the pool.
  Ids ParseIds(PyObject* env_id, const char* what);
  /// The environments that an action is for: `env_id`, or the ids in the action, or those whose
  /// results came last, or all.
  Ids IdsForAction(PyObject* action, PyObject* env_id);
  /// Throws Error(kEnvId) for a dict with an "env_id" that is not the ids of all environments in
  /// their order.
  void RequireAllIds(PyObject* action, const char* call);
  /// Writes the arrays of an action into the table of the pool. Throws Error(kAction).
  void WriteAction(PyObject* action, const Ids& ids);
  /// One seed for each environment; empty for None. Where `may_leave_out`, None in a sequence is
  /// -1. Throws Error(kConfig).
  std::vector<std::int64_t> ParseSeeds(PyObject* seed, const Ids& ids, bool may_leave_out) const;

 private:
  // How many rows each environment of a call has in per-player actions.
  struct Players {
    std::vector<int> env_ids, slots;
  };

  const std::string& task_id() const { return pool_.options().task_id; }
  void ReadIds(PyObject* env_id, const char* what, std::vector<int>& out) const;
  Ids DefaultIds(PyObject* action) const;
  // The array `key` of a dict; a borrowed reference, or null.
  PyObject* Find(PyObject* action, std::size_t key) const;
  void WriteDict(PyObject* action, const Ids& ids);
  Players ParsePlayers(PyObject* action, const Ids& ids);
  void WriteArray(std::size_t key, PyObject* value, const ActionRows& rows);
  static bool IsOneRow(const NumpyArray& array);
  void CheckShape(std::size_t key, const NumpyArray& array, const ActionRows& rows);
  std::string ShapeText(std::size_t key, const ActionRows& rows) const;

  Pool& pool_;
  const bool synchronous_;
  const Columns& layout_;
  std::vector<Object> keys_;
  std::vector<int> ids_;
};

}  // namespace envpool::python
