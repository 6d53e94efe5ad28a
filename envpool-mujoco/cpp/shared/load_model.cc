// SPDX-License-Identifier: Apache-2.0

#include "envpool_mujoco/detail/load_model.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "envpool_mujoco/library.h"

namespace envpool::mujoco {

mjModel* LoadModel(const std::string& path, const mjVFS* vfs, const SpecEdit& edit) {
  InstallLogHandler();
  const LibraryCall call;
  mj_clearCache(mj_getCache());
  char message[1000] = "";
  const std::unique_ptr<mjSpec, void (*)(mjSpec*)> spec(
      mj_parseXML(path.c_str(), vfs, message, sizeof(message)), mj_deleteSpec);
  if (spec == nullptr) throw MujocoError(message);
  spec->compiler.usethread = 0;
  if (edit) edit(*spec);
  mjModel* model = mj_compile(spec.get(), vfs);
  if (model == nullptr) throw MujocoError(mjs_getError(spec.get()));
  return model;
}

void LoadPlugins(const std::string& folder) {
  static std::mutex mutex;
  static std::set<std::string> loaded;
  const std::scoped_lock lock(mutex);
  if (loaded.contains(folder)) return;
  InstallLogHandler();
  const LibraryCall call;
  std::vector<std::string> libraries;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == ".so") libraries.push_back(file.path().string());
  }
  // MuJoCo numbers plugins in the order of their registration.
  std::sort(libraries.begin(), libraries.end());
  for (const std::string& library : libraries) mj_loadPluginLibrary(library.c_str());
  loaded.insert(folder);
}

}  // namespace envpool::mujoco
