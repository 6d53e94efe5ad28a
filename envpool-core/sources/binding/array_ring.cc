// SPDX-License-Identifier: Apache-2.0
#include "array_ring.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace envpool::python {
namespace {

// Enough for the batches in flight and a caller that looks at the last few.
constexpr std::size_t kMost = 16;
// One array beside the one that is taken may be needed soon; others were needed by a burst only.
constexpr std::size_t kMostFree = 2;
// The number of calls for which unused arrays are kept.
constexpr int kMostCallsWithSurplus = 2;

}  // namespace

ArrayRing::ArrayRing(const ArraySpec& spec, std::size_t row_size, int rows, int max_players)
    : dtype_(spec.dtype), bytes_(row_size * static_cast<std::size_t>(rows)) {
  shape_.push_back(std::intptr_t{rows} * (spec.per_player() ? max_players : 1));
  for (int dim : spec.item_shape()) shape_.push_back(dim);
}

NumpyArray ArrayRing::Take() {
  if (given_) return std::exchange(given_, {});
  const std::size_t size = ring_.size();
  std::size_t free = 0, found = size;
  // The array that was used last is still in the cache. With kMostFree arrays or fewer, free arrays
  // need not be counted.
  if (size <= kMostFree && last_ < size && Py_REFCNT(ring_[last_].get()) == 1) {
    found = last_;
  } else {
    for (std::size_t i = 0; i < size; ++i) {
      if (Py_REFCNT(ring_[i].get()) != 1) continue;
      ++free;
      if (found == size || i == last_) found = i;
    }
    if (free == 0) return Add();
  }
  if (!Unchanged(ring_[found])) ring_[found] = Make();
  last_ = found;
  NumpyArray taken = ring_[found];
  calls_with_surplus_ = free > kMostFree ? calls_with_surplus_ + 1 : 0;
  if (calls_with_surplus_ > kMostCallsWithSurplus) GiveBack();
  return taken;
}

bool ArrayRing::IsLike(const NumpyArray& array) const {
  return array.is_like(dtype_) && HasShapeAndFlags(array) &&
         reinterpret_cast<std::uintptr_t>(array.data()) % dtype_.alignment() == 0;
}

std::string ArrayRing::Wanted() const {
  std::string shape;
  for (const std::intptr_t size : shape_) {
    shape += (shape.empty() ? "(" : ", ") + std::to_string(size);
  }
  return "a contiguous, writable " + Repr(dtype_.get()) + " array of shape " + shape +
         (shape_.size() == 1 ? ",)" : ")");
}

void ArrayRing::Clear() {
  ring_.clear();
  given_ = {};
  calls_with_surplus_ = 0;
}

NumpyArray ArrayRing::Copy(const std::byte* from, std::intptr_t rows) const {
  std::vector<std::intptr_t> shape = shape_;
  std::size_t bytes = bytes_ / static_cast<std::size_t>(shape[0]);
  shape[0] = rows;
  bytes *= static_cast<std::size_t>(rows);
  const NumpyArray copy = NumpyArray::Make(dtype_, static_cast<int>(shape.size()), shape.data());
  std::memcpy(copy.data(), from, bytes);
  return copy;
}

NumpyArray ArrayRing::Add() {
  NumpyArray fresh = Make();
  last_ = ring_.size() < kMost ? ring_.size() : (last_ + 1) % kMost;
  if (ring_.size() < kMost) {
    ring_.push_back(fresh);
  } else {
    ring_[last_] = fresh;  // Python collects results: what it keeps leaves the ring
  }
  return fresh;
}

void ArrayRing::GiveBack() {
  bool spared = false;
  std::erase_if(ring_, [&](const NumpyArray& array) {
    return Py_REFCNT(array.get()) == 1 && std::exchange(spared, true);
  });
  last_ = 0;
  calls_with_surplus_ = 0;
}

NumpyArray ArrayRing::Make() const {
  // Cache lines of two arrays, or of two threads' rows, do not mix.
  constexpr std::align_val_t kLine{64};
  auto* memory = ::operator new(std::max<std::size_t>(bytes_, 1), kLine);
  PyObject* capsule = PyCapsule_New(memory, nullptr, [](PyObject* owner) {
    ::operator delete(PyCapsule_GetPointer(owner, nullptr), kLine);
  });
  if (capsule == nullptr) {
    ::operator delete(memory, kLine);
    throw Raised();
  }
  const Object owner = Object::Steal(capsule);
  std::memset(memory, 0, bytes_);
  return NumpyArray::Make(dtype_, static_cast<int>(shape_.size()), shape_.data(), memory, owner);
}

}  // namespace envpool::python
