// SPDX-License-Identifier: Apache-2.0
#include "result_layout.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "numpy.h"

namespace envpool::python {

ResultLayout::ResultLayout(PyObject* tree, ResultMemory& memory)
    : tree_(tree, [this, &memory](PyObject* name) -> Leaf {
        if (PyUnicode_Check(name) == 0) throw std::invalid_argument("layout: got " + Repr(name));
        const std::string text = TextOf(name);
        if (text == "*") return {Leaf::Kind::kMask, num_masks_++};
        const bool is_final = text.starts_with("final ");
        const std::size_t column = memory.Find(is_final ? text.substr(6) : text);
        if (column == memory.num_columns() || (is_final && !memory.has_final(column))) {
          throw std::invalid_argument("layout: there is no array '" + text + "'");
        }
        memory.Show(column);
        if (is_final) return {Leaf::Kind::kFinalColumn, column};
        const bool is_observation = text == "obs" || text.starts_with("obs:");
        return {is_observation ? Leaf::Kind::kObservation : Leaf::Kind::kColumn, column,
                memory.is_per_player(column)};
      }) {}

Object ResultLayout::Build(const Received& received, ResultMemory& memory,
                           LastObservation& last) const {
  const bool keeps = last.Begin(received);
  const NumpyArray* const arrays = memory.arrays(*received.batch);
  Object result = tree_.Build([&](const Leaf& leaf) -> Object {
    if (leaf.kind == Leaf::Kind::kMask) return memory.Mask(leaf.index, received.rows);
    const bool is_final = leaf.kind == Leaf::Kind::kFinalColumn;
    Object array = arrays != nullptr && !is_final && arrays[leaf.index]
                       ? arrays[leaf.index].Head(leaf.per_player ? received.players : received.rows)
                       : memory.Array(received, leaf.index, is_final);
    if (keeps && leaf.kind == Leaf::Kind::kObservation) last.Set(leaf.index, array);
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
    const NumpyArray rows(memory.Array(received, leaf.index, false));
    if (leaf.kind == Leaf::Kind::kObservation) return last.WithRows(leaf.index, rows, env_ids);
    return last.Spread(rows, env_ids);
  });
  last.End();
  return result;
}

}  // namespace envpool::python
