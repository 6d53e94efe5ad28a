// SPDX-License-Identifier: Apache-2.0
// PerModel: values that all environments of a model share and that are computed once.
//
//   const std::shared_ptr<const Start> start =
//       PerModel<Start>::Get(model, "settled", [&] { return Settle(*model); });
//
// A thread that calls Get while another computes waits for it. The value is freed with the last
// environment that holds it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "envpool_mujoco/model_store.h"

namespace envpool::mujoco {

template <typename T>
class PerModel {
 public:
  /// The earlier result of `make` for this model and name, or its result now. Rethrows its
  /// exception; the next call then computes again.
  static std::shared_ptr<const T> Get(const SharedModel& model, const std::string& name,
                                      const std::function<T()>& make) {
    static PerModel all;
    const std::scoped_lock lock(all.mutex_);
    std::erase_if(all.known_, [](const auto& item) { return item.second.expired(); });
    std::weak_ptr<const T>& place = all.known_[{model.get(), name}];
    if (std::shared_ptr<const T> known = place.lock()) return known;
    // Keeps the model alive, so that no other model gets its address.
    const auto both = std::make_shared<const std::pair<SharedModel, T>>(model, make());
    const std::shared_ptr<const T> made(both, &both->second);
    place = made;
    return made;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<const mjModel*, std::string>, std::weak_ptr<const T>> known_;
};

}  // namespace envpool::mujoco
