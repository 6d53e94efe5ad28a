// SPDX-License-Identifier: Apache-2.0
// Memory that holds machine code: written first, executed afterwards, never both at once.
//
//   ExecutableMemory memory(code_bytes);
//   if (memory.begin()) reinterpret_cast<void (*)()>(memory.begin())();
#ifndef ENVPOOL_ATARI_CONSOLE_EXECUTABLE_MEMORY_H_
#define ENVPOOL_ATARI_CONSOLE_EXECUTABLE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace envpool::atari {

class ExecutableMemory {
 public:
  explicit ExecutableMemory(std::span<const std::uint8_t> code);
  ~ExecutableMemory();
  ExecutableMemory(const ExecutableMemory&) = delete;
  ExecutableMemory& operator=(const ExecutableMemory&) = delete;

  // nullptr if the system does not allow a program to execute memory that it wrote.
  const std::uint8_t* begin() const { return begin_; }

 private:
  std::uint8_t* begin_ = nullptr;
  std::size_t size_;
};

}  // namespace envpool::atari

#endif  // ENVPOOL_ATARI_CONSOLE_EXECUTABLE_MEMORY_H_
