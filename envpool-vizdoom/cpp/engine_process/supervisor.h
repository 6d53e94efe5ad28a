// SPDX-License-Identifier: Apache-2.0
// Supervisor: the thread that starts all engines of this process, and is notified when one ends.
//
//   auto engine = Supervisor::Get().Start(program, arguments);
//   engine->from_engine.Receive(...)        // also receives kExited
//   engine->Kill();                         // or, for the next environment of the same kind:
//   Supervisor::Get().Park(kind, engine);
//
// The kernel kills an engine when the thread that started it ends. This thread lasts as long as the
// process. It starts programs by vfork, so that a process with much memory is not copied. It uses
// pidfds to learn of their ends, so that a program that waits for all children of the process
// causes no harm.
//
// A start takes 0.2 s of CPU time, so an unneeded engine is parked for two seconds: a reset with a
// new seed, or a new pool, continues with it.
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

/// A started engine, with its names and its folder; the destructor removes both.
class EngineProcess {
 public:
  /// Throws std::system_error, or Error(kConfig) if there is no room for the engine.
  EngineProcess(std::string id, std::filesystem::path folder);
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;
  ~EngineProcess();

  const std::string id;                ///< the end of its shared memory names
  const std::filesystem::path folder;  ///< working folder
  MessageQueue to_engine, from_engine;

  /// True if the engine has ended.
  bool ended() const;
  /// How the engine ended, for a message: "it was ended by signal 9".
  std::string ending() const;
  /// The process id, for tests and for messages.
  pid_t pid() const { return pid_; }
  /// Ends the engine, and waits until it has ended.
  void Kill();

 private:
  friend class Supervisor;
  /// Signals the engine to end, without waiting.
  void Signal();
  /// Checks whether the engine has ended; the supervisor calls it.
  bool Reap();

  mutable std::mutex mutex_;  // of the members below
  std::condition_variable has_ended_;
  pid_t pid_ = -1;
  int pidfd_ = -1;  // -1 if the kernel is older than 5.3
  bool ended_ = false;
  int status_ = -1;  // as of waitpid; -1: another part of the process received it
};

class Supervisor {
 public:
  /// The supervisor of this process.
  static Supervisor& Get();

  /// Starts `program` with these arguments and the names of its shared memory. Throws
  /// Error(kConfig) if there is no room for it, std::system_error if it cannot be started.
  std::shared_ptr<EngineProcess> Start(const std::string& program,
                                       const std::vector<std::string>& arguments);
  /// Keeps an engine for a while, then ends it. Unpark finds it by `kind`.
  void Park(const std::string& kind, std::shared_ptr<EngineProcess> engine);
  /// A parked engine of this kind; null if there is none.
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
  /// Ends engines that were parked too long; returns milliseconds until the next, or -1.
  int EndParked();
  void Wake() const;

  std::mutex mutex_;  // of the members below
  std::condition_variable served_;
  std::vector<std::shared_ptr<Request>> requests_;
  std::vector<std::shared_ptr<EngineProcess>> running_;
  std::vector<Parked> parked_;
  std::unique_ptr<EngineResources> resources_;
  int wake_ = -1;  // an eventfd
  int number_ = 0;
};

}  // namespace envpool::vizdoom
