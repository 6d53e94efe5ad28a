// SPDX-License-Identifier: Apache-2.0
// A documented include path; see names.h for what it brings.
#pragma once

#include "envpool/core/names.h"
