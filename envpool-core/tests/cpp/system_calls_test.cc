// SPDX-License-Identifier: Apache-2.0
// Stepping asks nothing of the system: a thread in which every system call ends the process steps a
// pool. With a second thread, it may wake that one, or sleep until that one is done, and no more.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>

#include "../engine/envs/pole.h"
#include "support.h"

namespace testing_envs {
namespace {

// From here on a system call ends the process with SIGSYS, unless it is the end itself, or `futex`
// where that is allowed. The calling thread is meant. Reading the clock is no system call on
// machines whose clock can be read without one; elsewhere it is let pass.
void ForbidSystemCalls(bool futex) {
  std::vector<sock_filter> program{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  std::vector<unsigned> allowed{SYS_exit_group, SYS_clock_gettime};
  if (futex) allowed.push_back(SYS_futex);
  for (const unsigned number : allowed) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  EXPECT(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0);
}

// A worker that the first steps have started may still look for work, and would then take some.
void AwaitSleepOfOthers() {
  const auto deadline = Clock::now() + std::chrono::seconds(30);
  const std::string own = std::to_string(gettid());
  for (bool all_sleep = false; !all_sleep;) {
    EXPECT(Clock::now() < deadline);
    all_sleep = true;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      if (task.path().filename() == own) continue;
      std::string stat;
      std::getline(std::ifstream(task.path() / "stat"), stat);
      all_sleep = all_sleep && stat.substr(stat.rfind(')') + 2, 1) == "S";
    }
  }
}

/// How a child ends that runs `work` and then leaves with 0: its status as of waitpid.
template <typename Work>
int StatusOfChild(const Work& work) {
  const pid_t child = fork();
  EXPECT(child >= 0);
  if (child == 0) {
    work();
    syscall(SYS_exit_group, 0);
  }
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child);
  return status;
}

int StatusOfSteps(const envpool::PoolOptions& options) {
  return StatusOfChild([&] {
    TestPool<Pole> pool(options);
    pool->CheckSend(nullptr, options.num_envs, Op::kReset);
    pool->Send(nullptr, options.num_envs, Op::kReset);
    pool->Release(*pool->Recv(true, [] {}).batch);
    Play(*pool.operator->(), 300);  // until all threads and batches are there
    AwaitSleepOfOthers();
    ForbidSystemCalls(options.num_threads > 1);
    Play(*pool.operator->(), 2000);
    syscall(SYS_exit_group, 0);  // the pool's end would need more
  });
}

}  // namespace
}  // namespace testing_envs

int main() {
// A sanitizer's own work needs the system; the program is also run without one.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  using testing_envs::StatusOfChild, testing_envs::StatusOfSteps;
  const int refused = StatusOfChild([] {
    testing_envs::ForbidSystemCalls(true);
    getppid();
  });
  EXPECT(WIFSIGNALED(refused) && WTERMSIG(refused) == SIGSYS);
  for (const int num_envs : {1, 8, 200, 1024}) {
    EXPECT(StatusOfSteps({.num_envs = num_envs, .batch_size = num_envs, .num_threads = 1}) == 0);
    EXPECT(StatusOfSteps({.num_envs = num_envs, .batch_size = num_envs, .num_threads = 2}) == 0);
  }
#endif
  return 0;
}
