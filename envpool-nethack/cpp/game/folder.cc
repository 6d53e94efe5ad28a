// SPDX-License-Identifier: Apache-2.0
#include "game/folder.h"

#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace envpool::nethack {
namespace fs = std::filesystem;
namespace {

// A file system in memory makes a file in a hundredth of a disk's time. A game could fill a small
// file system, as that of a container.
constexpr const char* kInMemory = "/dev/shm";
constexpr std::uint64_t kEnough = std::uint64_t{1} << 30;

fs::path Root() {
  const char* const chosen = std::getenv("TMPDIR");
  struct statvfs room{};
  if (chosen == nullptr && access(kInMemory, W_OK | X_OK) == 0 && statvfs(kInMemory, &room) == 0 &&
      std::uint64_t{room.f_bavail} * room.f_frsize >= kEnough) {
    return kInMemory;
  }
  std::error_code problem;
  const fs::path folder = fs::temp_directory_path(problem);
  if (!problem) return folder;
  throw std::runtime_error("the folder for files of games is none: correct the variable TMPDIR");
}

// The game appends to these files, and reports an error if they do not exist.
constexpr std::string_view kScores[] = {"perm", "record", "logfile", "xlogfile"};

bool IsScores(const std::string& name) {
  return std::find(std::begin(kScores), std::end(kScores), name) != std::end(kScores);
}

}  // namespace

Folder::Folder(const std::string& data) : data_(data) {
  path_ = (Root() / "envpool-nethack-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error("cannot make the folder " + path_);
  }
  Fill();
}

void Folder::Fill() {
  fs::create_symlink(data_, fs::path(path_) / "nhdat");
  fs::create_directory(fs::path(path_) / "save");
  for (const std::string_view name : kScores) std::ofstream(fs::path(path_) / name).flush();
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

bool Folder::Clear() {
  if (fs::create_directory(path_)) {
    Fill();
    return false;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename();
    if (kept_.contains(name)) continue;
    if (!IsScores(name)) {
      fs::remove_all(entry.path());
    } else if (entry.file_size() != 0) {
      fs::resize_file(entry.path(), 0);
    }
  }
  return true;
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

bool Folder::Load(StateReader& in) {
  const bool was_there = Clear();
  std::uint64_t count = 0;
  in.Read(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string name, bytes;
    in.Read(name, bytes);
    if (name.empty() || name.find('/') != std::string::npos) throw std::runtime_error("no file");
    std::ofstream file(fs::path(path_) / name, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  return was_there;
}

}  // namespace envpool::nethack
