// SPDX-License-Identifier: Apache-2.0
// Results: batches whose columns are NumPy arrays, and the shape in which Python wants to see them.
//
// A layout is given by Python once, and built anew from the arrays of each batch:
//   "obs"                the array of that name
//   "final obs"          its value at the end of an episode that ended in this row (same-step)
//   "*"                  an array of True, one per row
//   ("obs", "reward")    a tuple
//   {"id": "info:id"}    a new dict
//   [TimeStep, "obs"]    TimeStep(obs)
//   None                 None
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/engine/result_batches.h"
#include "envpool/spec.h"

namespace envpool::python {

namespace py = pybind11;
using NpyFlags = py::detail::npy_api;

inline py::dtype NumpyType(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return py::dtype::of<bool>();
    case DType::kInt8:
      return py::dtype::of<std::int8_t>();
    case DType::kUint8:
      return py::dtype::of<std::uint8_t>();
    case DType::kInt16:
      return py::dtype::of<std::int16_t>();
    case DType::kUint16:
      return py::dtype::of<std::uint16_t>();
    case DType::kInt32:
      return py::dtype::of<std::int32_t>();
    case DType::kUint32:
      return py::dtype::of<std::uint32_t>();
    case DType::kInt64:
      return py::dtype::of<std::int64_t>();
    case DType::kUint64:
      return py::dtype::of<std::uint64_t>();
    case DType::kFloat32:
      return py::dtype::of<float>();
    case DType::kFloat64:
      return py::dtype::of<double>();
  }
  throw std::logic_error("unknown dtype");
}

/// Arrays of one column of the state, with room for `rows` environments, made once. An array is
/// free again when the ring holds the only reference to it: views, memoryviews, torch tensors and
/// the like all keep a reference to the array that they look into. What Python keeps is never
/// written again. Free arrays that nobody has needed for a few calls are given back.
class ArrayRing {
 public:
  ArrayRing(const ArraySpec& spec, std::size_t row_size, int rows, int max_players)
      : dtype_(NumpyType(spec.dtype)), bytes_(row_size * static_cast<std::size_t>(rows)) {
    shape_.push_back(rows * (spec.per_player() ? max_players : 1));
    for (int dim : spec.item_shape()) shape_.push_back(dim);
  }

  /// An array that nobody else sees.
  py::array Take() {
    std::size_t free = 0, found = ring_.size();
    for (std::size_t i = 0; i < ring_.size(); ++i) {
      if (Py_REFCNT(ring_[i].ptr()) != 1) continue;
      ++free;
      // The one that was used last is still in the cache.
      if (found == ring_.size() || i == last_) found = i;
    }
    if (free == 0) return Add();
    if (!Unchanged(ring_[found])) ring_[found] = Make();
    last_ = found;
    py::array taken = ring_[found];
    // One more than is taken may be needed soon; the others were a burst's.
    calls_with_surplus_ = free > 2 ? calls_with_surplus_ + 1 : 0;
    if (calls_with_surplus_ > kPatience) GiveBack();
    return taken;
  }

  /// Gives back all that Python does not hold.
  void Clear() {
    ring_.clear();
    calls_with_surplus_ = 0;
  }

  /// The first `rows` rows of an array of this ring; the array itself when it has no more.
  static py::array Head(const py::array& array, py::ssize_t rows) {
    if (array.shape(0) == rows) return array;
    // Not through py::array, which asks for memory for the sizes.
    std::array<Py_intptr_t, kMostDimensions> shape;
    std::copy_n(array.shape(), array.ndim(), shape.begin());
    shape[0] = rows;
    const auto& numpy = py::detail::npy_api::get();
    PyObject* dtype = py::detail::array_proxy(array.ptr())->descr;
    Py_INCREF(dtype);  // taken by the call
    constexpr int kFlags = NpyFlags::NPY_ARRAY_C_CONTIGUOUS_ | NpyFlags::NPY_ARRAY_ALIGNED_ |
                           NpyFlags::NPY_ARRAY_WRITEABLE_;
    PyObject* head = numpy.PyArray_NewFromDescr_(
        numpy.PyArray_Type_, dtype, static_cast<int>(array.ndim()), shape.data(), nullptr,
        const_cast<void*>(array.data()), kFlags, nullptr);
    if (head == nullptr) throw py::error_already_set();
    numpy.PyArray_SetBaseObject_(head, array.inc_ref().ptr());
    return py::reinterpret_steal<py::array>(head);
  }

 private:
  // Of NumPy.
  static constexpr std::size_t kMostDimensions = 64;
  // Enough for the batches on the way and a caller that looks at the last few.
  static constexpr std::size_t kMost = 16;
  // Calls for which arrays that nobody needs are kept.
  static constexpr int kPatience = 2;

