// SPDX-License-Identifier: Apache-2.0
// MessageQueue: one direction of the communication with a ViZDoom engine, in shared memory.
//
//   MessageQueue to_engine("/ViZDoomMQDoom" + id);
//   to_engine.Send(MessageCode::kTic);
//   if (auto message = from_engine.Receive(200ms)) ...
//
// The engine's side is a message_queue of Boost.Interprocess, so the memory has Boost's layout on
// 64-bit Linux: a state word, a header with a mutex and two condition variables, a ring of pointers
// that are relative to themselves, and 64 messages of 129 bytes. The engine waits without a limit;
// this side never does, because an engine may die while it holds the mutex.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/shared_memory.h"

namespace envpool::vizdoom {

/// The meaning of a message.
enum class MessageCode : std::uint8_t {
  kDone = 11,          ///< from the engine: it has started, or has done a message's work
  kClosed = 12,        ///< from the engine: it is about to exit
  kError = 13,         ///< from the engine, with a text: it is about to exit
  kExited = 14,        ///< from the supervisor, for an engine that has ended
  kTic = 21,           ///< play a tic
  kUpdate = 22,        ///< draw, and write the state
  kTicAndUpdate = 23,  ///< both
  kCommand = 24,       ///< a line of the console; not answered
  kClose = 25,         ///< exit
};

struct Message {
  MessageCode code;
  std::string text;
};

class MessageQueue {
 public:
  static constexpr std::size_t kMostText = 127;  ///< characters of a message

  /// Makes the queue `name`, which begins with a slash. Throws std::system_error if there is no
  /// room.
  explicit MessageQueue(const std::string& name);

  /// Sends a message. Returns false if the queue is full or locked for ever, as by a dead engine.
  /// Throws std::length_error for a text of more than kMostText characters.
  bool Send(MessageCode code, std::string_view text = {});
  /// Waits for a message; no value after the timeout.
  std::optional<Message> Receive(std::chrono::nanoseconds timeout);

 private:
  /// The next message, if it has arrived.
  std::optional<Message> Take();
  /// Makes read slots usable again.
  void GiveBack();

  SharedMemory memory_;
  std::uint64_t next_;       // the slot of the next message
  std::uint64_t taken_ = 0;  // number of slots before it that have not been given back
  // For waiting. A wait with the queue's own mutex would lock it again at its end, and would never
  // return if the engine was stopped while it held the mutex. No other process receives.
  std::mutex waiting_;
};

}  // namespace envpool::vizdoom
