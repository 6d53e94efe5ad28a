// SPDX-License-Identifier: Apache-2.0
#include "engine_process/engine.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "envpool/error.h"

namespace envpool::vizdoom {
namespace {

using namespace std::chrono_literals;

constexpr auto kStartTimeout = 60s;  // a start takes 0.2 s, but hundreds may start at once
constexpr std::chrono::nanoseconds kSlice = 250ms;
constexpr std::uintmax_t kRoom = 2 << 20;  // bytes of /dev/shm, far more than an engine needs

[[noreturn]] void RefuseRoom(const std::string& found) {
  throw envpool::Error(envpool::ErrorKind::kConfig, "shared memory for a ViZDoom engine",
                       "'" + found + "'", "room in /dev/shm, 2 MB for each engine",
                       "make it larger, in Docker by --shm-size=1g, or make fewer environments");
}

}  // namespace

Engine::Engine(const std::string& program, const std::vector<std::string>& arguments,
               std::chrono::nanoseconds timeout)
    : process_(Supervisor::Get().Start(program, arguments)), timeout_(timeout) {}

Engine::Engine(std::shared_ptr<EngineProcess> parked, std::chrono::nanoseconds timeout)
    : process_(std::move(parked)), timeout_(timeout) {
  Map();
}

Engine::~Engine() {
  if (process_ != nullptr) process_->Kill();
}

void Engine::Open() {
  try {
    Await(std::max<std::chrono::nanoseconds>(timeout_, kStartTimeout));
  } catch (const EngineFailure& failure) {
    // If an engine finds no room for its own shared memory, the system kills it without a message.
    struct statvfs shm{};
    if (statvfs("/dev/shm", &shm) != 0) throw;
    const std::uintmax_t left = std::uintmax_t{shm.f_bavail} * shm.f_frsize;
    if (left >= kRoom) throw;
    RefuseRoom(std::string(failure.what()) + ", with " + std::to_string(left >> 10) +
               " kB left in /dev/shm");
  }
  Map();
}

void Engine::Map() {
  try {
    memory_.emplace("/ViZDoomSM" + process_->id);
  } catch (const std::system_error& error) {
    if (error.code().value() != ENOSPC) throw EngineFailure(error.what());
    RefuseRoom(error.what());
  } catch (const std::runtime_error& error) {
    throw EngineFailure(error.what());
  }
}

void Engine::Send(MessageCode code, std::string_view text) {
  if (!process_->to_engine.Send(code, text)) {
    throw EngineFailure("the engine does not read its messages: " + process_->ending());
  }
}

void Engine::Await() { Await(timeout_); }

// The timeout counts the time of waiting, slice by slice, not the clock: if this process is stopped
// together with the engine, as in a paused container, at most one slice counts.
void Engine::Await(std::chrono::nanoseconds timeout) {
  for (std::chrono::nanoseconds left = timeout;; left -= kSlice) {
    const auto message = process_->from_engine.Receive(std::min(left, kSlice));
    if (!message) {
      // Its last message may say that it has ended, and may not have arrived.
      if (process_->ended()) throw EngineFailure(process_->ending());
      if (left > kSlice) continue;
      throw EngineFailure(
          "no answer in " +
          std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count()) +
          " ms");
    }
    switch (message->code) {
      case MessageCode::kDone:
        return;
      case MessageCode::kError:
        throw EngineFailure("it says: " + message->text);
      case MessageCode::kExited:
        throw EngineFailure(process_->ending());
      case MessageCode::kClosed:
        throw EngineFailure("it is about to exit");
      default:
        throw EngineFailure("a message of kind " + std::to_string(static_cast<int>(message->code)) +
                            ", which ViZDoom 1.3 does not send");
    }
  }
}

}  // namespace envpool::vizdoom
