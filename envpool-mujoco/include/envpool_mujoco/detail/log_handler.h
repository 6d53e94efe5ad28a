// SPDX-License-Identifier: Apache-2.0
// The one owner of MuJoCo's log handler in a process, for all families that use the library.
//
// MuJoCo has one handler for everybody. Two families with a handler each would hand every message
// to each other for ever, so it belongs to a small library beside libmujoco,
// libenvpool_mujoco-<version of MuJoCo>.so.1, which is loaded once. It is spoken to in C: no type
// of C++ goes from one family to another.
#pragma once

#include <mujoco/mujoco.h>

extern "C" {

/// Who gets the messages of a thread. It may throw.
typedef void (*envpool_mujoco_receiver)(const mjLogMessage*);

/// Makes this library's the handler, unless it is. Others may have set theirs since; messages of
/// threads that nobody receives go on to it.
void envpool_mujoco_install();
/// From now on the messages of this thread go to `receiver`; who got them before is returned.
envpool_mujoco_receiver envpool_mujoco_receive(envpool_mujoco_receiver receiver);

}  // extern "C"
