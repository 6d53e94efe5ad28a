// SPDX-License-Identifier: Apache-2.0
// A step of Doom allocates no memory, and makes no system calls except to wait and to wake.
//
//   steps <cfg> <wad> <engine> <game's wad>
//
// After a warm-up the allocations of some rounds are counted. Then the threads of the pool are
// restricted to the system calls that steps may make; the system ends the program at any other
// call.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>

#include "../../../envpool-core/tests/cpp/support.h"
#include "vizdoom_env.h"

namespace vizdoom = envpool::vizdoom;

namespace {
std::atomic<long> allocations{0};
std::atomic<int> restricted{0};
}  // namespace

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
using Pool = testing_envs::TestPool<vizdoom::VizdoomEnv<false>>;

constexpr int kEnvs = 3, kRounds = 60;

/// Makes the system end the program if this thread makes a system call that steps do not make.
void Restrict(int = 0) {
  // A thread that did no reset has not allocated yet. It would make its arena when it ends, which
  // frees the memory of std::thread. No step allocates, so this interrupts no allocation.
  void* volatile memory = std::malloc(1);  // volatile, or the compiler leaves both out
  std::free(memory);
  // To wait and to wake; then the calls that a thread needs to read a clock of the kernel, to
  // return from this handler, and to end.
  constexpr std::array kAllowed = {SYS_futex,           SYS_clock_gettime,  SYS_rt_sigreturn,
                                   SYS_restart_syscall, SYS_rt_sigprocmask, SYS_madvise,
                                   SYS_munmap,          SYS_exit,           SYS_exit_group};
  std::array<sock_filter, 2 * kAllowed.size() + 2> program{};
  std::size_t at = 0;
  program[at++] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  for (const long number : kAllowed) {
    program[at++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1);
    program[at++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }
  program[at++] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  const sock_fprog filter{static_cast<unsigned short>(at), program.data()};
  const bool good = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
  restricted.fetch_add(good ? 1 : 1000);
}

/// Restricts all threads but this thread and the supervisor; returns their number.
int RestrictWorkers() {
  struct sigaction action{};
  action.sa_handler = Restrict;
  action.sa_flags = SA_RESTART;
  EXPECT(sigaction(SIGUSR1, &action, nullptr) == 0);
  int workers = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const int number = std::stoi(task.path().filename());
    std::string name;
    std::ifstream(task.path() / "comm") >> name;
    if (number == getpid() || name == "vizdoom-engines") continue;
    EXPECT(syscall(SYS_tgkill, getpid(), number, SIGUSR1) == 0);
    ++workers;
  }
  const auto end = testing_envs::Clock::now() + std::chrono::seconds(60);
  while (restricted.load() < workers) {
    EXPECT(testing_envs::Clock::now() < end);
    sched_yield();
  }
  return workers;
}

/// Checks that the restriction has an effect.
void TestRestriction() {
  const pid_t child = fork();
  if (child == 0) {
    Restrict();
    syscall(SYS_getppid);
    _exit(0);
  }
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}

void Test(int batch_size, int threads, char** files) {
  const envpool::PoolOptions options{
      .num_envs = kEnvs, .batch_size = batch_size, .num_threads = threads};
  Pool pool(options, [files](auto& config) {
    config["cfg_path"_] = files[1];
    config["wad_path"_] = files[2];
    config["vzd_path"_] = files[3];
    config["iwad_path"_] = files[4];
    config["max_num_players"_] = 1;
  });
  pool->CheckSend(nullptr, kEnvs, Op::kReset);
  pool->Send(nullptr, kEnvs, Op::kReset);
  if (pool->options().synchronous()) pool->Release(*pool.Recv(true).batch);
  // Long enough for all threads to start and step.
  Play(*pool.operator->(), kRounds);
  const long before = allocations.load();
  Play(*pool.operator->(), kRounds);
  const long made = allocations.load() - before;
  if (made != 0) {
    std::fprintf(stderr, "batch_size %d: %ld allocations in %d rounds\n", batch_size, made,
                 kRounds);
    std::exit(1);
  }
  restricted = 0;
  EXPECT(RestrictWorkers() == threads && restricted.load() == threads);
  Play(*pool.operator->(), kRounds);
}

}  // namespace

int main(int count, char** files) {
  EXPECT(count == 5);
  const long before = allocations.load();
  std::vector<int> counted(10);
  EXPECT(allocations.load() == before + 1 && counted[9] == 0);
  TestRestriction();
  Test(kEnvs, kEnvs + 1, files);  // one of them has no reset to do
  Test(2, 2, files);
  return 0;
}