  py::array Add() {
    py::array fresh = Make();
    last_ = ring_.size() < kMost ? ring_.size() : (last_ + 1) % kMost;
    if (ring_.size() < kMost) {
      ring_.push_back(fresh);
    } else {
      ring_[last_] = fresh;  // Python collects results: what it keeps leaves the ring
    }
    return fresh;
  }

  void GiveBack() {
    bool spared = false;
    std::erase_if(ring_, [&](const py::array& array) {
      return Py_REFCNT(array.ptr()) == 1 && std::exchange(spared, true);
    });
    last_ = 0;
    calls_with_surplus_ = 0;
  }

  /// Python may give an array another shape or dtype in place, or forbid to write into it.
  bool Unchanged(const py::array& array) const {
    constexpr int kWanted = NpyFlags::NPY_ARRAY_C_CONTIGUOUS_ | NpyFlags::NPY_ARRAY_WRITEABLE_;
    return py::detail::array_proxy(array.ptr())->descr == dtype_.ptr() &&
           (array.flags() & kWanted) == kWanted &&
           std::equal(shape_.begin(), shape_.end(), array.shape(), array.shape() + array.ndim());
  }

  py::array Make() const {
    // Cache lines of two arrays, or of two threads' rows, do not mix.
    auto* memory = ::operator new(std::max<std::size_t>(bytes_, 1), std::align_val_t{64});
    py::capsule owner(memory, [](void* data) { ::operator delete(data, std::align_val_t{64}); });
    std::memset(memory, 0, bytes_);
    return py::array(dtype_, shape_, {}, memory, owner);
  }

  py::dtype dtype_;
  std::size_t bytes_;
  std::vector<py::ssize_t> shape_;
  std::vector<py::array> ring_;
  std::size_t last_ = 0;  // index of the array that was taken last
  int calls_with_surplus_ = 0;
};

/// A dynamic array of `rows` elements as a NumPy array of objects; elements that were not set are
/// None.
inline py::array TakeDynamic(const ArraySpec& spec, std::byte* slots, py::ssize_t rows) {
  std::vector<py::ssize_t> shape{rows};
  py::ssize_t count = rows;
  for (int dim : spec.item_shape()) {
    shape.push_back(dim);
    count *= dim;
  }
  py::array result(py::dtype("O"), shape);
  auto** items = static_cast<PyObject**>(result.mutable_data());
  for (py::ssize_t i = 0; i < count; ++i) {
    const DynamicArray taken = spec.take(slots + static_cast<std::size_t>(i) * spec.element_size);
    py::object item = py::none();
    if (taken.owner != nullptr) {
      // The capsule carries both: what to free, and how.
      auto* owned = new DynamicArray(taken);
      py::capsule owner(owned, [](void* data) {
        auto* array = static_cast<DynamicArray*>(data);
        array->free(array->owner);
        delete array;
      });
      item = py::array(NumpyType(spec.dtype),
                       std::vector<py::ssize_t>(taken.shape.begin(), taken.shape.end()), {},
                       taken.data, owner);
    }
    PyObject* old = items[i];
    items[i] = item.release().ptr();
    Py_XDECREF(old);
  }
  return result;
}

/// Memory of a pool's batches: NumPy arrays for the columns that a layout shows, plain memory for
/// the others.
class ResultMemory final : public BatchMemory {
 public:
  ResultMemory(const Columns& layout, int rows, bool same_step)
      : layout_(layout), rows_(rows), same_step_(same_step), shown_(layout.arrays.size()) {
    for (std::size_t i = 0; i < layout.arrays.size(); ++i) {
      rings_.emplace_back(layout.arrays[i], layout.row_sizes[i], rows, layout.max_players);
      final_rings_.emplace_back(layout.arrays[i], layout.row_sizes[i], rows, layout.max_players);
    }
  }

  void Show(std::size_t column) { shown_.at(column) = true; }
  /// Only observations, infos and the step counter have a final copy.
  bool has_final(std::size_t column) const {
    return same_step_ && (column >= kNumCommonColumns || column == kElapsedStepColumn);
  }
  std::size_t num_columns() const { return layout_.arrays.size(); }
  /// The column of this name, or num_columns().
  std::size_t Find(const std::string& name) const {
    const auto& arrays = layout_.arrays;
    const auto found = std::find_if(arrays.begin(), arrays.end(),
                                    [&](const ArraySpec& array) { return array.name == name; });
    return static_cast<std::size_t>(found - arrays.begin());
  }
  const Columns& layout() const { return layout_; }

  /// While it lives, batches get plain memory, for which nobody needs the GIL.
  class WithoutGil {
   public:
    explicit WithoutGil(ResultMemory& memory) : memory_(memory) { memory_.without_gil_ = true; }
    ~WithoutGil() { memory_.without_gil_ = false; }
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;

   private:
    ResultMemory& memory_;
  };

