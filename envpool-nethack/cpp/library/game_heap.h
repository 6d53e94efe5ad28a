// SPDX-License-Identifier: Apache-2.0
// GameHeap: the memory that a game allocates. All of it is freed when the next game begins, so that
// nothing stays that a game forgets to free.
//
// The sizes of blocks are multiples of 32 bytes up to 1 KiB, then powers of two. A freed block is
// the next block of its size to be allocated. Pages are taken from the system when they are
// written.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "envpool/state_io.h"
#include "library/pages.h"

namespace envpool::nethack {

class GameHeap {
 public:
  /// Bytes that a game may use; in two million steps of all keys no game used more than 0.42 MB.
  static constexpr std::size_t kSize = std::size_t{64} << 20;

  GameHeap() {
    // An inaccessible page on each side: a write beyond the heap is a fault, and does not reach
    // another game's memory.
    void* const whole = mmap(nullptr, kSize + 2 * kPage, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (whole == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::uint8_t*>(whole) + kPage;
    if (mprotect(memory_, kSize, PROT_READ | PROT_WRITE) != 0) {
      munmap(whole, kSize + 2 * kPage);
      throw std::bad_alloc();
    }
  }
  GameHeap(const GameHeap&) = delete;
  GameHeap& operator=(const GameHeap&) = delete;
  ~GameHeap() { munmap(memory_ - kPage, kSize + 2 * kPage); }

  void* memory() const { return memory_; }
  std::size_t used() const { return used_; }

  /// Null if there is no room.
  void* Allocate(std::size_t size) {
    if (size > kSize - kHeader) return nullptr;
    const std::size_t kind = KindOf(size + kHeader);
    if (void* const block = free_[kind]) {
      std::memcpy(&free_[kind], block, sizeof(void*));
      return block;
    }
    const std::size_t whole = SizeOf(kind);
    if (whole > kSize - used_) return nullptr;
    std::uint8_t* const place = memory_ + used_;
    used_ += whole;
    std::memcpy(place, &kind, sizeof(kind));
    return place + kHeader;
  }
  void Free(void* block) {
    if (block == nullptr) return;
    const std::size_t kind = KindAt(block);
    std::memcpy(block, &free_[kind], sizeof(void*));
    free_[kind] = block;
  }
  void* Resize(void* block, std::size_t size) {
    if (block == nullptr) return Allocate(size);
    const std::size_t have = SizeOf(KindAt(block)) - kHeader;
    if (size <= have) return block;
    void* const larger = Allocate(size);
    if (larger == nullptr) return nullptr;
    std::memcpy(larger, block, have);
    Free(block);
    return larger;
  }
  /// Writes the used part.
  void Save(StateWriter& out) const {
    out.Write(static_cast<std::uint64_t>(used_));
    for (const void* block : free_) out.Write(reinterpret_cast<std::uint64_t>(block));
    SavePages(memory_, used_, out);
  }
  void Load(StateReader& in) {
    std::uint64_t used = 0;
    in.Read(used);
    used_ = used;
    for (void*& block : free_) {
      std::uint64_t place = 0;
      in.Read(place);
      block = reinterpret_cast<void*>(place);
    }
    LoadPages(memory_, used_, in);
  }
  /// Frees everything. The pages stay, for the next game.
  void Clear() {
    used_ = 0;
    std::fill(std::begin(free_), std::end(free_), nullptr);
  }

 private:
  static constexpr std::size_t kHeader = 16, kStep = 32, kSmallKinds = 32;

  static std::size_t KindOf(std::size_t size) {
    if (size <= kStep * kSmallKinds) return (size + kStep - 1) / kStep;
    return kSmallKinds + static_cast<std::size_t>(std::bit_width(size - 1)) - 10;
  }
  static std::size_t SizeOf(std::size_t kind) {
    return kind <= kSmallKinds ? kind * kStep : std::size_t{1} << (kind - kSmallKinds + 10);
  }
  static std::size_t KindAt(const void* block) {
    std::size_t kind = 0;
    std::memcpy(&kind, static_cast<const std::uint8_t*>(block) - kHeader, sizeof(kind));
    return kind;
  }

  std::uint8_t* memory_ = nullptr;
  std::size_t used_ = 0;
  void* free_[kSmallKinds + 32] = {};
};

}  // namespace envpool::nethack
