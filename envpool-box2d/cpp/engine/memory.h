// SPDX-License-Identifier: Apache-2.0
// Memory of a Box2D world. Freed memory is kept for the next request of the same size, so an
// environment allocates nothing once it has played some episodes.
//
//   Arena arena;
//   Arena::Use use(arena);  // while `use` lives, b2Alloc takes memory from the arena
//   b2World world({0, -10});
#pragma once

#include <cstddef>
#include <vector>

namespace envpool::box2d {

/// An arena must outlive all memory that was taken from it.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// Makes b2Alloc of this thread take memory from an arena.
  class Use {
   public:
    explicit Use(Arena& arena);
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use();

   private:
    Arena* outer_;
  };

  /// Number of requests to the system.
  std::size_t allocations() const { return allocations_; }

  /// Implements b2Alloc and b2Free. While no arena is in use, memory comes from malloc.
  static void* Allocate(std::size_t size);
  static void Free(void* memory);

 private:
  struct Block;

  std::vector<Block*> free_;
  std::size_t allocations_ = 0;
};

}  // namespace envpool::box2d
