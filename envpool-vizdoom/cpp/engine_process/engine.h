// SPDX-License-Identifier: Apache-2.0
// Engine: a running ViZDoom, one message after the other.
//
//   Engine engine({"/…/vizdoom", {"-iwad", wad, "+map", "map01"}}, 30s);
//   engine.Do(MessageCode::kTicAndUpdate);
//   engine.game().map_tic
//
// With several engines, Send to all and then Await all lets them play a tic at the same time.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine_process/supervisor.h"
#include "protocol/engine_memory.h"

namespace envpool::vizdoom {

/// The error of an engine that ended, does not answer, or reports an error.
struct EngineFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Engine {
 public:
  /// Starts a program; call Open before other calls. Engines that wait for each other must all be
  /// started before the first Open. Throws what Supervisor::Start throws.
  Engine(const std::string& program, const std::vector<std::string>& arguments,
         std::chrono::nanoseconds timeout);
  /// Continues with a parked engine.
  Engine(std::shared_ptr<EngineProcess> parked, std::chrono::nanoseconds timeout);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  /// Ends the engine.
  ~Engine();

  /// Waits until the engine has started. Throws EngineFailure, or Error(kConfig) if /dev/shm is
  /// full.
  void Open();

  /// Keeps the engine, which must be waiting for messages, for another game with the same `kind`.
  /// This object must not be used afterwards.
  void Park(const std::string& kind) { Supervisor::Get().Park(kind, std::move(process_)); }

  /// Throws EngineFailure.
  void Send(MessageCode code, std::string_view text = {});
  /// Waits until the engine has done the last message's work. Throws EngineFailure.
  void Await();
  void Do(MessageCode code) {
    Send(code);
    Await();
  }
  void Command(std::string_view text) { Send(MessageCode::kCommand, text); }

  const GameState& game() const { return memory_->game(); }
  const Counters& counters() const { return memory_->counters(); }
  Buttons& buttons() { return memory_->buttons(); }
  const EngineMemory& memory() const { return *memory_; }
  const std::filesystem::path& folder() const { return process_->folder; }
  pid_t pid() const { return process_->pid(); }

 private:
  void Map();
  void Await(std::chrono::nanoseconds timeout);

  std::shared_ptr<EngineProcess> process_;
  std::optional<EngineMemory> memory_;
  const std::chrono::nanoseconds timeout_;
};

}  // namespace envpool::vizdoom
