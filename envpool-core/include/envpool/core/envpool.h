// SPDX-License-Identifier: Apache-2.0
// A documented include path; see async_envpool.h for what it brings.
#pragma once

#include "envpool/core/async_envpool.h"
