// SPDX-License-Identifier: Apache-2.0
// CompiledPool: the pool that Python holds. Environments, flavours and spaces are not its business: it
// takes actions and environment ids, and returns arrays in the layout that it was given.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "envpool/pool_base.h"
#include "envpool/binding/actions.h"
#include "envpool/binding/guard.h"
#include "envpool/binding/results.h"

namespace envpool::python {

/// What the templates of a module make: a pool, the memory of its results, and what both refer to.
struct PoolParts {
  std::unique_ptr<ResultMemory> memory;
  std::unique_ptr<PoolBase> pool;
};

class CompiledPool {
 public:
  explicit CompiledPool(PoolParts parts)
      : memory_(std::move(parts.memory)), pool_(std::move(parts.pool)), forks_(ForkCount()) {
    for (std::size_t k = 0; k < pool_->action_layout().arrays.size(); ++k) {
      writers_.emplace_back(*pool_, k);
      keys_.emplace_back(pool_->action_layout().arrays[k].name);
    }
    SetResultLayouts(py::none(), py::none());
  }
  CompiledPool(const CompiledPool&) = delete;
  CompiledPool& operator=(const CompiledPool&) = delete;
  ~CompiledPool();

  void SetResultLayouts(const py::object& step, const py::object& reset);

  py::object Step(const py::object& action, const py::object& env_id);
  void Send(const py::object& action, const py::object& env_id);
  py::object Recv(bool reset, std::optional<double> timeout);
  py::object Reset(const py::object& env_id, const py::object& seed);
  void AsyncReset(const py::object& env_id, const py::object& seed);
  py::array Render(const py::object& env_ids, int width, int height, int camera_id);
  py::list SaveState(const py::object& env_ids);
  void LoadState(const py::list& states, const py::object& env_ids);
  void Close();

  bool closed() const { return pool_->closed(); }
  int num_threads() const { return pool_->options().engine.num_threads; }
  int num_in_flight() const { return pool_->num_in_flight(); }
  const std::string& task_id() const { return pool_->options().task_id; }

  /// Ends the threads of a pool that is not needed any more, or leaves them behind after a while.
  void Shutdown() noexcept;

 private:
  // Environments of a call: `ids` points to `count` of them, or is null for all. They live in ids_
  // until the next call that parses some.
  struct Ids {
    const int* ids = nullptr;
    int count = 0;
  };
  // How many rows each environment of a call has in per-player actions.
  struct Players {
    std::vector<int> env_ids, slots;
  };

  // SendActions and SendReset return how many environments were sent.
  class Use;  // holds the lock and refuses what a forked child must not do

  Ids ParseIds(const py::handle& env_id, const char* what);
  void ReadIds(const py::handle& env_id, const char* what, std::vector<int>& out) const;
  Ids DefaultIds(const py::handle& action) const;
  int SendActions(const py::object& action, const py::object& env_id, bool recv_follows);
  void WriteDict(const py::dict& action, const Ids& ids);
  Players ParsePlayers(const py::dict& action, const Ids& ids);
  int SendReset(const py::object& env_id, const py::object& seed, bool recv_follows);
  py::object Receive(bool newest, bool reset, Engine::Clock::time_point deadline);
  py::object Deliver(const Received& received, bool reset);
  void Remember(const Received& received);
  /// Waits without the GIL, looking after signals.
  template <typename F>
  auto Wait(F&& wait);

  std::unique_ptr<ResultMemory> memory_;
  std::unique_ptr<PoolBase> pool_;
  std::vector<ActionWriter> writers_;
  std::vector<py::str> keys_;
  std::unique_ptr<ResultLayout> step_layout_, reset_layout_;
  std::vector<int> ids_;
  std::vector<int> last_ids_;  // environments of the batch received last; asynchronous only
  PoolLock lock_;
  int forks_;
};

}  // namespace envpool::python

#include "envpool/binding/raw_pool_inl.h"
