// SPDX-License-Identifier: Apache-2.0
// Box2D's settings, in place of its own header: the same constants and types, but an assertion of
// Box2D throws a C++ exception, and no Python is needed. The compiler includes this header before
// the rest of Box2D. Box2D's own header has the same guard and is then empty.
#pragma once

#ifndef B2_SETTINGS_H
#define B2_SETTINGS_H

#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace envpool {
namespace box2d {
/// Throws std::logic_error: a bug of the environment, which its pool reports as WorkerError.
[[noreturn]] void AssertionFailed(const char* condition);
}  // namespace box2d
}  // namespace envpool

#define B2_NOT_USED(x) ((void)(x))
#define b2Assert(condition) ((condition) ? (void)0 : ::envpool::box2d::AssertionFailed(#condition))

typedef std::int8_t int8;
typedef std::int16_t int16;
typedef std::int32_t int32;
typedef std::uint8_t uint8;
typedef std::uint16_t uint16;
typedef std::uint32_t uint32;
typedef float float32;
typedef double float64;

#define b2_maxFloat FLT_MAX
#define b2_epsilon FLT_EPSILON
#define b2_pi 3.14159265359f

// Lengths in m, angles in rad, velocities per s.
#define b2_maxManifoldPoints 2
#define b2_maxPolygonVertices 16
#define b2_aabbExtension 0.1f
#define b2_aabbMultiplier 2.0f
#define b2_linearSlop 0.005f
#define b2_angularSlop (2.0f / 180.0f * b2_pi)
#define b2_polygonRadius (2.0f * b2_linearSlop)
#define b2_maxSubSteps 8
#define b2_maxTOIContacts 32
#define b2_velocityThreshold 1.0f
#define b2_maxLinearCorrection 0.2f
#define b2_maxAngularCorrection (8.0f / 180.0f * b2_pi)
#define b2_maxTranslation 2.0f
#define b2_maxTranslationSquared (b2_maxTranslation * b2_maxTranslation)
#define b2_maxRotation (0.5f * b2_pi)
#define b2_maxRotationSquared (b2_maxRotation * b2_maxRotation)
#define b2_baumgarte 0.2f
#define b2_toiBaugarte 0.75f  // spelt as Box2D does
#define b2_timeToSleep 0.5f
#define b2_linearSleepTolerance 0.01f
#define b2_angularSleepTolerance (2.0f / 180.0f * b2_pi)

/// Memory of Box2D, see memory.h.
void* b2Alloc(int32 size);
void b2Free(void* memory);
/// Does nothing.
void b2Log(const char* format, ...);

struct b2Version {
  int32 major, minor, revision;
};
extern b2Version b2_version;

#endif  // B2_SETTINGS_H
