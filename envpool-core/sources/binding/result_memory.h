// SPDX-License-Identifier: Apache-2.0
// ResultMemory: the memory of the columns of a pool's batches.
//
// Columns that a layout shows lie in NumPy arrays if the batch is opened for Python, so that
// nothing is copied. Batches that are opened for a program without Python lie in PlainMemory, which
// needs no GIL.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "array_ring.h"
#include "envpool/engine/batch.h"
#include "envpool/engine/columns.h"
#include "numpy.h"
#include "python.h"

namespace envpool::python {

/// Memory of its own for each batch, aligned to cache lines.
class PlainMemory final : public BatchMemory {
 public:
  /// `has_final` says which columns have a final copy; empty for none.
  PlainMemory(const Columns& layout, int rows, std::vector<bool> has_final)
      : layout_(layout), rows_(rows), has_final_(std::move(has_final)) {}

  void Attach(Batch& batch) override;
  void Clear() { slots_.clear(); }

 private:
  struct AlignedFree {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t{64}); }
  };
  using Memory = std::unique_ptr<std::byte, AlignedFree>;
  struct Slot {
    std::vector<Memory> columns, final_columns;
  };

  const Columns& layout_;
  int rows_;
  std::vector<bool> has_final_;
  std::vector<Slot> slots_;  // by the id of the batch
};

class ResultMemory final : public BatchMemory {
 public:
  /// `rows` in a batch, of `num_envs` in the pool.
  ResultMemory(const Columns& layout, int rows, int num_envs, bool same_step);
  ResultMemory(const ResultMemory&) = delete;
  ResultMemory& operator=(const ResultMemory&) = delete;

  void Show(std::size_t column);
  /// Only observations, infos and the step counter have a final copy.
  bool has_final(std::size_t column) const {
    return same_step_ && (column >= kNumCommonColumns || column == kElapsedStepColumn);
  }
  std::size_t num_columns() const { return layout_.arrays.size(); }
  bool is_per_player(std::size_t column) const { return layout_.arrays[column].per_player(); }
  /// The column of this name, or num_columns().
  std::size_t Find(const std::string& name) const;

  /// While it lives, batches get plain memory, which needs no GIL.
  class WithoutGil {
   public:
    explicit WithoutGil(ResultMemory& memory) : memory_(memory) { memory_.without_gil_ = true; }
    ~WithoutGil() { memory_.without_gil_ = false; }
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;

   private:
    ResultMemory& memory_;
  };

  void Attach(Batch& batch) override;
  /// The arrays of the columns of a batch; null where it does not lie in arrays. That of a dynamic
  /// column is null.
  const NumpyArray* arrays(const Batch& batch) const {
    const Slot& slot = slots_[batch.id];
    return slot.place == Place::kArrays ? slot.arrays.data() : nullptr;
  }
  /// The array of a column of a received batch.
  Object Array(const Received& received, std::size_t column, bool final);
  /// An array of True with so many rows. `index` counts the masks of a layout.
  NumpyArray Mask(std::size_t index, std::intptr_t rows);
  /// The next batch has these arrays, by their names in layouts, in place of the pool's own.
  void Give(PyObject* arrays);
  /// Gives back all memory that Python does not hold. No batch may be in use.
  void Clear();
  /// Python has built its result of the batch; arrays that the result does not have are free again.
  void Detach(const Batch& batch);

 private:
  enum class Place { kArrays, kPlain, kAllEnvs };
  // The memory of a batch in arrays; plain memory has the columns that no layout shows.
  struct Slot {
    Place place = Place::kArrays;  // where the batch lies now
    bool made = false;
    std::vector<NumpyArray> arrays, final_arrays;
    std::vector<std::unique_ptr<std::byte[]>> plain, final_plain;
  };

  /// The ring that has arrays of this name; null if no layout shows one.
  ArrayRing* RingOf(const std::string& name);
  bool UsesArray(std::size_t column) const {
    return shown_[column] && !layout_.arrays[column].dynamic();
  }
  Slot& SlotOf(const Batch& batch, Place place);
  NumpyArray CopyOf(const Batch& batch, std::size_t column, bool final, std::intptr_t rows);
  void MakeSlot(Slot& slot) const;
  /// A flag for each column that has a final copy; empty for none.
  std::vector<bool> FinalColumns() const;

  const Columns& layout_;
  int rows_, num_envs_;
  bool same_step_;
  std::vector<bool> shown_;
  std::vector<std::size_t> array_columns_, plain_columns_;  // those that use an array, the others
  std::vector<ArrayRing> rings_, final_rings_, mask_rings_;
  std::vector<Slot> slots_;  // by the id of the batch
  PlainMemory plain_;
  PlainMemory
      all_envs_;  // of batches with room for all environments, which are rare: Python has copies
  bool without_gil_ = false;
};

}  // namespace envpool::python
