// SPDX-License-Identifier: Apache-2.0
// The handling of errors after which the engine cannot continue.
#pragma once

namespace envpool::gfootball {

/// Throws a std::runtime_error with the failed condition and its place. While a game is destroyed
/// it returns, since destructors must not throw.
void Fault(const char* what, const char* file, int line);

}  // namespace envpool::gfootball
