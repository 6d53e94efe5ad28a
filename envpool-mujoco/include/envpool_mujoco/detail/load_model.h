// SPDX-License-Identifier: Apache-2.0
// Reading and compiling of models.
#pragma once

#include <mujoco/mujoco.h>

#include <functional>
#include <string>

namespace envpool::mujoco {

/// Changes a parsed model before it is compiled.
using SpecEdit = std::function<void(mjSpec&)>;

/// The model of a path, or of a name in `vfs`, after `edit`, if given; never null. Throws
/// MujocoError with MuJoCo's message if it cannot compile the model.
///
/// MuJoCo's threads are not used: if the system refuses a thread, as with a low `ulimit -u`, they
/// end the process. Meshes and textures are read again: MuJoCo's cache treats a file as unchanged
/// if it was written within the same second.
mjModel* LoadModel(const std::string& path, const mjVFS* vfs, const SpecEdit& edit);

/// Registers the plugins of a folder with MuJoCo, for models that use them. A folder is loaded once
/// per process. Throws MujocoError.
void LoadPlugins(const std::string& folder);

}  // namespace envpool::mujoco