  void Attach(Batch& batch) override {
    if (without_gil_) return AttachPlain(batch);
    if (batch.id < plain_slots_.size()) plain_slots_[batch.id].used = false;
    if (slots_.size() <= batch.id) slots_.resize(batch.id + 1);
    Slot& slot = slots_[batch.id];
    if (slot.arrays.empty()) MakeSlot(slot);
    if (same_step_) batch.final_columns.resize(num_columns());
    batch.flags_only = !shown_[kDoneColumn] && !shown_[kDiscountColumn] && !shown_[kStepTypeColumn];
    for (std::size_t i = 0; i < num_columns(); ++i) {
      if (UsesArray(i)) {
        slot.arrays[i] = rings_[i].Take();
        batch.columns[i] = static_cast<std::byte*>(slot.arrays[i].mutable_data());
        if (has_final(i)) {
          slot.final_arrays[i] = final_rings_[i].Take();
          batch.final_columns[i] = static_cast<std::byte*>(slot.final_arrays[i].mutable_data());
        }
      } else {
        batch.columns[i] = slot.plain[i].get();
        if (has_final(i)) batch.final_columns[i] = slot.final_plain[i].get();
      }
    }
  }

  /// The array of a column of a received batch.
  py::object Array(const Received& received, std::size_t column, bool final) {
    const ArraySpec& spec = layout_.arrays[column];
    const py::ssize_t rows = spec.per_player() ? received.players : received.rows;
    if (IsPlain(*received.batch)) return CopyOfPlain(*received.batch, column, final, rows);
    Slot& slot = slots_[received.batch->id];
    if (spec.dynamic()) {
      return TakeDynamic(
          spec, (final ? received.batch->final_columns : received.batch->columns)[column], rows);
    }
    return ArrayRing::Head(final ? slot.final_arrays[column] : slot.arrays[column], rows);
  }
  /// Gives back all memory that Python does not hold. No batch may be in use.
  void Clear() {
    for (auto* rings : {&rings_, &final_rings_}) {
      for (ArrayRing& ring : *rings) ring.Clear();
    }
    slots_.clear();
    plain_slots_.clear();
  }
  /// Python has what it wants of the batch; arrays that it did not take are free again.
  void Detach(const Batch& batch) {
    if (IsPlain(batch)) return;
    Slot& slot = slots_[batch.id];
    for (py::array& array : slot.arrays) array = none_;
    for (py::array& array : slot.final_arrays) array = none_;
  }

 private:
  struct AlignedFree {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t{64}); }
  };
  struct Slot {
    std::vector<py::array> arrays, final_arrays;
    std::vector<std::unique_ptr<std::byte[]>> plain, final_plain;
  };

  // Of a batch that was opened without the GIL.
  struct PlainSlot {
    bool used = false;
    std::vector<std::unique_ptr<std::byte, AlignedFree>> columns, final_columns;
  };

  bool IsPlain(const Batch& batch) const {
    return batch.id < plain_slots_.size() && plain_slots_[batch.id].used;
  }
  // Arrays that the batch had before stay in its slot: to let go of them needs the GIL.
  void AttachPlain(Batch& batch) {
    if (plain_slots_.size() <= batch.id) plain_slots_.resize(batch.id + 1);
    PlainSlot& slot = plain_slots_[batch.id];
    slot.used = true;
    slot.columns.resize(num_columns());
    slot.final_columns.resize(num_columns());
    if (same_step_) batch.final_columns.resize(num_columns());
    batch.flags_only = false;
    const auto plain = [&](std::unique_ptr<std::byte, AlignedFree>& memory, std::size_t column) {
      if (memory == nullptr) {
        const std::size_t bytes = layout_.row_sizes[column] * static_cast<std::size_t>(rows_) + 1;
        memory.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64})));
        std::memset(memory.get(), 0, bytes);
      }
      return memory.get();
    };
    for (std::size_t i = 0; i < num_columns(); ++i) {
      batch.columns[i] = plain(slot.columns[i], i);
      if (has_final(i)) batch.final_columns[i] = plain(slot.final_columns[i], i);
    }
  }
  py::array CopyOfPlain(const Batch& batch, std::size_t column, bool final, py::ssize_t rows) {
    py::array copy = (final ? final_rings_ : rings_)[column].Take();
    const std::byte* data = (final ? batch.final_columns : batch.columns)[column];
    std::memcpy(copy.mutable_data(), data,
                layout_.row_sizes[column] * static_cast<std::size_t>(batch.rows));
    return ArrayRing::Head(copy, rows);
  }
  bool UsesArray(std::size_t column) const {
    return shown_[column] && !layout_.arrays[column].dynamic();
  }
  void MakeSlot(Slot& slot) const {
    slot.arrays.assign(num_columns(), none_);
    slot.final_arrays.assign(num_columns(), none_);
    slot.plain.resize(num_columns());
    slot.final_plain.resize(num_columns());
    for (std::size_t i = 0; i < num_columns(); ++i) {
      if (UsesArray(i)) continue;
      const std::size_t bytes = layout_.row_sizes[i] * static_cast<std::size_t>(rows_) + 1;
      slot.plain[i] = std::make_unique<std::byte[]>(bytes);
      if (has_final(i)) slot.final_plain[i] = std::make_unique<std::byte[]>(bytes);
    }
  }

  const Columns& layout_;
  int rows_;
  bool same_step_;
  std::vector<bool> shown_;
  std::vector<ArrayRing> rings_, final_rings_;
  std::vector<Slot> slots_;
  std::vector<PlainSlot> plain_slots_;
  bool without_gil_ = false;
  py::array none_{py::dtype::of<bool>(), std::vector<py::ssize_t>{0}};
};

