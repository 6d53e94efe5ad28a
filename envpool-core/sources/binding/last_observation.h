// SPDX-License-Identifier: Apache-2.0
// LastObservation: the observation that Python has received last, with a row for each environment.
//
// A reset of some environments shows it in the rows of the others. Results belong to the caller,
// who may write into them. After the first reset of some environments, or with autoreset
// "disabled", this is a copy; before that it is the result itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "envpool/engine/batch.h"
#include "envpool/engine/pool.h"
#include "numpy.h"
#include "python.h"

namespace envpool::python {

class LastObservation {
 public:
  /// `pool` outlives it.
  explicit LastObservation(const Pool& pool);

  /// Whether observations are kept from now on.
  void Keep(bool keeps) { keeps_ = keeps; }
  /// Whether a result that is built now is kept: Set gets its arrays, then comes End.
  bool Begin(const Received& received) const { return keeps_ && HasAll(received); }
  void Set(std::size_t column, const Object& array);
  void End() { changes_ = pool_.num_changes(); }
  /// Throws Error(kState) where a reset of `count` environments leaves rows of others that are not
  /// known, because something has changed since.
  void CheckKnown(int count) const;
  void Clear();

  /// True in the rows of `env_ids`, in an array with a row for each environment.
  NumpyArray Mask(const std::vector<int>& env_ids) const;
  /// The rows of `env_ids` in an array with a row for each environment; zeros or None elsewhere.
  NumpyArray Spread(const NumpyArray& rows, const std::vector<int>& env_ids) const;
  /// The rows of `env_ids` in the last observation, which has them from now on, too.
  NumpyArray WithRows(std::size_t column, const NumpyArray& rows, const std::vector<int>& env_ids);

 private:
  bool HasAll(const Received& received) const;
  void CopyAll();

  const Pool& pool_;
  bool keeps_ = false;
  bool copies_;
  std::int64_t changes_ = -1;       // Pool::num_changes() when the arrays were received
  std::vector<NumpyArray> arrays_;  // by column; null where a column is not of the observation
};

}  // namespace envpool::python
