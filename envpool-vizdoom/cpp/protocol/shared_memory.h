// SPDX-License-Identifier: Apache-2.0
// SharedMemory: a POSIX shared memory object, mapped as a whole.
#pragma once

#include <cstddef>
#include <string>

namespace envpool::vizdoom {

class SharedMemory {
 public:
  /// Makes a new object and reserves all its memory, so that a full /dev/shm is an error here and
  /// not a SIGBUS later. Throws std::system_error.
  static SharedMemory Create(const std::string& name, std::size_t size);
  /// Maps an existing object; the destructor keeps its name. Throws std::system_error.
  static SharedMemory Open(const std::string& name);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  /// Unmaps the memory, and removes the name if Create made it.
  ~SharedMemory();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// Reserves memory for a part that was never touched. Throws std::system_error.
  void Reserve(std::size_t offset, std::size_t size) const;

 private:
  SharedMemory(std::string name, bool own, int file, std::size_t size);

  std::string name_;
  bool own_;
  int file_;
  std::size_t size_;
  std::byte* data_ = nullptr;
};

}  // namespace envpool::vizdoom
