// SPDX-License-Identifier: Apache-2.0
// The single owner of MuJoCo's log handler in a process, for all families that use the library.
//
// MuJoCo has one handler per process. Two families with a handler each would pass every message to
// each other for ever, so the handler belongs to a small library beside libmujoco,
// libenvpool_mujoco-<version of MuJoCo>.so.1, which is loaded once. Its interface is C: no C++ type
// is passed between families.
#pragma once

#include <mujoco/mujoco.h>

extern "C" {

/// The receiver of a thread's messages. It may throw.
typedef void (*envpool_mujoco_receiver)(const mjLogMessage*);

/// Installs this library's handler, unless it is installed. Other handlers may have been set since;
/// messages of threads without a receiver are passed on to them.
void envpool_mujoco_install();
/// Sets the receiver of this thread's messages, and returns the previous receiver.
envpool_mujoco_receiver envpool_mujoco_receive(envpool_mujoco_receiver receiver);

}  // extern "C"
