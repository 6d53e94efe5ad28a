// SPDX-License-Identifier: Apache-2.0
// Recordings: the option lmp_save_dir, a file for each episode, which the engine can replay.
//
//   Recordings recordings("demos", env_id);
//   recordings.Next()                  // "1.lmp", the name for the engine; "" without recordings
//   recordings.Keep(folder)            // demos/env_0_1.lmp, once the engine has closed its file
//
// The engine writes into its working folder, since a longer path would not fit into a message.
#pragma once

#include <filesystem>
#include <string>

namespace envpool::vizdoom {

class Recordings {
 public:
  /// Makes the folder; empty: no recordings. Throws OptionError for `lmp_save_dir`.
  Recordings(const std::string& folder, int env_id);

  /// The file's name for the engine's recording of the episode that begins.
  std::string Next();
  /// Moves the engine's recordings out of `folder`: those of earlier episodes, or `all` if the
  /// engine has stopped.
  void Keep(const std::filesystem::path& folder, bool all = false);

 private:
  std::filesystem::path folder_;
  std::string prefix_;
  int episode_ = 0;
};

}  // namespace envpool::vizdoom
