// SPDX-License-Identifier: Apache-2.0
// Workspaces: the mjData that the environments of a model share, one per thread that steps at the
// same time.
//
//   std::shared_ptr<Workspaces> workspaces = Workspaces::Of(model);
//   std::unique_ptr<Workspace> mine = workspaces->Take();
//   mj_setState(&model, mine->data.get(), state, mjSTATE_INTEGRATION);
//   ...
//   workspaces->Give(std::move(mine));
//
// An mjData takes 0.2 MB, and a step uses tens of kilobytes of it; only mjSTATE_INTEGRATION, a
// kilobyte, must survive until the next step. So an environment keeps only that, and a thread's
// mjData stays in its CPU's cache, for any number of environments. MuJoCo computes the same bits in
// any mjData; its own `mujoco.batch` relies on this, too.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "envpool_mujoco/library.h"
#include "envpool_mujoco/model_store.h"

namespace envpool::mujoco {

/// One mjData, and its present contents.
struct Workspace {
  explicit Workspace(const mjModel& model) : data(Make(model)) {}
  struct Deleter {
    void operator()(mjData* data) const { mj_deleteData(data); }
  };
  using Data = std::unique_ptr<mjData, Deleter>;

  /// Throws MujocoError if there is not enough memory.
  static Data Make(const mjModel& model) {
    InstallLogHandler();
    const LibraryCall call;
    Data data(mj_makeData(&model));
    if (data == nullptr) throw MujocoError("there is not enough memory for a simulation");
    return data;
  }

  Data data;
  std::vector<mjtNum> pair_friction;  // of the simulation that uses it, see OwnFields
  std::uint64_t left_by = 0;          // number of the last DataScope; 0: none
};

/// True if the next step depends on more of an mjData than mjSTATE_INTEGRATION: on sleeping bodies,
/// or on the flexes that touched last.
inline bool KeepsMoreThanState(const mjModel& model) {
  return (model.opt.enableflags & (mjENBL_SLEEP | mjENBL_IPC)) != 0;
}

class Workspaces {
 public:
  explicit Workspaces(SharedModel model) : model_(std::move(model)) {}
  Workspaces(const Workspaces&) = delete;
  Workspaces& operator=(const Workspaces&) = delete;
  ~Workspaces() {
    for (Slot& slot : slots_) delete slot.workspace.load();
  }

  /// The workspaces of a model. Null if more than the state distinguishes one mjData from another:
  /// sleeping bodies, the last touches of flexes, and the data of plugins.
  static std::shared_ptr<Workspaces> Of(const SharedModel& model) {
    if (model->nplugin > 0 || KeepsMoreThanState(*model)) return nullptr;
    static std::mutex mutex;
    static std::map<const mjModel*, std::weak_ptr<Workspaces>> known;
    const std::scoped_lock lock(mutex);
    std::erase_if(known, [](const auto& item) { return item.second.expired(); });
    std::weak_ptr<Workspaces>& place = known[model.get()];
    if (std::shared_ptr<Workspaces> found = place.lock()) return found;
    const auto made = std::make_shared<Workspaces>(model);
    place = made;
    return made;
  }

  /// A free workspace: this thread's last one, if possible.
  std::unique_ptr<Workspace> Take() {
    const std::size_t mine = ThreadNumber();
    for (std::size_t i = 0; i < kSlots; ++i) {
      std::atomic<Workspace*>& place = slots_[(mine + i) % kSlots].workspace;
      if (place.load(std::memory_order_relaxed) == nullptr) continue;
      if (Workspace* found = place.exchange(nullptr, std::memory_order_acquire)) {
        return std::unique_ptr<Workspace>(found);
      }
    }
    return std::make_unique<Workspace>(*model_);
  }
  /// Returns it for others to use.
  void Give(std::unique_ptr<Workspace> workspace) {
    const std::size_t mine = ThreadNumber();
    for (std::size_t i = 0; i < kSlots; ++i) {
      std::atomic<Workspace*>& place = slots_[(mine + i) % kSlots].workspace;
      Workspace* none = nullptr;
      if (place.compare_exchange_strong(none, workspace.get(), std::memory_order_release,
                                        std::memory_order_relaxed)) {
        static_cast<void>(workspace.release());
        return;
      }
    }
  }

 private:
  static constexpr std::size_t kSlots = 256;
  struct alignas(64) Slot {
    std::atomic<Workspace*> workspace{nullptr};
  };

  static std::size_t ThreadNumber() {
    static std::atomic<std::size_t> threads{0};
    thread_local const std::size_t number = threads.fetch_add(1, std::memory_order_relaxed);
    return number;
  }

  const SharedModel model_;
  std::array<Slot, kSlots> slots_;
};

}  // namespace envpool::mujoco
