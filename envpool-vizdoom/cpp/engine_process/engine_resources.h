// SPDX-License-Identifier: Apache-2.0
// EngineResources: the names in /dev/shm and the folder that this process has for its engines, and
// the removal of those that killed processes have left.
//
// EngineResources resources;     // removes leftovers, then takes a token
//   resources.EngineId(0)          // "EPk3x9q0a7bzx0"
//   resources.MakeFolder(0)        // "/tmp/envpool-vizdoom-k3x9q0a7bz/0"
//
// A process has a token, and a file /dev/shm/ViZDoomOwnerEP<token> that it keeps locked. The kernel
// drops the lock when the process ends, in any way and in any container. If another process can
// take the lock, the token's names belong to nobody. Process ids would not do: they are reused, and
// differ between containers.
#pragma once

#include <filesystem>
#include <string>

namespace envpool::vizdoom {

class EngineResources {
 public:
  /// Removes leftovers of other processes, and takes a token. Throws Error(kConfig) if /dev/shm is
  /// full or there is no folder for temporary files.
  EngineResources();
  EngineResources(const EngineResources&) = delete;
  EngineResources& operator=(const EngineResources&) = delete;

  /// The part of the names of one engine that identifies it.
  std::string EngineId(int number) const { return "EP" + token_ + "x" + std::to_string(number); }
  /// A new working folder for one engine. Throws Error(kConfig).
  std::filesystem::path MakeFolder(int number) const;
  /// Removes this process's names and folders. Those made later are not removed.
  void Remove() noexcept;

 private:
  std::string token_;
  std::filesystem::path folder_;
};

}  // namespace envpool::vizdoom
