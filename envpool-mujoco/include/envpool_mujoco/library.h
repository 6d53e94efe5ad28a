// SPDX-License-Identifier: Apache-2.0
// MuJoCo's library as a guest in this process: its messages become exceptions; it never ends the
// process, prints, or writes a log file.
//
//   const LibraryCall call;          // in the thread that calls MuJoCo, during the calls
//   mj_step(&model, data);           // throws MujocoError for an error that would call exit(1)
//
// The handler of log messages is shared by all users of the library in this process: other
// families, and the Python package `mujoco` of the same version. Messages of threads without a
// LibraryCall are passed on to the previous handler.
#pragma once

#include <mujoco/mujoco.h>

#include <stdexcept>
#include <string>

#include "envpool_mujoco/detail/log_handler.h"

namespace envpool::mujoco {

/// An error of MuJoCo: a model or a state with which it cannot continue.
class MujocoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {
inline void Receive(const mjLogMessage* message) {
  // Warnings are counted in mjData, and read from there.
  if (message->level != mjLOG_ERROR) return;
  std::string text = message->subject;
  if (message->body != nullptr) text += std::string("\n") + message->body;
  throw MujocoError(text);
}
}  // namespace detail

/// Installs our handler of log messages, unless it is installed. Others may have set theirs since.
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
