// SPDX-License-Identifier: Apache-2.0
#include "result_layout.h"

#include <cstring>
#include <stdexcept>
#include <string>

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
    : tree_(tree, [&memory](PyObject* name) -> Leaf {
        if (PyUnicode_Check(name) == 0) throw std::invalid_argument("layout: got " + Repr(name));
        const std::string text = TextOf(name);
        if (text == "*") return {Leaf::Kind::kMask, 0};
        const bool is_final = text.starts_with("final ");
        const std::size_t column = memory.Find(is_final ? text.substr(6) : text);
        if (column == memory.num_columns() || (is_final && !memory.has_final(column))) {
          throw std::invalid_argument("layout: there is no array '" + text + "'");
        }
        memory.Show(column);
        return {is_final ? Leaf::Kind::kFinalColumn : Leaf::Kind::kColumn, column};
      }) {}

Object ResultLayout::Build(const Received& received, ResultMemory& memory) const {
  return tree_.Build([&](const Leaf& leaf) {
    if (leaf.kind == Leaf::Kind::kMask) return Mask(received.rows);
    return memory.Array(received, leaf.column, leaf.kind == Leaf::Kind::kFinalColumn);
  });
}

}  // namespace envpool::python
