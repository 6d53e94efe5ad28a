// SPDX-License-Identifier: Apache-2.0
// A step of an Atari pool asks for no memory: after a warm-up, the emulator, the scaling and the
// stack of screens allocate exactly nothing, on the caller's thread and on the workers'.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include "../../../envpool-core/tests/cpp/support.h"
#include "atari_env.h"
#include "console/cartridge.cc"
#include "console/console.cc"
#include "console/cpu.cc"
#include "console/executable_memory.cc"
#include "console/machine.cc"
#include "console/native.cc"
#include "console/paint.cc"
#include "console/tia.cc"
#include "console/tia_line.cc"
#include "console/tia_motion.cc"

namespace atari = envpool::atari;

namespace {
std::atomic<long> allocations{0};
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using testing_envs::Op;
using testing_envs::Play;
using namespace envpool::literals;
// A game whose modes are not selected, so that any program can be played.
constexpr const char* kGame = "boxing";
using Pool = testing_envs::TestPool<atari::AtariEnv<atari::AtariSpec>>;

// A cartridge of our own in its place: 262 lines with a player, in colors that change.
std::vector<std::uint8_t> Program() {
  constexpr std::array<std::uint8_t, 44> kCode = {
      0xA9, 2,    0x85, 0x00, 0x85, 2,    0x85, 2,    0x85, 2,    0xA9, 0,
      0x85, 0x00,                                                               // VSYNC, 3 lines
      0xA2, 37,   0x85, 2,    0xCA, 0xD0, 0xFB,                                 // 37 lines
      0xA0, 192,  0x84, 0x09, 0x84, 0x1B, 0x85, 2,    0x88, 0xD0, 0xF7,         // COLUBK, GRP0, 192
      0xA2, 30,   0x85, 2,    0xCA, 0xD0, 0xFB, 0xE6, 0x80, 0x4C, 0x00, 0xF8};  // 30, INC, again
  std::vector<std::uint8_t> rom(2048);
  std::copy(kCode.begin(), kCode.end(), rom.begin());
  rom[0x7FC] = 0x00;
  rom[0x7FD] = 0xF8;
  return rom;
}

// Sanitizers are slow, and see in a few rounds what they see in many.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kRounds = 10;
#else
constexpr int kRounds = 200;
#endif

void Test(const envpool::PoolOptions& options, const char* layout) {
  Pool pool(options, [layout](auto& config) {
    config["task"_] = kGame;
    config["layout"_] = layout;
  });
  pool->CheckSend(nullptr, options.num_envs, Op::kReset);
  pool->Send(nullptr, options.num_envs, Op::kReset);
  if (pool->options().synchronous()) pool->Release(*pool.Recv(true).batch);
  // A thread makes its buffers where it steps first. On a busy machine that may be late, and so
  // each may spoil one count, the caller among them.
  long made = 0;
  for (int counts = 0; counts <= options.num_threads + 1; ++counts) {
    Play(*pool.operator->(), kRounds / 2);
    const long before = allocations.load();
    Play(*pool.operator->(), kRounds);
    made = allocations.load() - before;
    if (made == 0) return;
  }
  std::fprintf(stderr, "batch_size %d, num_threads %d, %s: %ld allocations in %d rounds\n",
               options.batch_size, options.num_threads, layout, made, kRounds);
  std::exit(1);
}

}  // namespace

int main() {
  const long before = allocations.load();
  std::vector<int> counted(10);
  EXPECT(allocations.load() == before + 1 && counted[9] == 0);
  atari::Cartridges::Add(kGame, Program());
  for (const int threads : {1, 2}) {
    for (const char* layout : {"channel_first", "channel_last"}) {
      Test({.num_envs = 8, .batch_size = 8, .num_threads = threads}, layout);
      Test({.num_envs = 8, .batch_size = 3, .num_threads = threads}, layout);
    }
  }
  return 0;
}
