// SPDX-License-Identifier: Apache-2.0
// A documented include path: `using CartPoleEnvPool = AsyncEnvPool<CartPoleEnv>;`
#pragma once

#include "envpool/core/names.h"
#include "envpool/engine/pool.h"

using envpool::AsyncEnvPool;
