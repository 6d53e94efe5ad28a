// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/saved_state.h"

#include <cstddef>
#include <cstring>

#include "envpool/error.h"

namespace envpool {

SavedState::SavedState(const std::string& task_id) {
  header_.task = Checksum(task_id.data(), task_id.size());
  out_.Write(header_);
}

std::string SavedState::Take() {
  std::string bytes = out_.Take();
  header_.size = bytes.size() - sizeof(header_);
  header_.checksum = Checksum(bytes.data() + sizeof(header_), header_.size);
  std::memcpy(bytes.data(), &header_, sizeof(header_));
  return bytes;
}

StateReader SavedState::Open(const std::string& task_id, const std::string& bytes) {
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

void SavedState::Refuse(const std::string& task_id, const std::string& got) {
  throw Error(ErrorKind::kSavedState, "load_state of " + task_id, got,
              "what save_state of the same task and version returned",
              "save the state again with this version");
}

}  // namespace envpool
