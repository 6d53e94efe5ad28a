// SPDX-License-Identifier: Apache-2.0
// SavedState: the header and checksum of one environment's saved state. They tell the format, the
// task and its options, and whether the bytes are complete.
//
//   SavedState saved(pool_options);
//   saved.out().Write(...);
//   std::string bytes = saved.Take();
//   StateReader in = SavedState::Open(pool_options, bytes);    // throws Error(kSavedState)
#pragma once

#include <cstdint>
#include <string>

#include "envpool/engine/pool_options.h"
#include "envpool/state_io.h"

namespace envpool {

class SavedState {
 public:
  explicit SavedState(const PoolOptions& options);
  StateWriter& out() { return out_; }
  /// All that was written, behind its header.
  std::string Take();

  /// Reads the bytes after the header; the bytes must outlive the reader.
  static StateReader Open(const PoolOptions& options, const std::string& bytes);
  [[noreturn]] static void Refuse(const std::string& task_id, const std::string& got);

 private:
  struct Header {
    char magic[8] = {'e', 'n', 'v', 'p', 'o', 'o', 'l', '4'};
    std::uint64_t task = 0;
    std::uint64_t size = 0;
    std::uint64_t checksum = 0;
  };

  Header header_;
  StateWriter out_;
};

}  // namespace envpool
