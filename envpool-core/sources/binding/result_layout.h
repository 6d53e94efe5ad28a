// SPDX-License-Identifier: Apache-2.0
// ResultLayout: the form of a result in Python, as a ResultTree. Its leaves are
//   "obs"          the array of that name
//   "final obs"    its value at the end of an episode that ended in this row (same-step)
//   "*"            an array of True, one per row
#pragma once

#include <cstddef>

#include "envpool/binding/result_tree.h"
#include "envpool/engine/batch.h"
#include "last_observation.h"
#include "python.h"
#include "result_memory.h"

namespace envpool::python {

class ResultLayout {
 public:
  /// Raises ValueError if `tree` has none of a ResultTree's forms, or a leaf is none of those
  /// above.
  ResultLayout(PyObject* tree, ResultMemory& memory);

  Object Build(const Received& received, ResultMemory& memory, LastObservation& last) const;
  /// The result of a reset of some environments with a row for each: the others' rows are their
  /// last observation, and zeros or None elsewhere; they are False in masks.
  Object BuildAll(const Received& received, ResultMemory& memory, LastObservation& last) const;
  /// Whether some leaf is a mask, as in every layout of gymnasium.vector.
  bool has_mask() const { return num_masks_ > 0; }

 private:
  struct Leaf {
    enum class Kind { kColumn, kObservation, kFinalColumn, kMask } kind;
    std::size_t index;        // of the column, or which mask of the layout it is
    bool per_player = false;  // whether the column has a row for each player
  };

  std::size_t num_masks_ = 0;
  ResultTree<Leaf> tree_;
};

}  // namespace envpool::python
