// SPDX-License-Identifier: Apache-2.0
// The number of this interface. It is compiled into every family that is built on envpool-mujoco,
// and compared when that family's module is imported.
#pragma once

namespace envpool::mujoco {

/// Grows when a family has to be built again: when the C functions of detail/log_handler.h change,
/// or what RegisterFamily and `envpool_mujoco.family` ask of each other.
inline constexpr int kApi = 1;

}  // namespace envpool::mujoco
