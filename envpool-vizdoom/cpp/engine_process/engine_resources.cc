// SPDX-License-Identifier: Apache-2.0
#include "engine_process/engine_resources.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <random>
#include <string_view>
#include <system_error>

#include "envpool/error.h"

namespace envpool::vizdoom {
namespace {

namespace fs = std::filesystem;
using envpool::Error;
using envpool::ErrorKind;

constexpr std::string_view kShm = "/dev/shm", kOwner = "ViZDoomOwnerEP",
                           kFolder = "envpool-vizdoom-";
constexpr std::size_t kTokenSize = 10;

std::string NewToken() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwyz0123456789";  // no x
  std::random_device random;
  std::string token;
  while (token.size() < kTokenSize) token += kLetters[random() % kLetters.size()];
  return token;
}

/// Takes the lock of a file; returns false if another process has it. A process never sees its own
/// locks, and opens its own file only once: closing a second descriptor would drop the lock.
bool TakeLock(int file) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(file, F_SETLK, &lock) == 0;
}

/// True if a file belongs to this user. Nobody removes other users' files, not even root.
bool IsOwn(const std::string& path) {
  struct stat named{};
  return lstat(path.c_str(), &named) == 0 && named.st_uid == geteuid();
}

/// True if the name still belongs to the open file.
bool IsThere(int file, const std::string& path) {
  struct stat opened{}, named{};
  return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino;
}

/// Removes the names in /dev/shm that contain a token.
void RemoveNames(const std::string& token) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(kShm, ignored)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("ViZDoom") && name.find("EP" + token + "x") != std::string::npos &&
        IsOwn(entry.path())) {
      fs::remove(entry.path(), ignored);
    }
  }
}

void SweepOne(const fs::path& owner, const std::string& token) {
  if (!IsOwn(owner)) return;
  const int file = open(owner.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return;  // already removed
  if (TakeLock(file) && IsThere(file, owner)) {
    RemoveNames(token);
    std::array<char, 4096> text{};
    const ssize_t size = read(file, text.data(), text.size());
    const fs::path folder(
        std::string_view(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))));
    std::error_code ignored;
    // The file names the folder; a folder is removed only if its name contains the token.
    if (folder.filename() == std::string(kFolder) + token && IsOwn(folder)) {
      fs::remove_all(folder, ignored);
    }
    fs::remove(owner, ignored);
  }
  close(file);
}

void Sweep() {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(kShm, ignored)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kOwner)) continue;
    const std::string token = name.substr(kOwner.size());
    if (token.size() == kTokenSize) SweepOne(entry.path(), token);
  }
}

[[noreturn]] void RefuseFolder(const fs::path& path, const std::error_code& error) {
  throw Error(ErrorKind::kConfig, "a folder for the files of ViZDoom engines",
              "'" + error.message() + "' for " + path.string(),
              "a folder for temporary files that can be written to", "set TMPDIR to such a folder");
}

}  // namespace

EngineResources::EngineResources() {
  Sweep();
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) RefuseFolder("the folder that TMPDIR names", error);
  for (;;) {
    token_ = NewToken();
    folder_ = parent / (std::string(kFolder) + token_);
    const std::string path = std::string(kShm) + "/" + std::string(kOwner) + token_;
    // The file stays open: this process has the lock as long as the file is open.
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0 && errno == EEXIST) continue;
    const std::string folder = folder_.string();
    if (file < 0 ||
        write(file, folder.data(), folder.size()) != static_cast<ssize_t>(folder.size())) {
      const int cause = errno;
      if (file >= 0) {
        unlink(path.c_str());
        close(file);
      }
      throw Error(ErrorKind::kConfig, "shared memory for ViZDoom engines",
                  "'" + std::generic_category().message(cause) + "' for " + path,
                  "room in /dev/shm, 2 MB for each engine",
                  "make it larger, in Docker by --shm-size=1g");
    }
    // Before the lock was taken, another process may have removed the file as a leftover.
    if (TakeLock(file) && IsThere(file, path)) return;
    close(file);
  }
}

fs::path EngineResources::MakeFolder(int number) const {
  std::error_code error;
  if (mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) {
    RefuseFolder(folder_, {errno, std::generic_category()});
  }
  const fs::path path = folder_ / std::to_string(number);
  if (mkdir(path.c_str(), 0700) != 0) RefuseFolder(path, {errno, std::generic_category()});
  return path;
}

void EngineResources::Remove() noexcept {
  try {
    std::error_code ignored;
    RemoveNames(token_);
    fs::remove_all(folder_, ignored);
    fs::remove(std::string(kShm) + "/" + std::string(kOwner) + token_, ignored);
  } catch (...) {
    // The next process removes the rest.
  }
}

}  // namespace envpool::vizdoom
