// SPDX-License-Identifier: Apache-2.0
// libenvpool_mujoco-<version of MuJoCo>.so.1; the header describes it.
#include "envpool_mujoco/detail/log_handler.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace {

thread_local envpool_mujoco_receiver receiver_of_thread = nullptr;
std::atomic<mjfLogHandler> handler_before{nullptr};

void Handle(const mjLogMessage* message) {
  if (receiver_of_thread != nullptr) return receiver_of_thread(message);
  if (const mjfLogHandler before = handler_before.load()) before(message);
}

}  // namespace

extern "C" {

void envpool_mujoco_install() {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  const mjfLogHandler before = mju_setLogHandler(Handle);
  if (before != Handle) handler_before.store(before);
}

envpool_mujoco_receiver envpool_mujoco_receive(envpool_mujoco_receiver receiver) {
  return std::exchange(receiver_of_thread, receiver);
}

}  // extern "C"
