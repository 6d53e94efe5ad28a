// SPDX-License-Identifier: Apache-2.0
#include "recordings.h"

#include <system_error>

#include "envpool/error.h"

namespace envpool::vizdoom {

namespace fs = std::filesystem;

Recordings::Recordings(const std::string& folder, int env_id)
    : folder_(folder), prefix_("env_" + std::to_string(env_id) + "_") {
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    throw envpool::OptionError("lmp_save_dir", "'" + error.message() + "' for " + folder,
                               "a folder that can be made or written to", "pass another folder");
  }
}

std::string Recordings::Next() {
  return folder_.empty() ? "" : std::to_string(++episode_) + ".lmp";
}

void Recordings::Keep(const fs::path& folder, bool all) {
  if (folder_.empty()) return;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".lmp") continue;
    if (!all && entry.path().stem() == std::to_string(episode_)) continue;  // unfinished
    const fs::path target = folder_ / (prefix_ + entry.path().filename().string());
    fs::copy_file(entry.path(), target, fs::copy_options::overwrite_existing);
    fs::remove(entry.path());
  }
}

}  // namespace envpool::vizdoom
