// SPDX-License-Identifier: Apache-2.0
#include "engine_process/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "envpool/error.h"
#include "envpool/fork_local.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

namespace envpool::vizdoom {
namespace {

using namespace std::chrono_literals;
using envpool::Error;
using envpool::ErrorKind;
using Clock = std::chrono::steady_clock;

constexpr auto kStartTimeout = 60s;  // the thread normally serves a request within milliseconds
constexpr auto kParked = 2s;
constexpr auto kEndTimeout = 10s;      // a killed process ends in milliseconds
constexpr int kPollMilliseconds = 20;  // without pidfds

std::system_error SystemError(const std::string& what) {
  return {errno, std::generic_category(), what};
}

}  // namespace

struct Supervisor::Request {
  std::shared_ptr<EngineProcess> engine;
  std::string program;
  std::vector<std::string> arguments;
  int error = 0;
  bool done = false;
};

EngineProcess::EngineProcess(std::string name, std::filesystem::path where)
    : id(std::move(name)),
      folder(std::move(where)),
      to_engine("/ViZDoomMQDoom" + id),
      from_engine("/ViZDoomMQCtr" + id) {}

EngineProcess::~EngineProcess() {
  if (pidfd_ >= 0) close(pidfd_);
  shm_unlink(("/ViZDoomSM" + id).c_str());  // the name that the engine made
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

bool EngineProcess::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

std::string EngineProcess::ending() const {
  const std::lock_guard lock(mutex_);
  if (!ended_) return "it is still there";
  if (status_ == -1) return "it ended";
  if (WIFSIGNALED(status_)) return "it was ended by signal " + std::to_string(WTERMSIG(status_));
  return "it exited with status " + std::to_string(WEXITSTATUS(status_));
}

void EngineProcess::Kill() {
  Signal();
  std::unique_lock lock(mutex_);
  if (pid_ >= 0) has_ended_.wait_for(lock, kEndTimeout, [&] { return ended_; });
}

void EngineProcess::Signal() {
  const std::lock_guard lock(mutex_);
  if (ended_ || pid_ < 0) return;
  // By the pidfd: the process id may belong to another process after a wait for it.
  if (pidfd_ < 0 || syscall(SYS_pidfd_send_signal, pidfd_, SIGKILL, nullptr, 0) != 0) {
    kill(pid_, SIGKILL);
  }
}

bool EngineProcess::Reap() {
  {
    const std::lock_guard lock(mutex_);
    int status = -1;
    const pid_t found = waitpid(pid_, &status, WNOHANG);
    if (found == 0) return false;
    status_ = found == pid_ ? status : -1;
    ended_ = true;
  }
  has_ended_.notify_all();
  from_engine.Send(MessageCode::kExited);  // wakes the thread that waits for the engine
  return true;
}

Supervisor& Supervisor::Get() { return envpool::ForkLocal<Supervisor>::Get(); }

std::shared_ptr<EngineProcess> Supervisor::Start(const std::string& program,
                                                 const std::vector<std::string>& arguments) {
  auto request = std::make_shared<Request>();
  std::unique_lock lock(mutex_);
  if (resources_ == nullptr) Open();
  const int number = number_++;
  try {
    request->engine = std::make_shared<EngineProcess>(resources_->EngineId(number),
                                                      resources_->MakeFolder(number));
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::kConfig, "shared memory for a ViZDoom engine",
                std::string("'") + error.what() + "'", "room in /dev/shm, 2 MB for each engine",
                "make it larger, in Docker by --shm-size=1g, or make fewer environments");
  }
  request->program = program;
  request->arguments = arguments;
  request->arguments.insert(request->arguments.end(),
                            {"+viz_instance_id", request->engine->id, "-config", "/dev/null"});
  requests_.push_back(request);
  Wake();
  if (!served_.wait_for(lock, kStartTimeout, [&] { return request->done; })) {
    std::erase(requests_, request);  // else an engine without an owner would start
    throw std::system_error(ETIMEDOUT, std::generic_category(), "starting " + program);
  }
  if (request->error != 0) {
    throw std::system_error(request->error, std::generic_category(), "starting " + program);
  }
  return request->engine;
}

void Supervisor::Park(const std::string& kind, std::shared_ptr<EngineProcess> engine) {
  {
    const std::lock_guard lock(mutex_);
    parked_.push_back({kind, std::move(engine), Clock::now() + kParked});
  }
  Wake();
}

std::shared_ptr<EngineProcess> Supervisor::Unpark(const std::string& kind) {
  const std::lock_guard lock(mutex_);
  for (auto parked = parked_.begin(); parked != parked_.end(); ++parked) {
    if (parked->kind != kind || parked->engine->ended()) continue;
    auto engine = parked->engine;
    parked_.erase(parked);
    return engine;
  }
  return nullptr;
}

int Supervisor::EndParked() {
  const auto now = Clock::now();
  auto next = Clock::time_point::max();
  std::erase_if(parked_, [&](const Parked& parked) {
    if (parked.until <= now) {
      parked.engine->Signal();
      return true;
    }
    next = std::min(next, parked.until);
    return false;
  });
  if (parked_.empty()) return -1;
  return 1 + static_cast<int>(
                 std::chrono::duration_cast<std::chrono::milliseconds>(next - now).count());
}

void Supervisor::Wake() const {
  const std::uint64_t one = 1;
  // The write fails only if the thread is awake already: the counter is at its end.
  static_cast<void>(!write(wake_, &one, sizeof(one)));
}

void Supervisor::Open() {
  auto resources = std::make_unique<EngineResources>();
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_ < 0) throw SystemError("eventfd");
  // Signals go to the other threads; engines must not inherit this mask.
  sigset_t all{}, before{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([this] { Run(); }).detach();
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  resources_ = std::move(resources);
  static const bool registered = std::atexit([] { Get().KillAll(); }) == 0;
  static_cast<void>(registered);
}

void Supervisor::Run() {
  pthread_setname_np(pthread_self(), "vizdoom-engines");
  std::vector<pollfd> polled;
  for (;;) {
    polled.assign(1, {wake_, POLLIN, 0});
    int timeout = -1;
    {
      const std::lock_guard lock(mutex_);
      timeout = EndParked();
      for (const auto& engine : running_) {
        if (engine->pidfd_ >= 0) {
          polled.push_back({engine->pidfd_, POLLIN, 0});
        } else {
          timeout = kPollMilliseconds;
        }
      }
    }
    poll(polled.data(), polled.size(), timeout);
    std::uint64_t ignored = 0;
    static_cast<void>(!read(wake_, &ignored, sizeof(ignored)));
    std::vector<std::shared_ptr<EngineProcess>> ended;  // destroyed without the lock
    {
      const std::lock_guard lock(mutex_);
      for (const auto& request : std::exchange(requests_, {})) {
        Launch(*request);
        if (request->error == 0) running_.push_back(request->engine);
        request->done = true;
      }
      const auto first = std::stable_partition(running_.begin(), running_.end(),
                                               [](const auto& engine) { return !engine->Reap(); });
      ended.assign(first, running_.end());
      running_.erase(first, running_.end());
    }
    served_.notify_all();
  }
}

void Supervisor::KillAll() noexcept {
  const std::lock_guard lock(mutex_);
  if (resources_ == nullptr) return;
  for (const auto& engine : running_) kill(engine->pid_, SIGKILL);
  resources_->Remove();
}

void Supervisor::Launch(Request& request) {
  std::vector<char*> arguments{request.program.data()};
  for (std::string& argument : request.arguments) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  const char* const program = request.program.c_str();
  const char* const folder = request.engine->folder.c_str();
  const pid_t parent = getpid();
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  // The child shares our memory until exec: we read `error`, which the child writes.
  volatile int error = 0;
  const pid_t child = vfork();  // NOLINT: fork would copy the page tables of gigabytes
  if (child == 0) {
    const auto require = [&](bool good) {
      if (good) return;
      error = errno;
      _exit(127);
    };
    require(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
    if (getppid() != parent) _exit(127);  // the parent ended before the child set its death signal
    setpgid(0, 0);                        // Ctrl-C goes to Python only
    for (int number = 1; number < NSIG; ++number) {
      struct sigaction action{};
      if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_DFL) {
        action = {};
        action.sa_handler = SIG_DFL;
        sigaction(number, &action, nullptr);
      }
    }
    sigset_t none{};
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int file = 0; file < 3; ++file) require(dup2(nothing, file) >= 0);
    constexpr unsigned kCloseOnExec = 4;
    syscall(SYS_close_range, 3U, ~0U, kCloseOnExec);  // older than Linux 5.11: some stay open
    require(chdir(folder) == 0);
    execv(program, arguments.data());
    require(false);
  }
  request.error = child < 0 ? errno : error;
  if (nothing >= 0) close(nothing);
  EngineProcess& engine = *request.engine;
  engine.pid_ = child;
  if (child < 0) return;
  if (error != 0) {
    waitpid(child, nullptr, 0);
    return;
  }
  engine.pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
}

}  // namespace envpool::vizdoom
