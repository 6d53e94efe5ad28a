// SPDX-License-Identifier: Apache-2.0
// glibc's checks take longjmp from a coroutine's stack to the thread's stack for a jump to a frame
// that is gone.
#undef _FORTIFY_SOURCE
#include "library/fault_guard.h"

#include <signal.h>

#include <cstddef>
#include <memory>

namespace envpool::nethack {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr std::size_t kCount = std::size(kSignals);
struct sigaction before[kCount];

void PassOn(int signal, siginfo_t* info, void* context) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (kSignals[i] != signal) continue;
    const struct sigaction& former = before[i];
    if ((former.sa_flags & SA_SIGINFO) != 0) {
      former.sa_sigaction(signal, info, context);
    } else if (former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN) {
      former.sa_handler(signal);
    } else {
      // Default action: the signal is raised again at once.
      sigaction(signal, &former, nullptr);
      raise(signal);
    }
  }
}

void OnFault(int signal, siginfo_t* info, void* context) {
  // A signal that another process sent is not a fault of the game.
  if (FaultGuard* const guard = FaultGuard::active(); guard != nullptr && info->si_code > 0) {
    guard->Leave();
  }
  PassOn(signal, info, context);
}

void InstallHandlers() {
  static const bool installed = [] {
    struct sigaction action{};
    action.sa_sigaction = OnFault;
    // Not blocked while it runs: the handler is left by a jump that restores no mask.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (std::size_t i = 0; i < kCount; ++i) sigaction(kSignals[i], &action, &before[i]);
    return true;
  }();
  static_cast<void>(installed);
}

// The stack of a thread's signal handlers. If the thread has one, it is kept.
class HandlerStack {
 public:
  HandlerStack() {
    stack_t present{};
    if (sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
    memory_ = std::make_unique<char[]>(kSize);
    stack_t stack{};
    stack.ss_sp = memory_.get();
    stack.ss_size = kSize;
    sigaltstack(&stack, nullptr);
  }
  HandlerStack(const HandlerStack&) = delete;
  HandlerStack& operator=(const HandlerStack&) = delete;
  ~HandlerStack() {
    if (memory_ == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }

 private:
  static constexpr std::size_t kSize = std::size_t{64} << 10;
  std::unique_ptr<char[]> memory_;
};

}  // namespace

thread_local FaultGuard* FaultGuard::active_ = nullptr;

void FaultGuard::PrepareThread() {
  InstallHandlers();
  thread_local const HandlerStack stack;
  static_cast<void>(stack);
}

void FaultGuard::Leave() {
  active_ = nullptr;
  siglongjmp(back_, 1);
}

}  // namespace envpool::nethack
