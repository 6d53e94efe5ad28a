// SPDX-License-Identifier: Apache-2.0
// In place of the system's assert.h: a broken invariant of the engine ends one game, by an
// exception, and not the process. As the original, the engine has no NDEBUG: all are tried.
//
// Without an include guard of its own for the macro, as the system's.
#include "stand_ins/fault.h"

#undef assert
#define assert(condition) \
  ((condition) ? void() : ::envpool::gfootball::Fault(#condition, __FILE__, __LINE__))
