// SPDX-License-Identifier: Apache-2.0
// The bounds of meshes, which all games of a process share: what plays asks whether parts of bodies
// and the ball may touch, and only pictures need the triangles. To read those takes longer than all
// else when a game is made.
#pragma once

#include <string>

namespace blunted {
class GeometryData;
}

namespace envpool::gfootball {

/// Whether a file of the thread's game has been read before; `mesh` gets its bounds then.
bool TakeBounds(const std::string& file, blunted::GeometryData& mesh);
/// Keeps the bounds of a mesh that was read, and leaves no triangles in it.
void KeepBounds(const std::string& file, blunted::GeometryData& mesh);

}  // namespace envpool::gfootball
