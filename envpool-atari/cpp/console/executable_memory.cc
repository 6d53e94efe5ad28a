// SPDX-License-Identifier: Apache-2.0
#include "console/executable_memory.h"

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>

#include <algorithm>

namespace envpool::atari {

ExecutableMemory::ExecutableMemory(std::span<const std::uint8_t> code) : size_(code.size()) {
  void* const memory =
      mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  std::ranges::copy(code, static_cast<std::uint8_t*>(memory));
  if (mprotect(memory, size_, PROT_READ | PROT_EXEC) == 0) {
    begin_ = static_cast<std::uint8_t*>(memory);
  } else {
    munmap(memory, size_);
  }
}

ExecutableMemory::~ExecutableMemory() {
  if (begin_) munmap(begin_, size_);
}

}  // namespace envpool::atari

#else

namespace envpool::atari {

ExecutableMemory::ExecutableMemory(std::span<const std::uint8_t> code) : size_(code.size()) {}
ExecutableMemory::~ExecutableMemory() = default;

}  // namespace envpool::atari

#endif
