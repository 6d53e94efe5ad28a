// SPDX-License-Identifier: Apache-2.0
// SharedAsset<T>: a T that all environments read and none writes, made once for all of them: a map,
// a mesh, a table in a file of many megabytes.
//
//   struct Maze : Env<MazeSpec> {
//     Maze(const Spec& spec, int env_id) : Env(spec, env_id) {
//       const std::string path = AssetPath(spec.config, "maze.bin");
//       walls_ = SharedAsset<Walls>::Get(FileKey(path), [&] { return ReadWalls(path); });
//     }
//     std::shared_ptr<const Walls> walls_;
//   };
//
// Several threads build environments: a thread that asks while another thread makes the asset
// waits, and gets the same asset. The asset lives as long as a std::shared_ptr holds it, so two
// pools share it and the last pool destroys it. A forked process makes its own.
#pragma once

#include <concepts>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include "envpool/cxx20.h"
#include "envpool/fork_local.h"

namespace envpool {

/// One T for each key. `Key` has an order: a std::string, a number, or a std::tuple of these.
template <typename T, typename Key = std::string>
class SharedAsset {
 public:
  /// Returns the asset of a key: the one that is held already, or the T that `make()` returns. The
  /// key says all that the asset depends on: a file by FileKey (assets.h), and the options that are
  /// used. An exception of `make` is thrown on, and the next caller makes the asset again. `make`
  /// may ask for assets of other keys, but not for its own.
  template <std::invocable Make>
  static std::shared_ptr<const T> Get(const Key& key, const Make& make) {
    static_assert(std::is_same_v<decltype(make()), T>, "SharedAsset<T>::Get: `make` returns a T");
    const std::shared_ptr<Entry> entry = ForkLocal<SharedAsset>::Get().EntryOf(key);
    const std::scoped_lock lock(entry->mutex);
    if (std::shared_ptr<const T> known = entry->asset.lock()) return known;
    const auto made = std::make_shared<const T>(make());
    entry->asset = made;
    return made;
  }

 private:
  friend class ForkLocal<SharedAsset>;
  // Each key has an entry, so that assets of different keys are made at the same time.
  struct Entry {
    std::mutex mutex;
    std::weak_ptr<const T> asset;
  };

  SharedAsset() = default;

  std::shared_ptr<Entry> EntryOf(const Key& key) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(entries_, [](const auto& item) { return IsUnused(item.second); });
    std::shared_ptr<Entry>& entry = entries_[key];
    if (entry == nullptr) entry = std::make_shared<Entry>();
    return entry;
  }
  // No thread uses this entry, and its asset is gone. New users get it from EntryOf only, which is
  // locked.
  static bool IsUnused(const std::shared_ptr<Entry>& entry) {
    const std::unique_lock lock(entry->mutex, std::try_to_lock);
    return lock.owns_lock() && entry.use_count() == 1 && entry->asset.expired();
  }

  std::mutex mutex_;
  std::map<Key, std::shared_ptr<Entry>> entries_;
};

}  // namespace envpool
