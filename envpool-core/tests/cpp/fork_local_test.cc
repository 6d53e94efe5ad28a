// SPDX-License-Identifier: Apache-2.0
// ForkLocal: what is shared is made once in a process, however many threads ask at once, and made
// anew in one that is forked from it, where the parent's lock stays as it was.
#include <envpool/fork_local.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "support.h"

namespace testing_envs {
namespace {

struct Shared {
  Shared() { ++made; }
  static inline std::atomic<int> made{0};
  std::mutex mutex;
  int number = 0;
};

Shared& Get() { return envpool::ForkLocal<Shared>::Get(); }

void Main() {
  constexpr int kThreads = 4;
  std::vector<Shared*> found(kThreads);
  std::vector<std::thread> threads;
  for (Shared*& place : found) threads.emplace_back([&place] { place = &Get(); });
  for (std::thread& thread : threads) thread.join();
  for (const Shared* one : found) EXPECT(one == &Get());
  EXPECT(Shared::made == 1);

  Get().number = 7;
  const std::scoped_lock held(Get().mutex);
  const pid_t child = fork();
  EXPECT(child >= 0);
  if (child == 0) {
    EXPECT(Shared::made == 2);
    EXPECT(Get().mutex.try_lock());
    EXPECT(Get().number == 0);
    _exit(0);
  }
  int status = 1;
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  EXPECT(Get().number == 7 && Shared::made == 1);
}

}  // namespace
}  // namespace testing_envs

int main() { testing_envs::Main(); }
