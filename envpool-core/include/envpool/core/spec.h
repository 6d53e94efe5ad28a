// SPDX-License-Identifier: Apache-2.0
// A documented include path; names.h has its names.
#pragma once

#include "envpool/core/names.h"
