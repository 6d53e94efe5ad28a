// SPDX-License-Identifier: Apache-2.0
// BuildInParallel: makes the environments of a pool, by several threads where that takes long.
//
//   BuildInParallel(options, [&](int env_id) { ... });
#pragma once

#include <functional>

#include "envpool/engine/pool_options.h"

namespace envpool {

/// Calls `build_one` for every environment, by up to num_threads threads at a time. When one
/// throws, others are not begun any more; throws its Error(kConfig), or Error(kWorker) for what
/// else it threw. What was built is the caller's to destroy.
void BuildInParallel(const PoolOptions& options, const std::function<void(int env_id)>& build_one);

}  // namespace envpool
