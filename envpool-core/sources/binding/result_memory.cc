// SPDX-License-Identifier: Apache-2.0
#include "result_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace envpool::python {
namespace {

/// A dynamic array of `rows` elements as a NumPy array of objects; elements that were not set are
/// None.
NumpyArray TakeDynamic(const ArraySpec& spec, std::byte* slots, std::intptr_t rows) {
  std::vector<std::intptr_t> shape{rows};
  std::intptr_t count = rows;
  for (int dim : spec.item_shape()) {
    shape.push_back(dim);
    count *= dim;
  }
  NumpyArray result =
      NumpyArray::Make(NumpyType::OfObjects(), static_cast<int>(shape.size()), shape.data());
  auto** items = static_cast<PyObject**>(result.data());
  for (std::intptr_t i = 0; i < count; ++i) {
    const DynamicArray taken = spec.take(slots + static_cast<std::size_t>(i) * spec.element_size);
    Object item = None();
    if (taken.owner != nullptr) {
      // The capsule has the memory and the function that frees it.
      const Object owner =
          Checked(PyCapsule_New(new DynamicArray(taken), nullptr, [](PyObject* capsule) {
            auto* array = static_cast<DynamicArray*>(PyCapsule_GetPointer(capsule, nullptr));
            array->free(array->owner);
            delete array;
          }));
      const std::vector<std::intptr_t> sizes(taken.shape.begin(), taken.shape.end());
      item = NumpyArray::Make(NumpyType(spec.dtype), static_cast<int>(sizes.size()), sizes.data(),
                              taken.data, owner);
    }
    PyObject* old = items[i];
    items[i] = item.release();
    Py_XDECREF(old);
  }
  return result;
}

}  // namespace

void PlainMemory::Attach(Batch& batch) {
  if (slots_.size() <= batch.id) slots_.resize(batch.id + 1);
  Slot& slot = slots_[batch.id];
  slot.columns.resize(batch.columns.size());
  slot.final_columns.resize(batch.columns.size());
  if (!has_final_.empty()) batch.final_columns.resize(batch.columns.size());
  batch.writes_dm_columns = true;
  const auto made = [&](Memory& memory, std::size_t column) {
    if (memory == nullptr) {
      const std::size_t bytes = layout_.row_sizes[column] * static_cast<std::size_t>(rows_) + 1;
      memory.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64})));
      std::memset(memory.get(), 0, bytes);
    }
    return memory.get();
  };
  for (std::size_t i = 0; i < batch.columns.size(); ++i) {
    batch.columns[i] = made(slot.columns[i], i);
    if (!has_final_.empty() && has_final_[i]) {
      batch.final_columns[i] = made(slot.final_columns[i], i);
    }
  }
}

ResultMemory::ResultMemory(const Columns& layout, int rows, int num_envs, bool same_step)
    : layout_(layout),
      rows_(rows),
      num_envs_(num_envs),
      same_step_(same_step),
      shown_(layout.arrays.size()),
      plain_(layout, rows, FinalColumns()),
      all_envs_(layout, num_envs, FinalColumns()) {
  for (std::size_t i = 0; i < layout.arrays.size(); ++i) {
    for (auto* rings : {&rings_, &final_rings_}) {
      rings->emplace_back(layout.arrays[i], layout.row_sizes[i], rows, layout.max_players);
    }
    plain_columns_.push_back(i);
  }
}

void ResultMemory::Show(std::size_t column) {
  shown_.at(column) = true;
  array_columns_.clear();
  plain_columns_.clear();
  for (std::size_t i = 0; i < num_columns(); ++i) {
    (UsesArray(i) ? array_columns_ : plain_columns_).push_back(i);
  }
}

ResultMemory::Slot& ResultMemory::SlotOf(const Batch& batch, Place place) {
  if (slots_.size() <= batch.id) slots_.resize(batch.id + 1);
  slots_[batch.id].place = place;
  return slots_[batch.id];
}

std::vector<bool> ResultMemory::FinalColumns() const {
  std::vector<bool> final;
  for (std::size_t i = 0; same_step_ && i < num_columns(); ++i) final.push_back(has_final(i));
  return final;
}

std::size_t ResultMemory::Find(const std::string& name) const {
  const auto& arrays = layout_.arrays;
  const auto found = std::find_if(arrays.begin(), arrays.end(),
                                  [&](const ArraySpec& array) { return array.name == name; });
  return static_cast<std::size_t>(found - arrays.begin());
}

void ResultMemory::Attach(Batch& batch) {
  const bool has_all_envs = batch.capacity != rows_;
  Slot& slot = SlotOf(batch, has_all_envs   ? Place::kAllEnvs
                             : without_gil_ ? Place::kPlain
                                            : Place::kArrays);
  if (has_all_envs) return all_envs_.Attach(batch);
  // Arrays that the batch had before stay in its slot: to let go of them needs the GIL.
  if (without_gil_) return plain_.Attach(batch);
  if (!slot.made) MakeSlot(slot);
  if (same_step_) batch.final_columns.resize(num_columns());
  batch.writes_dm_columns =
      shown_[kDoneColumn] || shown_[kDiscountColumn] || shown_[kStepTypeColumn];
  for (const std::size_t i : array_columns_) {
    slot.arrays[i] = rings_[i].Take();
    batch.columns[i] = static_cast<std::byte*>(slot.arrays[i].data());
    if (!has_final(i)) continue;
    slot.final_arrays[i] = final_rings_[i].Take();
    batch.final_columns[i] = static_cast<std::byte*>(slot.final_arrays[i].data());
  }
  for (const std::size_t i : plain_columns_) {
    batch.columns[i] = slot.plain[i].get();
    if (has_final(i)) batch.final_columns[i] = slot.final_plain[i].get();
  }
}

