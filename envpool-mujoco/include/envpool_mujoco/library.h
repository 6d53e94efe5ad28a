// SPDX-License-Identifier: Apache-2.0
// MuJoCo's library as a guest in this process: what it has to say becomes exceptions, it never ends
// the process, prints, or writes a log file.
//
//   const LibraryCall call;          // in the thread that calls MuJoCo, for as long as it does
//   mj_step(&model, data);           // throws MujocoError where MuJoCo would have called exit(1)
//
// The handler of log messages is one for all that use the library in this process: other families,
// and the Python package `mujoco` of the same version. Messages of threads that are in no
// LibraryCall go on to the handler that was there before.
#pragma once

#include <mujoco/mujoco.h>

#include <stdexcept>
#include <string>

#include "envpool_mujoco/detail/log_handler.h"

namespace envpool::mujoco {

/// What MuJoCo calls an error: a model or a state that it cannot go on with.
class MujocoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {
inline void Receive(const mjLogMessage* message) {
  // Warnings are counted in mjData, from where they are read.
  if (message->level != mjLOG_ERROR) return;
  std::string text = message->subject;
  if (message->body != nullptr) text += std::string("\n") + message->body;
  throw MujocoError(text);
}
}  // namespace detail

/// Makes ours the handler of log messages, unless it is. Others may have set theirs since.
inline void InstallLogHandler() { envpool_mujoco_install(); }

/// Marks this thread as one that calls MuJoCo for us.
class LibraryCall {
 public:
  LibraryCall() : before_(envpool_mujoco_receive(detail::Receive)) {}
  ~LibraryCall() { envpool_mujoco_receive(before_); }
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;

 private:
  const envpool_mujoco_receiver before_;
};

}  // namespace envpool::mujoco
