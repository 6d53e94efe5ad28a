// SPDX-License-Identifier: Apache-2.0
// A documented include path; async_envpool.h has its names.
#pragma once

#include "envpool/core/async_envpool.h"
