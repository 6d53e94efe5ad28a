// SPDX-License-Identifier: Apache-2.0
#include "library/library.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>

#include "envpool/error.h"

namespace envpool::procgen {
namespace {

// More than the largest state, 49 kB: the library ends the process if a state does not fit.
constexpr int kMostStateBytes = 1 << 20;

std::mutex& Mutex() {
  static std::mutex mutex;
  return mutex;
}
// Never freed: other threads' games may still be running when the process ends.
const Library*& Instance() {
  static const Library* library = nullptr;
  return library;
}

[[noreturn]] void Refuse(const std::string& path, const std::string& got) {
  throw Error(ErrorKind::kConfig, "Procgen's engine", got,
              "libenv.so of procgen, procgen-mirror, procgen2 or procgen-gym, which can be loaded",
              "run `envpool doctor`, which says what is missing for " + path);
}

}  // namespace

const Library& Library::Load(const std::string& path) {
  const std::lock_guard lock(Mutex());
  std::error_code ignored;
  const auto whole = std::filesystem::canonical(path, ignored);
  const std::string name = ignored ? path : whole.string();
  if (Instance() == nullptr) {
    Instance() = new Library(name);
  } else if (Instance()->path() != name) {
    throw OptionError("engine_path", name,
                      Instance()->path() + ", which this process has loaded before",
                      "use one engine in a process, or start another process");
  }
  return *Instance();
}

const Library* Library::Loaded() {
  const std::lock_guard lock(Mutex());
  return Instance();
}

Library::Library(const std::string& path) : path_(path) {
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    const char* error = dlerror();
    Refuse(path, error == nullptr ? "a file that cannot be loaded" : error);
  }
  Find(get_version_, "libenv_version");
  version_ = get_version_();
  if (version_ != 1 && version_ != 3) {
    Refuse(path, "version " + std::to_string(version_) + " of its interface in " + path);
  }
  Find(make_, "libenv_make");
  Find(set_buffers_, "libenv_set_buffers");
  Find(observe_, "libenv_observe");
  Find(act_, "libenv_act");
  Find(close_, "libenv_close");
  Find(get_state_, "get_state");
  Find(set_state_, "set_state");
}

template <typename F>
void Library::Find(F*& function, const char* name) const {
  function = reinterpret_cast<F*>(dlsym(handle_, name));
  if (function == nullptr) Refuse(path_, "no function " + std::string(name) + " in " + path_);
}

void* Library::Make(const LibraryOption* options, int count) const {
  const Options all{options, count};
  if (version_ == 1) return reinterpret_cast<void* (*)(int, Options)>(make_)(1, all);
  return reinterpret_cast<void* (*)(int, const Options*)>(make_)(1, &all);
}

void Library::SetBuffers(void* handle, const LibraryBuffers& buffers) const {
  if (version_ == 1) {
    LibraryBuffers copy = buffers;
    set_buffers_(handle, &copy);
    return;
  }
  void* reordered[] = {buffers.obs, buffers.action, buffers.info, buffers.reward, buffers.first};
  set_buffers_(handle, reordered);
}

std::string Library::GetState(void* handle) const {
  thread_local const std::unique_ptr<char[]> memory(new char[kMostStateBytes]);
  const int size = get_state_(handle, 0, memory.get(), kMostStateBytes);
  return {memory.get(), static_cast<std::size_t>(size)};
}

void Library::SetState(void* handle, const std::string& state) const {
  std::string copy = state;
  set_state_(handle, 0, copy.data(), static_cast<int>(copy.size()));
}

std::string Library::AssetsOf(const std::string& path) {
  return (std::filesystem::path(path).parent_path().parent_path() / "assets").string() + "/";
}

bool Library::Contains(const void* address, std::size_t size) const {
  struct Search {
    std::uintptr_t begin, end;
    const void* inside;
    bool found = false;
  };
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  Search search{begin, begin + size, reinterpret_cast<const void*>(act_)};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        bool has_act = false, has_bytes = false;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD) continue;
          const std::uintptr_t from = info->dlpi_addr + part.p_vaddr, to = from + part.p_memsz;
          const auto act = reinterpret_cast<std::uintptr_t>(wanted.inside);
          has_act |= from <= act && act < to;
          has_bytes |= from <= wanted.begin && wanted.end <= to;
        }
        wanted.found = has_act && has_bytes;
        return static_cast<int>(has_act);  // ends the search
      },
      &search);
  return search.found;
}

}  // namespace envpool::procgen
