// SPDX-License-Identifier: Apache-2.0
// The bounds of meshes, which all games of a process share: the game tests whether parts of bodies
// and the ball may touch, and only pictures need the triangles. Reading the triangles takes longer
// than the rest of making a game.
#pragma once

#include <string>

namespace blunted {
class GeometryData;
}

namespace envpool::gfootball {

/// Returns true if a file of the thread's game was read before, and gives `mesh` its bounds.
bool TakeBounds(const std::string& file, blunted::GeometryData& mesh);
/// Keeps the bounds of a mesh that was read, and removes its triangles.
void KeepBounds(const std::string& file, blunted::GeometryData& mesh);

}  // namespace envpool::gfootball
