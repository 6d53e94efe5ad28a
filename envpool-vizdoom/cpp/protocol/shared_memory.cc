// SPDX-License-Identifier: Apache-2.0
#include "protocol/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace envpool::vizdoom {
namespace {

[[noreturn]] void Fail(int error, const std::string& what, const std::string& name) {
  throw std::system_error(error, std::generic_category(), what + " /dev/shm" + name);
}

}  // namespace

SharedMemory SharedMemory::Create(const std::string& name, std::size_t size) {
  const int file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) Fail(errno, "making", name);
  SharedMemory memory(name, true, file, size);
  if (ftruncate(file, static_cast<off_t>(size)) != 0) Fail(errno, "sizing", name);
  memory.Reserve(0, size);
  memory.data_ =
      static_cast<std::byte*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  if (memory.data_ == MAP_FAILED) {
    memory.data_ = nullptr;
    Fail(errno, "mapping", name);
  }
  return memory;
}

SharedMemory SharedMemory::Open(const std::string& name) {
  const int file = shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0);
  if (file < 0) Fail(errno, "opening", name);
  struct stat found{};
  SharedMemory memory(name, false, file, 0);
  if (fstat(file, &found) != 0) Fail(errno, "looking at", name);
  memory.size_ = static_cast<std::size_t>(found.st_size);
  memory.data_ = static_cast<std::byte*>(
      mmap(nullptr, memory.size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  if (memory.data_ == MAP_FAILED) {
    memory.data_ = nullptr;
    Fail(errno, "mapping", name);
  }
  return memory;
}

SharedMemory::SharedMemory(std::string name, bool own, int file, std::size_t size)
    : name_(std::move(name)), own_(own), file_(file), size_(size) {}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : name_(std::move(other.name_)),
      own_(other.own_),
      file_(std::exchange(other.file_, -1)),
      size_(other.size_),
      data_(std::exchange(other.data_, nullptr)) {}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, size_);
  if (file_ < 0) return;
  close(file_);
  if (own_) shm_unlink(name_.c_str());
}

void SharedMemory::Reserve(std::size_t offset, std::size_t size) const {
  const int error = posix_fallocate(file_, static_cast<off_t>(offset), static_cast<off_t>(size));
  if (error != 0) Fail(error, "reserving memory of", name_);
}

}  // namespace envpool::vizdoom
