// SPDX-License-Identifier: Apache-2.0
#include "result_layout.h"

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "numpy.h"

namespace envpool::python {
namespace {

Object Mask(std::intptr_t rows) {
  NumpyArray mask = NumpyArray::Make(NumpyType(DType::kBool), 1, &rows);
  std::memset(mask.data(), 1, static_cast<std::size_t>(rows));
  return mask;
}

}  // namespace

ResultLayout::ResultLayout(PyObject* tree, ResultMemory& memory)
    : tree_(tree, [this, &memory](PyObject* name) -> Leaf {
        if (PyUnicode_Check(name) == 0) throw std::invalid_argument("layout: got " + Repr(name));
        const std::string text = TextOf(name);
        if (text == "*") {
          has_mask_ = true;
          return {Leaf::Kind::kMask, 0};
        }
        const bool is_final = text.starts_with("final ");
        const std::size_t column = memory.Find(is_final ? text.substr(6) : text);
        if (column == memory.num_columns() || (is_final && !memory.has_final(column))) {
          throw std::invalid_argument("layout: there is no array '" + text + "'");
        }
        memory.Show(column);
        if (is_final) return {Leaf::Kind::kFinalColumn, column};
        const bool is_observation = text == "obs" || text.starts_with("obs:");
        return {is_observation ? Leaf::Kind::kObservation : Leaf::Kind::kColumn, column};
      }) {}

Object ResultLayout::Build(const Received& received, ResultMemory& memory,
                           LastObservation& last) const {
  const bool keeps = last.Begin(received);
  Object result = tree_.Build([&](const Leaf& leaf) {
    if (leaf.kind == Leaf::Kind::kMask) return Mask(received.rows);
    Object array = memory.Array(received, leaf.column, leaf.kind == Leaf::Kind::kFinalColumn);
    if (keeps && leaf.kind == Leaf::Kind::kObservation) last.Set(leaf.column, array);
    return array;
  });
  if (keeps) last.End();
  return result;
}

Object ResultLayout::BuildAll(const Received& received, ResultMemory& memory,
                              LastObservation& last) const {
  const int* ids = received.batch->column<int>(kEnvIdColumn);
  const std::vector<int> env_ids(ids, ids + received.rows);
  Object result = tree_.Build([&](const Leaf& leaf) -> Object {
    if (leaf.kind == Leaf::Kind::kMask) return last.Mask(env_ids);
    const NumpyArray rows(memory.Array(received, leaf.column, false));
    if (leaf.kind == Leaf::Kind::kObservation) return last.WithRows(leaf.column, rows, env_ids);
    return last.Spread(rows, env_ids);
  });
  last.End();
  return result;
}

}  // namespace envpool::python
