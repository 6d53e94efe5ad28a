// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/saved_state.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "envpool/error.h"

namespace envpool {

namespace {

std::uint64_t Checksum(const std::string& text) {
  return envpool::Checksum(text.data(), text.size());
}

/// Throws Error(kSavedState) naming the options that had other values when a state was saved.
void CheckOptions(const PoolOptions& options, const std::vector<std::uint32_t>& saved) {
  std::string names, values;
  for (std::size_t i = 0; i < options.saved_options.size(); ++i) {
    const SavedOption& option = options.saved_options[i];
    if (i < saved.size() && saved[i] == option.checksum) continue;
    names += (names.empty() ? "" : ", ") + option.name;
    values += (values.empty() ? "" : ", ") + option.name + "=" + option.value;
  }
  if (names.empty() && saved.size() == options.saved_options.size()) return;
  throw Error(ErrorKind::kSavedState, "load_state of " + options.task_id,
              "a state of a pool with another " + (names.empty() ? "list of options" : names),
              "states of pools with the same options of the environment" +
                  (values.empty() ? "" : ", here " + values),
              "load it into a pool that is made with the options of the one that saved it");
}

}  // namespace

SavedState::SavedState(const PoolOptions& options) {
  header_.task = Checksum(options.task_id);
  std::vector<std::uint32_t> checksums;
  for (const SavedOption& option : options.saved_options) checksums.push_back(option.checksum);
  out_.Write(header_, checksums);
}

std::string SavedState::Take() {
  std::string bytes = out_.Take();
  header_.size = bytes.size() - sizeof(header_);
  header_.checksum = Checksum(bytes.data() + sizeof(header_), header_.size);
  std::memcpy(bytes.data(), &header_, sizeof(header_));
  return bytes;
}

StateReader SavedState::Open(const PoolOptions& options, const std::string& bytes) {
  const std::string& task_id = options.task_id;
  Header header;
  if (bytes.size() < sizeof(header)) Refuse(task_id, std::to_string(bytes.size()) + " bytes");
  std::memcpy(&header, bytes.data(), sizeof(header));
  const char* body = bytes.data() + sizeof(header);
  const std::size_t size = bytes.size() - sizeof(header);
  if (std::memcmp(header.magic, Header().magic, sizeof(header.magic)) != 0) {
    Refuse(task_id, "bytes of another kind or version");
  }
  if (header.task != Checksum(task_id)) {
    Refuse(task_id, "a state of another task");
  }
  if (header.size != size || header.checksum != envpool::Checksum(body, size)) {
    Refuse(task_id, "damaged bytes");
  }
  StateReader in(body, size);
  std::vector<std::uint32_t> saved;
  try {
    in.Read(saved);
  } catch (const std::out_of_range&) {
    Refuse(task_id, "damaged bytes");
  }
  CheckOptions(options, saved);
  return in;
}

void SavedState::Refuse(const std::string& task_id, const std::string& got) {
  throw Error(ErrorKind::kSavedState, "load_state of " + task_id, got,
              "what save_state of the same task and version returned",
              "save the state again with this version");
}

}  // namespace envpool
