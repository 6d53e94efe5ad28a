// SPDX-License-Identifier: Apache-2.0
// SavedState: what stands around the bytes of one environment's saved state: which kind of bytes
// these are, of which task, and whether they are whole.
//
//   SavedState saved("Walk-v0");
//   saved.out().Write(...);
//   std::string bytes = saved.Take();
//   StateReader in = SavedState::Open("Walk-v0", bytes);    // throws Error(kSavedState)
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "envpool/error.h"
#include "envpool/state_io.h"

namespace envpool {

class SavedState {
 public:
  explicit SavedState(const std::string& task_id) {
    header_.task = Checksum(task_id.data(), task_id.size());
    out_.Write(header_);
  }
  StateWriter& out() { return out_; }
  /// All that was written, behind its header.
  std::string Take() {
    std::string bytes = out_.Take();
    header_.size = bytes.size() - sizeof(header_);
    header_.checksum = Checksum(bytes.data() + sizeof(header_), header_.size);
    std::memcpy(bytes.data(), &header_, sizeof(header_));
    return bytes;
  }

  /// Reads what follows the header, which must outlive the reader.
  static StateReader Open(const std::string& task_id, const std::string& bytes) {
    Header header;
    if (bytes.size() < sizeof(header)) Refuse(task_id, std::to_string(bytes.size()) + " bytes");
    std::memcpy(&header, bytes.data(), sizeof(header));
    const char* body = bytes.data() + sizeof(header);
    const std::size_t size = bytes.size() - sizeof(header);
    if (std::memcmp(header.magic, Header().magic, sizeof(header.magic)) != 0) {
      Refuse(task_id, "bytes of another kind or version");
    }
    if (header.task != Checksum(task_id.data(), task_id.size())) {
      Refuse(task_id, "a state of another task");
    }
    if (header.size != size || header.checksum != Checksum(body, size)) {
      Refuse(task_id, "damaged bytes");
    }
    return StateReader(body, size);
  }
  [[noreturn]] static void Refuse(const std::string& task_id, const std::string& got) {
    throw Error(ErrorKind::kSavedState, "load_state of " + task_id, got,
                "what save_state of the same task and version returned",
                "save the state again with this version");
  }

 private:
  struct Header {
    char magic[8] = {'e', 'n', 'v', 'p', 'o', 'o', 'l', '3'};
    std::uint64_t task = 0;
    std::uint64_t size = 0;
    std::uint64_t checksum = 0;
  };

  Header header_;
  StateWriter out_;
};

}  // namespace envpool
