// SPDX-License-Identifier: Apache-2.0
#include "game/folder.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

namespace envpool::nethack {
namespace fs = std::filesystem;

Folder::Folder(const std::string& data) : data_(data) {
  path_ = (fs::temp_directory_path() / "envpool-nethack-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error("cannot make the folder " + path_);
  }
  fs::create_symlink(data_, fs::path(path_) / "nhdat");
  fs::create_directory(fs::path(path_) / "save");
  Clear();
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void Folder::Clear() {
  for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
    if (!kept_.contains(entry.path().filename())) fs::remove_all(entry.path());
  }
  for (const char* name : {"perm", "record", "logfile", "xlogfile"}) {
    std::ofstream(fs::path(path_) / name).flush();
  }
}

void Folder::Put(const std::string& name, const std::string& bytes) {
  kept_.insert(name);
  std::ofstream file(fs::path(path_) / name, std::ios::binary | std::ios::trunc);
  if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush()) {
    throw std::runtime_error("cannot write " + name + " in " + path_ + ": is the disk full?");
  }
}

void Folder::Save(StateWriter& out) const {
  std::vector<std::pair<std::string, std::string>> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename();
    if (kept_.contains(name) || !entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files.emplace_back(name, std::string(std::istreambuf_iterator<char>(file), {}));
  }
  out.Write(static_cast<std::uint64_t>(files.size()));
  for (const auto& [name, bytes] : files) out.Write(name, bytes);
}

void Folder::Load(StateReader& in) {
  Clear();
  std::uint64_t count = 0;
  in.Read(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string name, bytes;
    in.Read(name, bytes);
    if (name.empty() || name.find('/') != std::string::npos) throw std::runtime_error("no file");
    std::ofstream file(fs::path(path_) / name, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
}

}  // namespace envpool::nethack
