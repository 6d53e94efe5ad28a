// SPDX-License-Identifier: Apache-2.0
// The number that a compiled family and the Python side must agree on. It grows when the contract
// between them changes.
#pragma once

namespace envpool {
inline constexpr int kApiVersion = 2;  ///< compared by `make` when a family is loaded
}  // namespace envpool
