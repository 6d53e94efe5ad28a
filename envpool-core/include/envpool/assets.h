// SPDX-License-Identifier: Apache-2.0
// AssetPath: files that come with a family, as maps, models and frames.
//
//   Maze(const Spec& spec, int env_id)
//       : Env(spec, env_id), map_(ReadMap(envpool::AssetPath(spec.config, "maps/first.txt"))) {}
//
// The files lie in the wheel's Python package. Its Task says where, so that C++ need not search:
//
//   Task("Maze-v0", "envpool_maze._maze:Maze", base_path=str(Path(__file__).parent / "assets"))
#pragma once

#include <filesystem>
#include <string>

#include "envpool/dict.h"
#include "envpool/error.h"

namespace envpool {

/// Path of the file `name` in the folder `base_path`; throws Error(kConfig) when there is none.
inline std::string AssetPath(const std::string& base_path, const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(base_path) / name;
  std::error_code problem;
  if (std::filesystem::is_regular_file(path, problem)) return path.string();
  throw Error(ErrorKind::kConfig, "file '" + name + "' of the task",
              base_path.empty() ? "no folder to look in: base_path is empty"
                                : "nothing of that name in " + base_path,
              "files that the family's wheel brings, or that are in base_path",
              "install the wheel again, or correct base_path");
}

/// The same for an environment's options.
template <typename Config>
  requires HasField<const Config, "base_path">
std::string AssetPath(const Config& config, const std::string& name) {
  return AssetPath(config["base_path"_], name);
}

}  // namespace envpool
