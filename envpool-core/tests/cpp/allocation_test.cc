// SPDX-License-Identifier: Apache-2.0
// Stepping asks for no memory: after a warm-up, thousands of steps of a pool allocate exactly
// nothing, on the caller's thread and on the workers', whatever the mode. `operator new` is counted
// always, `malloc` where no sanitizer has taken its place.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "../engine/envs/pole.h"
#include "support.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ENVPOOL_COUNTS_MALLOC 0
#elif defined(__GLIBC__)
#define ENVPOOL_COUNTS_MALLOC 1
#else
#define ENVPOOL_COUNTS_MALLOC 0
#endif

#if defined(_WIN32)
#include <malloc.h>
#endif

namespace {

std::atomic<long> allocations{0};

// Windows has no aligned_alloc, and its counterpart has a `free` of its own.
void* Aligned(std::size_t unit, std::size_t size) {
#if defined(_WIN32)
  return _aligned_malloc(size, unit);
#else
  return std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
#endif
}
void FreeAligned(void* memory) {
#if defined(_WIN32)
  _aligned_free(memory);
#else
  std::free(memory);
#endif
}

}  // namespace

#if ENVPOOL_COUNTS_MALLOC
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* malloc(std::size_t size) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(memory, size);
}
}
#endif

[[gnu::noinline]] void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t align) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const auto unit = static_cast<std::size_t>(align);
  if (void* memory = Aligned(unit, size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  FreeAligned(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  FreeAligned(memory);
}

namespace testing_envs {
namespace {

void Test(const envpool::PoolOptions& options) {
  TestPool<Pole> pool(options);
  pool->CheckSend(nullptr, options.num_envs, Op::kReset);
  pool->Send(nullptr, options.num_envs, Op::kReset);
  if (pool->options().synchronous()) pool->Release(*pool->Recv(true, [] {}).batch);
  // Long enough for all threads to have started and for as many batches as will ever be open at a
  // time.
  Play(*pool.operator->(), 300);
  const long before = allocations.load();
  Play(*pool.operator->(), 2000);
  const long made = allocations.load() - before;
  if (made == 0) return;
  std::fprintf(stderr,
               "num_envs %d, batch_size %d, num_threads %d: %ld allocations in 2000 rounds\n",
               options.num_envs, options.batch_size, options.num_threads, made);
  std::exit(1);
}

}  // namespace
}  // namespace testing_envs

int main() {
  const long before = allocations.load();
  std::vector<int> counted(10);
  EXPECT(allocations.load() == before + (ENVPOOL_COUNTS_MALLOC ? 2 : 1) && counted[9] == 0);
  for (const int threads : {1, 2}) {
    testing_envs::Test({.num_envs = 1, .batch_size = 1, .num_threads = threads});
    testing_envs::Test({.num_envs = 8, .batch_size = 8, .num_threads = threads});
    testing_envs::Test({.num_envs = 200, .batch_size = 200, .num_threads = threads});
    testing_envs::Test({.num_envs = 8, .batch_size = 1, .num_threads = threads});
    testing_envs::Test({.num_envs = 8, .batch_size = 3, .num_threads = threads});
    testing_envs::Test({.num_envs = 200, .batch_size = 50, .num_threads = threads});
  }
  return 0;
}
