// SPDX-License-Identifier: Apache-2.0
// Library: Procgen's engine, libenv.so, loaded once per process.
//
// It has gym3's C interface, which has two versions: 1 in the packages procgen, procgen-mirror and
// procgen2, 3 in procgen-gym.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace envpool::procgen {

/// An option in the library's form.
struct LibraryOption {
  char name[128];
  int dtype;  ///< 1: bytes, 2: int32
  int count;
  const void* data;
};
static_assert(sizeof(LibraryOption) == 144);

/// The memory for a game's results and action: one space of each kind, one game.
struct LibraryBuffers {
  void** obs;
  float* reward;
  std::uint8_t* first;
  void** info;
  void** action;
};

class Library {
 public:
  /// Loads the library at this path; the folder of its images lies beside its own:
  /// data/prebuilt/libenv.so and data/assets/. Throws Error(kConfig) if it cannot be loaded, or if
  /// another library is loaded already: the library keeps its images in global variables.
  static const Library& Load(const std::string& path);
  /// The loaded library, or null.
  static const Library* Loaded();

  void* Make(const LibraryOption* options, int count) const;
  void SetBuffers(void* handle, const LibraryBuffers& buffers) const;
  void Observe(void* handle) const { observe_(handle); }
  void Act(void* handle) const { act_(handle); }
  void Close(void* handle) const { close_(handle); }
  std::string GetState(void* handle) const;
  void SetState(void* handle, const std::string& state) const;

  const std::string& path() const { return path_; }
  /// The folder of images of the library at this path, with a slash at its end.
  static std::string AssetsOf(const std::string& path);
  std::string assets() const { return AssetsOf(path_); }
  int version() const { return version_; }
  /// True if all `size` bytes at `address` belong to the library.
  bool Contains(const void* address, std::size_t size) const;

 private:
  explicit Library(const std::string& path);
  template <typename F>
  void Find(F*& function, const char* name) const;

  struct Options {
    const LibraryOption* items;
    int count;
  };
  std::string path_;
  void* handle_ = nullptr;
  int version_ = 0;
  int (*get_version_)() = nullptr;
  void* (*make_)() = nullptr;  // the function's type depends on the version
  void (*set_buffers_)(void*, void*) = nullptr;
  void (*observe_)(void*) = nullptr;
  void (*act_)(void*) = nullptr;
  void (*close_)(void*) = nullptr;
  int (*get_state_)(void*, int, char*, int) = nullptr;
  void (*set_state_)(void*, int, char*, int) = nullptr;
};

}  // namespace envpool::procgen
