// SPDX-License-Identifier: Apache-2.0
// SharedSegment: the shared memory of a pool.
//
//   | SegmentHeader | rings of worker 0 | rings of worker 1 | ... | slot of env 0 | slot of env 1 |
//   ...
//
// A worker has two rings of environment ids, one each way, each with one writer and one reader:
//
//   parent --- requests ---> worker 2 --- results ---> parent
//
// so a worker may be killed at any moment and nothing is locked or half moved. The file has no
// name, and ends with the last process that has it open.
//
// Beyond the mapped part the file has places, 4 GiB apart, for data that are rare and may be long:
// infos that do not fit into a slot, options of resets, and the logs of workers. A place takes
// memory only for bytes that were written.
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

#include "shared_futex.h"
#include "slot_layout.h"

namespace envpool::python_family {

/// The futex on which the parent sleeps.
struct alignas(64) SegmentHeader {
  std::atomic<int> wakeups{0};
  /// The worker that brings the number of all results to this wakes it.
  alignas(64) std::atomic<std::int64_t> wake_at{std::numeric_limits<std::int64_t>::max()};
};

inline constexpr int kOptions = 2;  ///< see SharedSegment::OverflowAt

/// A message to a worker that names no environment: look at the socket.
inline constexpr std::int32_t kControlMessage = -1;

/// Requests to and results of one worker. Positions only grow; position p is entry p & mask.
struct WorkerRings {
  // The parent writes:
  alignas(64) std::atomic<std::int64_t> num_requests{0};  ///< filled positions of the ring to it
  alignas(64) std::atomic<int> wakeups{0};
  // The worker writes:
  alignas(64) std::atomic<std::int64_t> num_taken{0};  ///< positions of that ring that it has read
  std::atomic<int> asleep{0};
  std::atomic<std::int32_t> current_env{-1};  ///< the environment that it is in, or -1
  std::atomic<std::int64_t> since{0};         ///< and from when on, in ns of the steady clock
  alignas(64) std::atomic<std::int64_t> num_results{0};  ///< filled positions of the ring back
};

class SharedSegment {
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

  /// Maps the memory in `fd`, which stays the caller's. `fresh`: no process has used it yet.
  SharedSegment(int fd, const Shape& shape, bool fresh) : shape_(shape) {
    void* data = mmap(nullptr, SizeOf(shape), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED) {
      throw std::system_error(errno, std::generic_category(), "mmap of shared memory");
    }
    data_ = static_cast<std::byte*>(data);
    if (!fresh) return;
    new (data_) SegmentHeader();
    for (int i = 0; i < shape.num_workers; ++i) new (&rings(i)) WorkerRings();
  }
  ~SharedSegment() { munmap(data_, SizeOf(shape_)); }
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;

  const Shape& shape() const { return shape_; }
  SegmentHeader& header() const { return *reinterpret_cast<SegmentHeader*>(data_); }
  WorkerRings& rings(int worker) const {
    return *reinterpret_cast<WorkerRings*>(data_ + sizeof(SegmentHeader) +
                                           RingsSize(shape_) * At(worker));
  }
  /// The entry of a position in the ring to a worker, and in the one back.
  std::int32_t& request(int worker, std::int64_t position) const {
    return Ring(worker, 0, position);
  }
  std::int32_t& result(int worker, std::int64_t position) const {
    return Ring(worker, 1, position);
  }
  std::byte* slot(int env_id) const {
    return data_ + SlotsAt(shape_) + shape_.slot_size * At(env_id);
  }
  SlotHeader& slot_header(int env_id) const { return *reinterpret_cast<SlotHeader*>(slot(env_id)); }
  /// The place in the file of data that have no room in the slot of an environment: an info that
  /// is too long (`which` is 0 or 1), or the options of a reset (kOptions).
  std::int64_t OverflowAt(int env_id, int which) const { return Beyond(3 * env_id + which); }
  /// The place in the file of the log of a worker.
  std::int64_t LogAt(int worker) const { return Beyond(3 * shape_.num_envs + worker); }
  /// The worker of an environment: neighbours share one.
  int worker_of(int env_id) const {
    return static_cast<int>(std::int64_t{env_id} * shape_.num_workers / shape_.num_envs);
  }
  /// All results that workers have put into their rings.
  std::int64_t NumResults() const {
    std::int64_t sum = 0;
    for (int i = 0; i < shape_.num_workers; ++i)
      sum += rings(i).num_results.load(std::memory_order_seq_cst);
    return sum;
  }

 private:
  std::int64_t Beyond(std::int64_t place) const {
    const auto end = (static_cast<std::int64_t>(SizeOf(shape_)) >> 32) + 1;
    return (end + place) << 32;
  }
  static std::size_t At(int index) { return static_cast<std::size_t>(index); }
  // Every environment is in a ring once at most, and beside them there is one control message.
  static std::size_t RingSize(const Shape& shape) {
    return std::bit_ceil(At(shape.num_envs / shape.num_workers + 3));
  }
  static std::size_t RingsSize(const Shape& shape) {
    const std::size_t size = sizeof(WorkerRings) + 2 * RingSize(shape) * sizeof(std::int32_t);
    return (size + 63) / 64 * 64;
  }
  static std::size_t SlotsAt(const Shape& shape) {
    const std::size_t at = sizeof(SegmentHeader) + RingsSize(shape) * At(shape.num_workers);
    return (at + 4095) / 4096 * 4096;
  }
  static std::size_t SizeOf(const Shape& shape) {
    return SlotsAt(shape) + shape.slot_size * At(shape.num_envs);
  }
  std::int32_t& Ring(int worker, std::size_t which, std::int64_t position) const {
    const std::size_t size = RingSize(shape_);
    auto* ring = reinterpret_cast<std::int32_t*>(&rings(worker) + 1) + which * size;
    return ring[static_cast<std::size_t>(position) & (size - 1)];
  }

  const Shape shape_;
  std::byte* data_ = nullptr;
};

}  // namespace envpool::python_family
