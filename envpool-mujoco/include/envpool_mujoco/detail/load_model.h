// SPDX-License-Identifier: Apache-2.0
// How MuJoCo reads and compiles a model here.
#pragma once

#include <mujoco/mujoco.h>

#include <functional>
#include <string>

namespace envpool::mujoco {

/// Changes what was read of a model, before it is compiled.
using SpecEdit = std::function<void(mjSpec&)>;

/// The model of a path, or of a name in `vfs`, after `edit`, where there is one; never null. Throws
/// MujocoError with what MuJoCo says of a model that it cannot compile.
///
/// MuJoCo's threads are not used: where the system refuses one, as with a low `ulimit -u`, they end
/// the process. Meshes and textures are read anew: the cache of MuJoCo takes a file for unchanged
/// that was written within the same second.
mjModel* LoadModel(const std::string& path, const mjVFS* vfs, const SpecEdit& edit);

/// Makes the plugins of a folder known to MuJoCo, for models that name them. A folder is loaded
/// once in a process. Throws MujocoError.
void LoadPlugins(const std::string& folder);

}  // namespace envpool::mujoco
