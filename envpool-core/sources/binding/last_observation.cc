// SPDX-License-Identifier: Apache-2.0
#include "last_observation.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "envpool/engine/columns.h"
#include "envpool/error.h"

namespace envpool::python {
namespace {

/// Writes row i of `rows` into row env_ids[i] of `all`.
void PutRows(const NumpyArray& rows, const std::vector<int>& env_ids, const NumpyArray& all) {
  if (static_cast<std::size_t>(rows.shape(0)) != env_ids.size()) {
    throw Error(ErrorKind::kState, "a reset of some environments",
                std::to_string(rows.shape(0)) + " rows of players in " +
                    std::to_string(env_ids.size()) + " environments",
                "one player in each environment", "use env_type='gymnasium'");
  }
  if (env_ids.empty()) return;
  const std::size_t items = static_cast<std::size_t>(rows.size()) / env_ids.size();
  const std::size_t size = items * rows.item_size();
  const NumpyArray source = rows.kind() == 'O' ? rows.DeepCopy() : rows;
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    auto* from = static_cast<std::byte*>(source.data()) + i * size;
    auto* to = static_cast<std::byte*>(all.data()) + static_cast<std::size_t>(env_ids[i]) * size;
    if (rows.kind() == 'O') {  // the copy gets what stood here, and frees it
      std::swap_ranges(from, from + size, to);
    } else {
      std::memcpy(to, from, size);
    }
  }
}

}  // namespace

LastObservation::LastObservation(const Pool& pool)
    : pool_(pool),
      copies_(pool.options().autoreset == Autoreset::kDisabled),
      arrays_(pool.state_layout().arrays.size()) {}

/// Whether row i is that of environment i, with one player in each.
bool LastObservation::HasAll(const Received& received) const {
  if (received.rows != pool_.num_envs() || received.players != received.rows) return false;
  const int* env_ids = received.batch->column<int>(kEnvIdColumn);
  for (int i = 0; i < received.rows; ++i) {
    if (env_ids[i] != i) return false;
  }
  return true;
}

void LastObservation::Set(std::size_t column, const Object& array) {
  const NumpyArray rows(array);
  NumpyArray& kept = arrays_[column];
  if (!copies_) {
    kept = rows;
  } else if (!kept || rows.kind() == 'O') {
    kept = rows.DeepCopy();
  } else {
    const std::size_t element = pool_.state_layout().arrays[column].element_size;
    std::memcpy(kept.data(), rows.data(), static_cast<std::size_t>(rows.size()) * element);
  }
}

void LastObservation::CheckKnown(int count) const {
  if (count == pool_.num_envs() || changes_ == pool_.num_changes()) return;
  throw Error(ErrorKind::kState, "reset(options={'reset_mask': ...}) of " + pool_.options().task_id,
              "a mask for some environments, where the last observation of the others is unknown",
              "a mask after a reset or a step of all environments", "call reset() first");
}

void LastObservation::Clear() {
  for (NumpyArray& array : arrays_) array = {};
}

NumpyArray LastObservation::Mask(const std::vector<int>& env_ids) const {
  const std::intptr_t shape[] = {pool_.num_envs()};
  const NumpyArray mask = NumpyArray::Make(NumpyType(DType::kBool), 1, shape);
  auto* flags = static_cast<bool*>(mask.data());
  std::fill_n(flags, pool_.num_envs(), false);
  for (const int env_id : env_ids) flags[env_id] = true;
  return mask;
}

NumpyArray LastObservation::Spread(const NumpyArray& rows, const std::vector<int>& env_ids) const {
  NumpyArray all = rows.Zeros(pool_.num_envs());
  PutRows(rows, env_ids, all);
  return all;
}

NumpyArray LastObservation::WithRows(std::size_t column, const NumpyArray& rows,
                                     const std::vector<int>& env_ids) {
  if (!copies_) CopyAll();
  NumpyArray& kept = arrays_[column];
  if (!kept) kept = rows.Zeros(pool_.num_envs());
  PutRows(rows, env_ids, kept);
  return kept.DeepCopy();
}

void LastObservation::CopyAll() {
  for (NumpyArray& array : arrays_) {
    if (array) array = array.DeepCopy();
  }
  copies_ = true;
}

}  // namespace envpool::python
