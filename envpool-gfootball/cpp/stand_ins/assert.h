// SPDX-License-Identifier: Apache-2.0
// Replaces the system's assert.h: a broken invariant of the engine ends one game, by an exception,
// and not the process. As in the original build, NDEBUG is not defined: all assertions are active.
//
// Like the system's header, it has no include guard for the macro.
#include "stand_ins/fault.h"

#undef assert
#define assert(condition) \
  ((condition) ? void() : ::envpool::gfootball::Fault(#condition, __FILE__, __LINE__))
