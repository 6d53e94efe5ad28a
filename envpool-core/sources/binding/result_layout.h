// SPDX-License-Identifier: Apache-2.0
// ResultLayout: what Python wants a result to be. It is given once, and built anew from the arrays
// of each batch:
//   "obs"                the array of that name
//   "final obs"          its value at the end of an episode that ended in this row (same-step)
//   "*"                  an array of True, one per row
//   ("obs", "reward")    a tuple
//   {"id": "info:id"}    a new dict
//   [TimeStep, "obs"]    TimeStep(obs)
//   None                 None
#pragma once

#include <cstddef>
#include <vector>

#include "envpool/engine/batch.h"
#include "python.h"
#include "result_memory.h"

namespace envpool::python {

class ResultLayout {
 public:
  /// Raises ValueError when `tree` is none of the forms above.
  ResultLayout(PyObject* tree, ResultMemory& memory) : root_(Parse(tree, memory)) {}

  Object Build(const Received& received, ResultMemory& memory) const {
    return Build(root_, received, memory);
  }

 private:
  enum class Kind { kNone, kColumn, kFinalColumn, kMask, kTuple, kDict, kCall };
  struct Node {
    Kind kind = Kind::kNone;
    std::size_t column = 0;
    Object callable;
    std::vector<Object> keys;
    std::vector<Node> children;
  };

  static Node Parse(PyObject* tree, ResultMemory& memory);
  static Node ParseName(PyObject* name, ResultMemory& memory);
  static Object Build(const Node& node, const Received& received, ResultMemory& memory);

  Node root_;
};

}  // namespace envpool::python
