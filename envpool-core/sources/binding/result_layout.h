// SPDX-License-Identifier: Apache-2.0
// ResultLayout: what Python wants a result to be, as a ResultTree. Its leaves are
//   "obs"          the array of that name
//   "final obs"    its value at the end of an episode that ended in this row (same-step)
//   "*"            an array of True, one per row
#pragma once

#include <cstddef>

#include "envpool/binding/result_tree.h"
#include "envpool/engine/batch.h"
#include "python.h"
#include "result_memory.h"

namespace envpool::python {

class ResultLayout {
 public:
  /// Raises ValueError when `tree` is none of a ResultTree's forms, or a leaf none of the above.
  ResultLayout(PyObject* tree, ResultMemory& memory);

  Object Build(const Received& received, ResultMemory& memory) const;

 private:
  struct Leaf {
    enum class Kind { kColumn, kFinalColumn, kMask } kind;
    std::size_t column;
  };

  ResultTree<Leaf> tree_;
};

}  // namespace envpool::python
