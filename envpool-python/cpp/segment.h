// SPDX-License-Identifier: Apache-2.0
// Segment: the shared memory of a pool.
//
//   | Head | Line of worker 0 | Line of worker 1 | ... | slot of env 0 | slot of env 1 | ...
//
// A line is two rings of environment ids, one each way, each with one writer and one reader:
//
//   parent --- asked ---> worker 2 --- done ---> parent
//
// so a worker may be killed at any moment and nothing is locked or half moved. The file has no
// name, and is gone with the last process that has it.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <system_error>

#include "layout.h"
#include "shared_futex.h"

namespace envpool::remote {

/// Where the parent sleeps.
struct alignas(64) Head {
  std::atomic<int> bell{0};
  /// The worker that brings the sum of all `done` to this number rings.
  alignas(64) std::atomic<std::int64_t> wake_at{std::numeric_limits<std::int64_t>::max()};
};

inline constexpr int kOptions = 2;  ///< see Segment::LongAt

/// A message to a worker that is about none of its environments: look at the socket.
inline constexpr std::int32_t kCall = -1;

/// What goes to and from one worker. Positions only grow; position p is entry p & mask.
struct Line {
  // The parent writes:
  alignas(64) std::atomic<std::int64_t> asked{0};  ///< positions of its ring that are filled
  alignas(64) std::atomic<int> bell{0};
  // The worker writes:
  alignas(64) std::atomic<std::int64_t> begun{0};  ///< positions of that ring that were read
  std::atomic<int> asleep{0};
  std::atomic<std::int32_t> current{-1};          ///< the environment that it is in, or -1
  std::atomic<std::int64_t> since{0};             ///< and from when on, in ns of the steady clock
  alignas(64) std::atomic<std::int64_t> done{0};  ///< positions of the other ring that are filled
};

class Segment {
 public:
  /// Sizes that both sides have to know.
  struct Shape {
    int num_envs = 0, num_workers = 0;
    std::size_t slot_size = 0;
  };

  /// New memory, in a file that has no name.
  static int MakeFile(const Shape& shape) {
    const int fd = memfd_create("envpool", MFD_CLOEXEC);
    if (fd < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
    if (ftruncate(fd, static_cast<off_t>(SizeOf(shape))) != 0) {
      const int error = errno;
      close(fd);
      throw std::system_error(error, std::generic_category(), "shared memory");
    }
    return fd;
  }

  /// Maps the memory in `fd`, which stays the caller's. `fresh`: nobody has used it yet.
  Segment(int fd, const Shape& shape, bool fresh) : shape_(shape) {
    void* data = mmap(nullptr, SizeOf(shape), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED) {
      throw std::system_error(errno, std::generic_category(), "mmap of shared memory");
    }
    data_ = static_cast<std::byte*>(data);
    if (!fresh) return;
    new (data_) Head();
    for (int i = 0; i < shape.num_workers; ++i) new (&line(i)) Line();
  }
  ~Segment() { munmap(data_, SizeOf(shape_)); }
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  const Shape& shape() const { return shape_; }
  Head& head() const { return *reinterpret_cast<Head*>(data_); }
  Line& line(int worker) const {
    return *reinterpret_cast<Line*>(data_ + sizeof(Head) + LineSize(shape_) * At(worker));
  }
  /// The entry of a position in the ring to a worker, and in the one back.
  std::int32_t& asked(int worker, std::int64_t position) const { return Ring(worker, 0, position); }
  std::int32_t& done(int worker, std::int64_t position) const { return Ring(worker, 1, position); }
  std::byte* slot(int env_id) const {
    return data_ + SlotsAt(shape_) + shape_.slot_size * At(env_id);
  }
  SlotHead& slot_head(int env_id) const { return *reinterpret_cast<SlotHead*>(slot(env_id)); }
  /// Where in the file something of an environment lies that has no room in its slot: an info that
  /// is too long (`which` is 0 or 1), or the options of a reset (kOptions).
  std::int64_t LongAt(int env_id, int which) const {
    const auto end = (static_cast<std::int64_t>(SizeOf(shape_)) >> 32) + 1;
    return (end + 3 * env_id + which) << 32;
  }
  /// The worker of an environment: neighbours share one.
  int worker_of(int env_id) const {
    return static_cast<int>(std::int64_t{env_id} * shape_.num_workers / shape_.num_envs);
  }
  /// All results that workers have put into their rings.
  std::int64_t DoneByAll() const {
    std::int64_t sum = 0;
    for (int i = 0; i < shape_.num_workers; ++i)
      sum += line(i).done.load(std::memory_order_seq_cst);
    return sum;
  }

 private:
  static std::size_t At(int index) { return static_cast<std::size_t>(index); }
  // Every environment is in a ring once at most, and beside them there is one call.
  static std::size_t RingSize(const Shape& shape) {
    return std::bit_ceil(At(shape.num_envs / shape.num_workers + 3));
  }
  static std::size_t LineSize(const Shape& shape) {
    const std::size_t size = sizeof(Line) + 2 * RingSize(shape) * sizeof(std::int32_t);
    return (size + 63) / 64 * 64;
  }
  static std::size_t SlotsAt(const Shape& shape) {
    const std::size_t at = sizeof(Head) + LineSize(shape) * At(shape.num_workers);
    return (at + 4095) / 4096 * 4096;
  }
  static std::size_t SizeOf(const Shape& shape) {
    return SlotsAt(shape) + shape.slot_size * At(shape.num_envs);
  }
  std::int32_t& Ring(int worker, std::size_t which, std::int64_t position) const {
    const std::size_t size = RingSize(shape_);
    auto* ring = reinterpret_cast<std::int32_t*>(&line(worker) + 1) + which * size;
    return ring[static_cast<std::size_t>(position) & (size - 1)];
  }

  const Shape shape_;
  std::byte* data_ = nullptr;
};

}  // namespace envpool::remote
