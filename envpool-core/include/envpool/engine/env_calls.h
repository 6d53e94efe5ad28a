// SPDX-License-Identifier: Apache-2.0
// CallEnvs: the answers of environments to requests of their family. Several threads ask if it
// takes long.
//
//   std::vector<std::string> answers = CallEnvs(envs, options, ids, requests, check_signals);
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "envpool/engine/env_array.h"
#include "envpool/engine/pool_options.h"

namespace envpool {

/// One answer for each id and request. Requests of one environment come in their order. Throws an
/// environment's Error(kConfig), or Error(kWorker) with all that failed. `check_signals` is called
/// by this thread about every 50 ms, between two environments; its exception ends the calls.
std::vector<std::string> CallEnvs(EnvArrayBase& envs, const PoolOptions& options,
                                  const std::vector<int>& env_ids,
                                  const std::vector<std::string>& requests,
                                  const std::function<void()>& check_signals);

}  // namespace envpool
