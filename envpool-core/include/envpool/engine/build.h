// SPDX-License-Identifier: Apache-2.0
// BuildInParallel: makes the environments of a pool, by several threads where that takes long.
//
//   BuildInParallel(options, [&](int env_id) { ... }, check_signals);
#pragma once

#include <functional>

#include "envpool/engine/pool_options.h"

namespace envpool {

/// Calls `build_one` for every environment, by up to num_threads threads at a time, two for each
/// CPU at most. After an exception no further environment is begun. Throws that exception if it is
/// an Error(kConfig), else an Error(kWorker). `check_signals` is called by this thread about every
/// 50 ms, between two environments, and once before an error is thrown; its exception ends the
/// building and takes precedence. The caller destroys the environments that were built.
void BuildInParallel(const PoolOptions& options, const std::function<void(int env_id)>& build_one,
                     const std::function<void()>& check_signals);

}  // namespace envpool
