// SPDX-License-Identifier: Apache-2.0
#include "engine/memory.h"

#include <Box2D/Common/b2Timer.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

namespace envpool::box2d {
namespace {
thread_local Arena* used = nullptr;
}

// The header before each piece of memory.
struct alignas(std::max_align_t) Arena::Block {
  Arena* owner;
  std::size_t size;
};

Arena::~Arena() {
  for (Block* block : free_) std::free(block);
}

Arena::Use::Use(Arena& arena) : outer_(used) { used = &arena; }
Arena::Use::~Use() { used = outer_; }

void* Arena::Allocate(std::size_t size) {
  if (used != nullptr) {
    // The newest first: a world asks for the sizes that the world before gave back.
    auto& free = used->free_;
    const auto found = std::find_if(free.rbegin(), free.rend(),
                                    [size](const Block* block) { return block->size == size; });
    if (found != free.rend()) {
      Block* block = *found;
      *found = free.back();
      free.pop_back();
      return block + 1;
    }
    ++used->allocations_;
  }
  void* memory = std::malloc(sizeof(Block) + size);
  if (memory == nullptr) throw std::bad_alloc();
  return new (memory) Block{used, size} + 1;
}

void Arena::Free(void* memory) {
  if (memory == nullptr) return;
  Block* block = static_cast<Block*>(memory) - 1;
  if (block->owner == nullptr) {
    std::free(block);
  } else {
    block->owner->free_.push_back(block);
  }
}

void AssertionFailed(const char* condition) {
  throw std::logic_error(std::string("Box2D: this does not hold: ") + condition);
}

}  // namespace envpool::box2d

b2Version b2_version = {2, 3, 0};

void* b2Alloc(int32 size) {
  return envpool::box2d::Arena::Allocate(static_cast<std::size_t>(size));
}
void b2Free(void* memory) { envpool::box2d::Arena::Free(memory); }
void b2Log(const char*, ...) {}

b2Timer::b2Timer() {}
void b2Timer::Reset() {}
float32 b2Timer::GetMilliseconds() const { return 0; }
