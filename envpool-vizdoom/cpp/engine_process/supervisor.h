// SPDX-License-Identifier: Apache-2.0
// Supervisor: the thread that starts all engines of this process, and hears when one ends.
//
//   auto engine = Supervisor::Get().Start(program, arguments);
//   engine->from_engine.Receive(...)        // kExited comes here, too
//   engine->Kill();                         // or, for the next environment that wants such a one:
//   Supervisor::Get().Park(kind, engine);
//
// An engine is killed by the kernel when the thread ends that started it: that is this thread,
// which lasts as long as the process. It starts programs by vfork, so that a process with much
// memory is not copied, and hears of their end by pidfds, so that whoever waits for all children of
// the process disturbs nothing.
//
// A start takes 0.2 s of CPU time, so an engine that is not needed any more is parked for two
// seconds: a reset with a new seed, or a pool that is made anew, goes on with it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine_process/engine_resources.h"
#include "envpool/fork_local.h"
#include "protocol/message_queue.h"

namespace envpool::vizdoom {

/// An engine that was started, with what belongs to it. Its names and its folder go with it.
class EngineProcess {
 public:
  /// Throws std::system_error, or Error(kConfig), when there is no room for it.
  EngineProcess(std::string id, std::filesystem::path folder);
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;
  ~EngineProcess();

  const std::string id;                ///< what names of shared memory end with
  const std::filesystem::path folder;  ///< where it works
  MessageQueue to_engine, from_engine;

  /// Whether it has ended.
  bool ended() const;
  /// How it ended, for a message: "it was ended by signal 9".
  std::string ending() const;
  /// Its number, for tests and for people.
  pid_t pid() const { return pid_; }
  /// Ends it, and waits until it has ended.
  void Kill();

 private:
  friend class Supervisor;
  /// Tells it to end, without waiting.
  void Signal();
  /// Looks whether it has ended; the supervisor asks.
  bool Reap();

  mutable std::mutex mutex_;  // of the rest
  std::condition_variable has_ended_;
  pid_t pid_ = -1;
  int pidfd_ = -1;  // none where the kernel is older than 5.3
  bool ended_ = false;
  int status_ = -1;  // as of waitpid; -1: somebody else heard of it
};

class Supervisor {
 public:
  /// The one of this process.
  static Supervisor& Get();

  /// Starts `program` with these arguments and those that name its shared memory. Throws
  /// Error(kConfig) when there is no room for it, std::system_error when it cannot be started.
  std::shared_ptr<EngineProcess> Start(const std::string& program,
                                       const std::vector<std::string>& arguments);
  /// Keeps an engine for a while, and ends it then. `kind` says what it can be used for.
  void Park(const std::string& kind, std::shared_ptr<EngineProcess> engine);
  /// An engine of this kind that was parked; none if there is none.
  std::shared_ptr<EngineProcess> Unpark(const std::string& kind);

 private:
  friend class envpool::ForkLocal<Supervisor>;
  struct Request;
  struct Parked {
    std::string kind;
    std::shared_ptr<EngineProcess> engine;
    std::chrono::steady_clock::time_point until;
  };
  Supervisor() = default;

  void Open();
  [[noreturn]] void Run();
  void KillAll() noexcept;
  static void Launch(Request& request);
  /// Ends engines that nobody has wanted; returns milliseconds until the next, -1: there is none.
  int EndParked();
  void Wake() const;

  std::mutex mutex_;  // of the rest
  std::condition_variable served_;
  std::vector<std::shared_ptr<Request>> requests_;
  std::vector<std::shared_ptr<EngineProcess>> running_;
  std::vector<Parked> parked_;
  std::unique_ptr<EngineResources> resources_;
  int wake_ = -1;  // an eventfd
  int number_ = 0;
};

}  // namespace envpool::vizdoom
