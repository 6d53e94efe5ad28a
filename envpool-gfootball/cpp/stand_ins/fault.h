// SPDX-License-Identifier: Apache-2.0
// What the engine does where it cannot go on.
#pragma once

namespace envpool::gfootball {

/// Throws a std::runtime_error that says what failed and where. While a game is torn down it
/// returns, since destructors may not throw.
void Fault(const char* what, const char* file, int line);

}  // namespace envpool::gfootball
