// SPDX-License-Identifier: Apache-2.0
// AssetPath: files that come with a family, as maps, models and frames. FileKey: one of them as it
// is now, for assets that environments share (shared_asset.h).
//
//   Maze(const Spec& spec, int env_id)
//       : Env(spec, env_id), map_(ReadMap(envpool::AssetPath(spec.config, "maps/first.txt"))) {}
//
// The files lie in the wheel's Python package. Its Task says where, so that C++ need not search:
//
//   Task("Maze-v0", "envpool_maze._maze:Maze", base_path=str(Path(__file__).parent / "assets"))
#pragma once

#ifndef _WIN32
#include <sys/stat.h>

#include <ctime>
#endif

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

/// Names a file as it is now, by path, size and times: another key once the file was changed, by
/// whatever program. The path alone where there is no file.
inline std::string FileKey(const std::string& path) {
  std::string key = path;
  const auto add = [&key](auto number) { key += ':' + std::to_string(number); };
#ifdef _WIN32
  std::error_code problem;
  const auto size = std::filesystem::file_size(path, problem);
  if (problem) return key;
  add(size);
  add(std::filesystem::last_write_time(path, problem).time_since_epoch().count());
#else
  struct stat found;
  if (stat(path.c_str(), &found) != 0) return key;
#ifdef __APPLE__
  const timespec& changed = found.st_ctimespec;
#else
  const timespec& changed = found.st_ctim;
#endif
  add(found.st_ino);
  add(found.st_size);
  // The time of the last change: no program can set it back, as it can the time of the last
  // writing.
  add(changed.tv_sec);
  add(changed.tv_nsec);
#endif
  return key;
}

}  // namespace envpool
