// SPDX-License-Identifier: Apache-2.0
// The shared parts of tasks in which a hand holds an object.
#pragma once

#include <mujoco/mujoco.h>

#include <cmath>
#include <string>

#include "envpool/error.h"
#include "envpool_mujoco/numpy_blas.h"

namespace envpool::myosuite {

/// The angle of a hand's first joint, in rad, that turns its palm up.
constexpr double kPalmUp = -1.5;

/// Throws OptionError unless the last `count` joints of a model are free, and it has others before.
inline void CheckObjects(const mjModel& model, int count) {
  bool fits = model.njnt > count && model.nq > 7 * count;
  for (int i = 1; fits && i <= count; ++i) fits = model.jnt_type[model.njnt - i] == mjJNT_FREE;
  if (fits) return;
  throw OptionError("xml_file", "a model without a hand and what it holds",
                    "one whose last joints are free, of so many objects: " + std::to_string(count),
                    "pass such a model");
}

/// The cosine between two vectors of three, as NumPy's einsum adds it.
inline double CosineOf(const double* a, const double* b) {
  const double norms = mujoco::RowNorm(a, 3) * mujoco::RowNorm(b, 3);
  return ((a[0] * b[0] + a[2] * b[2]) + a[1] * b[1]) / (norms == 0 ? 1.0 : norms);
}

}  // namespace envpool::myosuite
