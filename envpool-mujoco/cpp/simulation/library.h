// SPDX-License-Identifier: Apache-2.0
// MuJoCo's library as a guest in this process: what it has to say becomes exceptions, it never ends
// the process, prints, or writes a log file.
//
//   const LibraryCall call;          // in the thread that calls MuJoCo, for as long as it does
//   mj_step(&model, data);           // throws MujocoError where MuJoCo would have called exit(1)
//
// The handler of log messages is one for all that use the library in this process, as the Python
// package `mujoco` of the same version does. Messages of threads that are in no LibraryCall go on
// to the handler that was there before.
#pragma once

#include <mujoco/mujoco.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>

namespace mujoco {

/// What MuJoCo calls an error: a model or a state that it cannot go on with.
class MujocoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {
// Its address is known when the library is loaded, so that no call of a step has to look for it.
[[gnu::tls_model("initial-exec")]] inline thread_local int calls_of_ours = 0;
inline std::atomic<mjfLogHandler> handler_before{nullptr};

inline void Handle(const mjLogMessage* message) {
  if (calls_of_ours == 0) {
    if (const mjfLogHandler before = handler_before.load()) before(message);
    return;
  }
  // Warnings are counted in mjData, from where they are read.
  if (message->level != mjLOG_ERROR) return;
  std::string text = message->subject;
  if (message->body != nullptr) text += std::string("\n") + message->body;
  throw MujocoError(text);
}
}  // namespace detail

/// Makes ours the handler of log messages, unless it is. Others may have set theirs since.
inline void InstallLogHandler() {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  const mjfLogHandler before = mju_setLogHandler(detail::Handle);
  if (before != detail::Handle) detail::handler_before.store(before);
}

/// Marks this thread as one that calls MuJoCo for us.
class LibraryCall {
 public:
  LibraryCall() { ++detail::calls_of_ours; }
  ~LibraryCall() { --detail::calls_of_ours; }
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;
};

}  // namespace mujoco