/// A layout, checked and ready to be built.
class ResultLayout {
 public:
  /// Throws py::value_error when `tree` is none of the forms above.
  ResultLayout(const py::handle& tree, ResultMemory& memory) : root_(Parse(tree, memory)) {}

  py::object Build(const Received& received, ResultMemory& memory) const {
    return Build(root_, received, memory);
  }

 private:
  enum class Kind { kNone, kColumn, kFinalColumn, kMask, kTuple, kDict, kCall };
  struct Node {
    Kind kind = Kind::kNone;
    std::size_t column = 0;
    py::object callable;
    std::vector<py::object> keys;
    std::vector<Node> children;
  };

  static Node Parse(const py::handle& tree, ResultMemory& memory) {
    Node node;
    if (tree.is_none()) return node;
    if (py::isinstance<py::str>(tree)) {
      const auto text = tree.cast<std::string>();
      if (text == "*") {
        node.kind = Kind::kMask;
        return node;
      }
      const bool is_final = text.starts_with("final ");
      node.kind = is_final ? Kind::kFinalColumn : Kind::kColumn;
      node.column = memory.Find(is_final ? text.substr(6) : text);
      if (node.column == memory.num_columns() || (is_final && !memory.has_final(node.column))) {
        throw py::value_error("layout: there is no array '" + text + "'");
      }
      memory.Show(node.column);
    } else if (py::isinstance<py::dict>(tree)) {
      node.kind = Kind::kDict;
      for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(tree)) {
        node.keys.push_back(py::reinterpret_borrow<py::object>(key));
        node.children.push_back(Parse(value, memory));
      }
    } else if (py::isinstance<py::tuple>(tree)) {
      node.kind = Kind::kTuple;
      for (const py::handle child : tree) node.children.push_back(Parse(child, memory));
    } else if (py::isinstance<py::list>(tree) && py::len(tree) > 0) {
      node.kind = Kind::kCall;
      const auto list = py::reinterpret_borrow<py::list>(tree);
      node.callable = list[0];
      for (std::size_t i = 1; i < list.size(); ++i) node.children.push_back(Parse(list[i], memory));
    } else {
      throw py::value_error("layout: got " + py::repr(tree).cast<std::string>());
    }
    return node;
  }

  static py::object Build(const Node& node, const Received& received, ResultMemory& memory) {
    switch (node.kind) {
      case Kind::kNone:
        return py::none();
      case Kind::kColumn:
        return memory.Array(received, node.column, false);
      case Kind::kFinalColumn:
        return memory.Array(received, node.column, true);
      case Kind::kMask: {
        py::array_t<bool> mask(received.rows);
        std::memset(mask.mutable_data(), 1, static_cast<std::size_t>(received.rows));
        return mask;
      }
      case Kind::kDict: {
        py::dict dict;
        for (std::size_t i = 0; i < node.keys.size(); ++i) {
          const py::object value = Build(node.children[i], received, memory);
          if (PyDict_SetItem(dict.ptr(), node.keys[i].ptr(), value.ptr()) != 0) {
            throw py::error_already_set();
          }
        }
        return dict;
      }
      case Kind::kTuple:
      case Kind::kCall: {
        py::tuple tuple(node.children.size());
        for (std::size_t i = 0; i < node.children.size(); ++i) {
          PyTuple_SET_ITEM(tuple.ptr(), static_cast<py::ssize_t>(i),
                           Build(node.children[i], received, memory).release().ptr());
        }
        if (node.kind == Kind::kTuple) return tuple;
        return py::reinterpret_steal<py::object>(
            Checked(PyObject_Call(node.callable.ptr(), tuple.ptr(), nullptr)));
      }
    }
    return py::none();
  }
  static PyObject* Checked(PyObject* object) {
    if (object == nullptr) throw py::error_already_set();
    return object;
  }

  Node root_;
};

}  // namespace envpool::python
