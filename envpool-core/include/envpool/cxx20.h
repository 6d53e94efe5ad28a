// SPDX-License-Identifier: Apache-2.0
// Included by every header that an author may include first: an older language ends here, with one
// error in place of a hundred. Only an include that fails makes gcc stop.
#pragma once

#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#error "EnvPool needs C++20: compile with -std=c++20 (CMake: CMAKE_CXX_STANDARD 20)"
#include "the error above is the reason"
#endif
