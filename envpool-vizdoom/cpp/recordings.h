// SPDX-License-Identifier: Apache-2.0
// Recordings: the option lmp_save_dir, a file for each episode that the engine can play again.
//
//   Recordings recordings("demos", env_id);
//   recordings.Next()                  // "1.lmp", the name for the engine; "" if none is wanted
//   recordings.Keep(folder)            // demos/env_0_1.lmp, once the engine has closed its file
//
// The engine writes where it works, since the path of a file would have to fit into a message.
#pragma once

#include <filesystem>
#include <string>

namespace envpool::vizdoom {

class Recordings {
 public:
  /// Makes the folder; empty: nothing is recorded. Throws OptionError of `lmp_save_dir`.
  Recordings(const std::string& folder, int env_id);

  /// The name under which the engine is to record the episode that begins.
  std::string Next();
  /// Moves what the engine has recorded in `folder`, where there is something: of episodes before
  /// this one, or `all` if the engine has stopped.
  void Keep(const std::filesystem::path& folder, bool all = false);

 private:
  std::filesystem::path folder_;
  std::string prefix_;
  int episode_ = 0;
};

}  // namespace envpool::vizdoom
