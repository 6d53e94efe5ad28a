// SPDX-License-Identifier: Apache-2.0
// EngineResources: names in /dev/shm and a folder for files that this process has for its engines,
// and the removal of those that processes left behind that were killed.
//
//   EngineResources resources;     // sweeps, then takes a token
//   resources.EngineId(0)          // "EPk3x9q0a7bzx0"
//   resources.MakeFolder(0)        // "/tmp/envpool-vizdoom-k3x9q0a7bz/0"
//
// A process has a token, and a file /dev/shm/ViZDoomOwnerEP<token> that it keeps locked. The kernel
// drops the lock when the process ends, however it ends and in whatever container it is. So a lock
// that can be had says that what is of this token belongs to nobody any more. Numbers of processes
// would not do: they are used again, and are others in another container.
#pragma once

#include <filesystem>
#include <string>

namespace envpool::vizdoom {

class EngineResources {
 public:
  /// Removes what others left, and takes a token. Throws Error(kConfig) when /dev/shm has no room,
  /// or there is no folder for temporary files.
  EngineResources();
  EngineResources(const EngineResources&) = delete;
  EngineResources& operator=(const EngineResources&) = delete;

  /// What the names of one engine contain.
  std::string EngineId(int number) const { return "EP" + token_ + "x" + std::to_string(number); }
  /// A new folder for one engine to work in. Throws Error(kConfig).
  std::filesystem::path MakeFolder(int number) const;
  /// Removes all that there is. What is asked for afterwards is not removed.
  void Remove() noexcept;

 private:
  std::string token_;
  std::filesystem::path folder_;
};

}  // namespace envpool::vizdoom
