// SPDX-License-Identifier: Apache-2.0
// Rotations as SciPy makes quaternions of them.
#pragma once

#include <algorithm>
#include <cmath>

namespace envpool::metaworld {

/// Rotation.from_matrix(matrix).as_quat(): (x, y, z, w), with the sign that falls out. By the
/// largest of the diagonal and the trace (Markley 2008).
inline void ScipyQuaternion(const double* matrix, double* out) {
  const auto m = [matrix](int row, int column) { return matrix[3 * row + column]; };
  const double largest[] = {m(0, 0), m(1, 1), m(2, 2), m(0, 0) + m(1, 1) + m(2, 2)};
  const int i = static_cast<int>(std::max_element(largest, largest + 4) - largest);
  if (i == 3) {
    for (int k = 0; k < 3; ++k) out[k] = m((k + 2) % 3, (k + 1) % 3) - m((k + 1) % 3, (k + 2) % 3);
    out[3] = 1 + largest[3];
  } else {
    const int j = (i + 1) % 3, k = (j + 1) % 3;
    out[i] = 1 - largest[3] + 2 * m(i, i);
    out[j] = m(j, i) + m(i, j);
    out[k] = m(k, i) + m(i, k);
    out[3] = m(k, j) - m(j, k);
  }
  const double norm =
      std::sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
  std::for_each(out, out + 4, [norm](double& x) { x /= norm; });
}

}  // namespace envpool::metaworld
