// SPDX-License-Identifier: Apache-2.0
#include "library/opened_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>

namespace envpool::nethack {

OpenedLibrary::OpenedLibrary(const std::string& path) {
  const int source = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status{};
  if (source < 0 || fstat(source, &status) != 0) throw std::runtime_error("cannot open " + path);
  // A separate file, since the system's loader does not open a file twice.
  file_ = memfd_create("libnethack", MFD_CLOEXEC);
  off_t at = 0;
  while (file_ >= 0 && at < status.st_size) {
    if (sendfile(file_, source, &at, static_cast<std::size_t>(status.st_size - at)) <= 0) break;
  }
  close(source);
  if (file_ < 0 || at < status.st_size) {
    if (file_ >= 0) close(file_);
    throw std::runtime_error("cannot copy " + path + " into memory");
  }
}

OpenedLibrary::~OpenedLibrary() {
  Finish();
  close(file_);
}

Outcome OpenedLibrary::Start(Observation& observation, StartSettings& settings, std::int64_t,
                             std::FILE* recording) {
  Finish();
  recording_ = recording;
  const std::string path = "/proc/self/fd/" + std::to_string(file_);
  // RTLD_DEEPBIND: its error() must not be glibc's.
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (library_ == nullptr) throw std::runtime_error(dlerror());
  const auto start = reinterpret_cast<StartFunction>(dlsym(library_, "nle_start"));
  step_ = reinterpret_cast<StepFunction>(dlsym(library_, "nle_step"));
  end_ = reinterpret_cast<EndFunction>(dlsym(library_, "nle_end"));
  if (start == nullptr || step_ == nullptr || end_ == nullptr) {
    throw std::runtime_error("the library has no functions nle_start, nle_step and nle_end");
  }
  game_ = start(&observation, recording_, &settings);
  return observation.done != 0 ? Outcome::kOver : Outcome::kGoesOn;
}

Outcome OpenedLibrary::Press(Observation& observation) {
  game_ = step_(game_, &observation);
  return observation.done != 0 ? Outcome::kOver : Outcome::kGoesOn;
}

void OpenedLibrary::Finish() {
  if (library_ == nullptr) return;
  if (game_ != nullptr) end_(game_);
  game_ = nullptr;
  dlclose(library_);
  library_ = nullptr;
  if (recording_ != nullptr) std::fclose(recording_);
  recording_ = nullptr;
}

}  // namespace envpool::nethack
