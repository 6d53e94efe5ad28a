// SPDX-License-Identifier: Apache-2.0
// Memory of a Box2D world: what is given back is kept for the next request of the same size, so
// that an environment allocates nothing once it has played some episodes.
//
//   Arena arena;
//   Arena::Use use(arena);  // as long as it lives, Box2D's memory comes from there
//   b2World world({0, -10});
#pragma once

#include <cstddef>
#include <vector>

namespace envpool::box2d {

/// Outlives all memory that was taken from it.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// Has b2Alloc of this thread take memory from an arena.
  class Use {
   public:
    explicit Use(Arena& arena);
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use();

   private:
    Arena* outer_;
  };

  /// How often memory was asked from the system.
  std::size_t allocations() const { return allocations_; }

  /// What b2Alloc and b2Free do. Memory that is taken while no arena is in use is malloc's.
  static void* Allocate(std::size_t size);
  static void Free(void* memory);

 private:
  struct Block;

  std::vector<Block*> free_;
  std::size_t allocations_ = 0;
};

}  // namespace envpool::box2d
