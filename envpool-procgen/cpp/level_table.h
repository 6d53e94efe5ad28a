// SPDX-License-Identifier: Apache-2.0
// LevelTable: the levels of a pool's environments, as chosen by `reset(options=...)`.
//
// Python writes while no environment is in flight, and an environment reads its own entry when it
// is reset, so no lock is needed. The pool's option `level_table` is the number of its table.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "settings.h"

namespace envpool::procgen {

class LevelTable {
 public:
  static constexpr std::int32_t kNone = -1;
  struct Entry {
    std::int32_t level = kNone;  ///< of the next episode only
    LevelRange range;            ///< of later episodes
    bool has_range = false;      ///< true: the range differs from the pool's options
  };

  /// A new table for so many environments.
  static std::shared_ptr<LevelTable> Make(int num_envs);
  /// The table of this number, or null.
  static std::shared_ptr<LevelTable> Find(std::int64_t number);

  std::int64_t number() const { return number_; }
  Entry& operator[](int env_id) { return entries_[static_cast<std::size_t>(env_id)]; }

 private:
  LevelTable(std::int64_t number, int num_envs)
      : number_(number), entries_(static_cast<std::size_t>(num_envs)) {}

  const std::int64_t number_;
  std::vector<Entry> entries_;
};

}  // namespace envpool::procgen