void ResultMemory::MakeSlot(Slot& slot) const {
  // Before 3.12 Python would go on without it silently.
  if (PyGILState_Check() == 0)
    throw std::logic_error("arrays of results are taken without the GIL");
  slot.made = true;
  slot.arrays.resize(num_columns());
  slot.final_arrays.resize(num_columns());
  slot.plain.resize(num_columns());
  slot.final_plain.resize(num_columns());
  for (const std::size_t i : plain_columns_) {
    const std::size_t bytes = layout_.row_sizes[i] * static_cast<std::size_t>(rows_) + 1;
    slot.plain[i] = std::make_unique<std::byte[]>(bytes);
    if (has_final(i)) slot.final_plain[i] = std::make_unique<std::byte[]>(bytes);
  }
}

Object ResultMemory::Array(const Received& received, std::size_t column, bool final) {
  const ArraySpec& spec = layout_.arrays[column];
  const std::intptr_t rows = spec.per_player() ? received.players : received.rows;
  const Slot& slot = slots_[received.batch->id];
  if (slot.place == Place::kArrays && !spec.dynamic()) {
    return (final ? slot.final_arrays : slot.arrays)[column].Head(rows);
  }
  std::byte* memory = (final ? received.batch->final_columns : received.batch->columns)[column];
  if (spec.dynamic()) return TakeDynamic(spec, memory, rows);
  if (slot.place == Place::kAllEnvs) return rings_[column].Copy(memory, rows);
  return CopyOf(*received.batch, column, final, rows);
}

NumpyArray ResultMemory::CopyOf(const Batch& batch, std::size_t column, bool final,
                                std::intptr_t rows) {
  const NumpyArray copy = (final ? final_rings_ : rings_)[column].Take();
  std::memcpy(copy.data(), (final ? batch.final_columns : batch.columns)[column],
              layout_.row_sizes[column] * static_cast<std::size_t>(batch.rows));
  return copy.Head(rows);
}

NumpyArray ResultMemory::Mask(std::size_t index, std::intptr_t rows) {
  while (mask_rings_.size() <= index) {
    mask_rings_.emplace_back(layout_.arrays[kDoneColumn], sizeof(bool), num_envs_, 1);
  }
  const NumpyArray mask = mask_rings_[index].Take().Head(rows);
  std::memset(mask.data(), 1, static_cast<std::size_t>(rows));
  return mask;
}

void ResultMemory::Give(PyObject* arrays) {
  std::vector<std::pair<ArrayRing*, NumpyArray>> given;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(arrays, &at, &key, &value) != 0;) {
    const std::string name = TextOf(key);
    ArrayRing* ring = RingOf(name);
    if (ring == nullptr) {
      throw Error(ErrorKind::kConfig, "set_result_arrays", "an array '" + name + "'",
                  "arrays that stand in a layout of set_result_layouts, and are not dynamic",
                  "leave it out");
    }
    const bool is_array = NumpyArray::Is(value);
    if (!is_array || !ring->IsLike(NumpyArray(Object::Borrow(value)))) {
      throw Error(ErrorKind::kConfig, "set_result_arrays, '" + name + "'",
                  is_array ? "an array of dtype " + Repr(Attribute(value, "dtype").get()) +
                                 " and shape " + Repr(Attribute(value, "shape").get())
                           : Repr(value),
                  ring->Wanted(), "pass one with a row for each environment");
    }
    given.emplace_back(ring, NumpyArray(Object::Borrow(value)));
  }
  for (auto& [ring, array] : given) ring->Give(std::move(array));
}

ArrayRing* ResultMemory::RingOf(const std::string& name) {
  const bool is_final = name.starts_with("final ");
  const std::size_t column = Find(is_final ? name.substr(6) : name);
  if (column == num_columns() || !UsesArray(column) || (is_final && !has_final(column))) {
    return nullptr;
  }
  return &(is_final ? final_rings_ : rings_)[column];
}

void ResultMemory::Clear() {
  for (auto* rings : {&rings_, &final_rings_, &mask_rings_}) {
    for (ArrayRing& ring : *rings) ring.Clear();
  }
  slots_.clear();
  plain_.Clear();
  all_envs_.Clear();
}

void ResultMemory::Detach(const Batch& batch) {
  Slot& slot = slots_[batch.id];
  if (slot.place != Place::kArrays) return;
  for (const std::size_t i : array_columns_) {
    slot.arrays[i] = {};
    if (same_step_) slot.final_arrays[i] = {};
  }
}

}  // namespace envpool::python
