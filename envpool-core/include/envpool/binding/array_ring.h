// SPDX-License-Identifier: Apache-2.0
// NumPy arrays for results: made once, used again as soon as Python has let go of them.
//
//   ArrayRing ring(spec, row_size, 64, max_players);
//   py::array obs = ring.Take();      // memory that nobody else sees
//
// An array is free again when the ring holds the only reference to it: views, memoryviews, torch
// tensors and the like all keep a reference to the array that they look into. What Python keeps is
// never written again. Free arrays that nobody has needed for a few calls are given back.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

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

/// Arrays of one column of the state, with room for `rows` environments.
class ArrayRing {
 public:
  ArrayRing(const ArraySpec& spec, std::size_t row_size, int rows, int max_players)
      : dtype_(NumpyType(spec.dtype)), bytes_(row_size * static_cast<std::size_t>(rows)) {
    shape_.push_back(rows * (spec.per_player() ? max_players : 1));
    for (int dim : spec.item_shape()) shape_.push_back(dim);
  }

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

}  // namespace envpool::python
