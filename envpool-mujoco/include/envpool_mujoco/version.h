// SPDX-License-Identifier: Apache-2.0
// The number of this interface. Every family that is built on envpool-mujoco contains it, and it is
// compared when the family's module is imported.
#pragma once

namespace envpool::mujoco {

/// Grows if families must be built again: if the C functions of detail/log_handler.h change, or the
/// interface between RegisterFamily and `envpool_mujoco.family`.
inline constexpr int kApi = 1;

}  // namespace envpool::mujoco
