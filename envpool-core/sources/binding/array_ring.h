// SPDX-License-Identifier: Apache-2.0
// ArrayRing: NumPy arrays of one column of the state, made once and used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "envpool/spec.h"
#include "numpy.h"
#include "python.h"

namespace envpool::python {

/// Arrays with room for `rows` environments. An array is free again when the ring holds the only
/// reference to it: views, memoryviews, torch tensors and the like all keep a reference to the
/// array that they look into. An array that Python keeps is never written again. Arrays that were
/// not used for a few calls are freed. Counting references needs the GIL.
class ArrayRing {
 public:
  ArrayRing(const ArraySpec& spec, std::size_t row_size, int rows, int max_players);

  /// Returns an array that nothing else refers to; if the program has given an array since the last
  /// call, this array.
  NumpyArray Take();
  /// A copy of so many rows, which is not the ring's.
  NumpyArray Copy(const std::byte* from, std::intptr_t rows) const;
  /// Whether an array will do in place of one of the ring.
  bool IsLike(const NumpyArray& array) const;
  /// The next that is taken is this one, which `IsLike`. It does not become part of the ring.
  void Give(NumpyArray array) { given_ = std::move(array); }
  /// The arrays that `Give` takes, for messages.
  std::string Wanted() const;
  /// Gives back all that Python does not hold.
  void Clear();

 private:
  NumpyArray Add();
  void GiveBack();
  /// Python may give an array another shape or dtype in place, or forbid to write into it.
  bool Unchanged(const NumpyArray& array) const {
    return array.is_of(dtype_) && HasShapeAndFlags(array);
  }
  bool HasShapeAndFlags(const NumpyArray& array) const {
    const std::size_t rank = shape_.size();
    if (!array.is_writable() || static_cast<std::size_t>(array.rank()) != rank) return false;
    const std::intptr_t* shape = array.shape();
    for (std::size_t i = 0; i < rank; ++i) {  // std::equal of two numbers calls memcmp
      if (shape[i] != shape_[i]) return false;
    }
    return true;
  }
  NumpyArray Make() const;

  NumpyType dtype_;
  std::size_t bytes_;
  std::vector<std::intptr_t> shape_;
  std::vector<NumpyArray> ring_;
  NumpyArray given_;      // null, or the program's
  std::size_t last_ = 0;  // index of the array that was taken last
  int calls_with_surplus_ = 0;
};

}  // namespace envpool::python
