// SPDX-License-Identifier: Apache-2.0
#include "protocol/engine_memory.h"

#include <stdexcept>

namespace envpool::vizdoom {

EngineMemory::EngineMemory(const std::string& name) : memory_(SharedMemory::Open(name)) {
  const std::size_t size = memory_.size();
  const auto refuse = [](const std::string& what) {
    throw std::runtime_error("the memory of the engine is laid out in another way (" + what +
                             "): it is no ViZDoom 1.3");
  };
  if (size < sizeof(GameState) + kCountersFromEnd || game().memory_size != size) {
    refuse(std::to_string(size) + " bytes");
  }
  for (int i = 0; i < kRegions; ++i) {
    offsets_[i] = game().region_offset[i];
    sizes_[i] = game().region_size[i];
    if (sizes_[i] > size || offsets_[i] > size - sizes_[i]) {
      refuse("part " + std::to_string(i) + " ends beyond it");
    }
  }
  if (offsets_[0] != 0 || sizes_[0] < sizeof(GameState) + kCountersFromEnd ||
      sizes_[1] != sizeof(Buttons)) {
    refuse("parts of " + std::to_string(sizes_[0]) + " and " + std::to_string(sizes_[1]) +
           " bytes");
  }
  counters_ = reinterpret_cast<const Counters*>(memory_.data() + sizes_[0] - kCountersFromEnd);
  // The engine has not touched its pixels yet. Reserving them now makes a full /dev/shm an error;
  // later it would be a SIGBUS.
  for (int i = 1; i < kRegions; ++i) {
    if (sizes_[i] != 0) memory_.Reserve(offsets_[i], sizes_[i]);
  }
}

}  // namespace envpool::vizdoom
