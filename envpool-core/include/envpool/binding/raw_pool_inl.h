// SPDX-License-Identifier: Apache-2.0
// How a CompiledPool works; its interface is raw_pool.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>

#include "envpool/binding/raw_pool.h"

namespace envpool::python {

namespace detail {
using namespace std::chrono_literals;
// Work shorter than this is done with the GIL held: letting go of it costs about as much.
inline constexpr float kKeepGilNs = 4'000;
// How long close() and a dropped pool wait for an environment that does not return.
inline constexpr std::chrono::milliseconds kClosePatience = 30s, kDropPatience = 2s,
                                           kCloseSlice = 100ms;
// A frame larger than this in either direction is a mistake.
inline constexpr int kMostPixels = 16384;
}  // namespace detail

class CompiledPool::Use {
 public:
  explicit Use(CompiledPool& raw, bool opens = false) : holder_(OfThisProcess(raw), raw.task_id()) {
    if (!opens) return;
    const GilRelease release;
    raw.pool_->Reopen();
  }

 private:
  // Looked at first: the thread that holds the lock may be one that the child does not have.
  static PoolLock& OfThisProcess(CompiledPool& raw) {
    if (raw.forks_ != ForkCount().load(std::memory_order_relaxed)) {
      throw Error(ErrorKind::kState, "use of " + raw.task_id(),
                  "a pool that was made before fork()",
                  "pools in the process that made them (their threads do not survive a fork)",
                  "make the pool in the child process");
    }
    return raw.lock_;
  }

  PoolLock::Holder holder_;
};

inline void CompiledPool::SetResultLayouts(const py::object& step, const py::object& reset) {
  const Use use(*this);
  if (pool_->num_in_flight() > 0) {
    throw Error(ErrorKind::kState, "set_result_layouts of " + task_id(),
                std::to_string(pool_->num_in_flight()) + " results on the way",
                "a pool that has nothing on the way", "call recv() first");
  }
  auto step_layout = std::make_unique<ResultLayout>(step, *memory_);
  reset_layout_ = std::make_unique<ResultLayout>(reset, *memory_);
  step_layout_ = std::move(step_layout);
}

template <typename F>
auto CompiledPool::Wait(F&& wait) {
  const Engine* engine = pool_->engine();
  if (engine != nullptr && engine->CallerSteps() &&
      engine->step_cost() * static_cast<float>(pool_->num_in_flight()) < detail::kKeepGilNs) {
    return wait([] {
      CheckSignals();
      const GilRelease release;  // it takes longer than thought: perhaps a worker wants the GIL
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  }
  GilRelease release;
  return wait([&release] { release.CheckSignals(); });
}

inline py::object CompiledPool::Receive(bool newest, bool reset, Engine::Clock::time_point deadline) {
  const Received received =
      Wait([&](const auto& on_nap) { return pool_->Recv(newest, on_nap, deadline); });
  Remember(received);
  return Deliver(received, reset);
}

inline py::object CompiledPool::Deliver(const Received& received, bool reset) {
  const auto give_back = [&] {
    memory_->Detach(*received.batch);
    pool_->Release(received.batch);
  };
  py::object result;
  try {
    result = (reset ? *reset_layout_ : *step_layout_).Build(received, *memory_);
  } catch (...) {  // a class of the layout raised
    give_back();
    throw;
  }
  give_back();
  return result;
}

inline void CompiledPool::Remember(const Received& received) {
  const int* env_id = received.batch->column<int>(kEnvIdColumn);
  if (!pool_->synchronous()) last_ids_.assign(env_id, env_id + received.rows);
  if (pool_->action_layout().max_players == 1) return;
  for (int row = 0; row < received.rows; ++row) {
    pool_->last_players(env_id[row]) = received.batch->players[static_cast<std::size_t>(row)];
  }
}

inline py::object CompiledPool::Step(const py::object& action, const py::object& env_id) {
  const Use use(*this);
  if (SendActions(action, env_id, true) == 0 && pool_->synchronous()) {
    return Deliver(pool_->Nothing(), false);
  }
  return Receive(pool_->synchronous(), false, Engine::Clock::time_point::max());
}

inline void CompiledPool::Send(const py::object& action, const py::object& env_id) {
  const Use use(*this);
  SendActions(action, env_id, false);
}

inline py::object CompiledPool::Recv(bool reset, std::optional<double> timeout) {
  const Use use(*this);
  auto deadline = Engine::Clock::time_point::max();
  if (timeout.has_value()) {
    if (!(*timeout >= 0)) {
      throw Error(ErrorKind::kConfig, "recv(timeout=...) of " + task_id(), std::to_string(*timeout),
                  "seconds from 0, or None to wait for as long as it takes", "correct the timeout");
    }
    // A year is for ever, and fits into the clock.
    deadline = Engine::Clock::now() + std::chrono::duration_cast<Engine::Clock::duration>(
                                          std::chrono::duration<double>(std::min(*timeout, 3e7)));
  }
  return Receive(false, reset, deadline);
}

inline py::object CompiledPool::Reset(const py::object& env_id, const py::object& seed) {
  const Use use(*this, true);
  if (SendReset(env_id, seed, true) == 0) return Deliver(pool_->Nothing(), true);
  return Receive(pool_->synchronous(), true, Engine::Clock::time_point::max());
}

inline void CompiledPool::AsyncReset(const py::object& env_id, const py::object& seed) {
  const Use use(*this, true);
  SendReset(env_id, seed, false);
}

inline py::array CompiledPool::Render(const py::object& env_ids, int width, int height, int camera_id) {
  const Use use(*this);
  const Ids ids = ParseIds(env_ids, "render(env_ids=...)");
  const auto id_at = [&](int i) { return ids.ids == nullptr ? i : ids.ids[i]; };
  if (ids.count == 0) {
    throw Error(ErrorKind::kRender, "render of " + task_id(), "no env ids", "at least one id",
                "pass env_ids, or None for render_env_id");
  }
  const auto [w, h] = pool_->RenderSize(id_at(0), width, height);
  if (w < 1 || h < 1 || w > detail::kMostPixels || h > detail::kMostPixels) {
    throw Error(ErrorKind::kRender, "render of " + task_id(),
                "a picture of " + std::to_string(w) + " x " + std::to_string(h),
                "1 .. " + std::to_string(detail::kMostPixels) + " pixels each way",
                "correct render_width and render_height");
  }
  for (int i = 1; i < ids.count; ++i) {
    if (pool_->RenderSize(id_at(i), width, height) == std::pair(w, h)) continue;
    throw Error(ErrorKind::kRender, "render of " + task_id(), "environments of different sizes",
                "pictures of one size in a call", "render them one by one");
  }
  py::array_t<std::uint8_t> frames({ids.count, h, w, 3});
  auto* rgb = frames.mutable_data();
  const GilRelease release;
  for (int i = 0; i < ids.count; ++i, rgb += static_cast<std::size_t>(w) * h * 3) {
    pool_->Render(id_at(i), w, h, camera_id, rgb);
  }
  return frames;
}

inline py::list CompiledPool::SaveState(const py::object& env_ids) {
  const Use use(*this);
  const Ids ids = ParseIds(env_ids, "save_state(env_ids)");
  py::list states;
  for (int i = 0; i < ids.count; ++i) {
    states.append(py::bytes(pool_->SaveState(ids.ids == nullptr ? i : ids.ids[i])));
  }
  return states;
}

inline void CompiledPool::LoadState(const py::list& states, const py::object& env_ids) {
  const Use use(*this);
  const Ids ids = ParseIds(env_ids, "load_state(states, env_ids)");
  if (states.size() != static_cast<std::size_t>(ids.count)) {
    throw Error(ErrorKind::kSavedState, "load_state of " + task_id(),
                std::to_string(states.size()) + " states",
                std::to_string(ids.count) + " states, one for each env id",
                "pass as many states as ids");
  }
  const auto id_at = [&](int i) { return ids.ids == nullptr ? i : ids.ids[i]; };
  std::vector<std::string> fresh, old;
  for (int i = 0; i < ids.count; ++i) {
    const py::handle state = states[static_cast<std::size_t>(i)];
    if (!py::isinstance<py::bytes>(state)) {
      throw Error(ErrorKind::kSavedState, "load_state of " + task_id(), detail::Text(state),
                  "bytes", "pass what save_state returned");
    }
    pool_->CheckIdle(id_at(i), "load_state", true);
    fresh.push_back(state.cast<std::string>());
    old.push_back(pool_->SaveState(id_at(i)));
  }
  int loading = 0;
  try {
    for (; loading < ids.count; ++loading) {
      pool_->LoadState(id_at(loading), fresh[static_cast<std::size_t>(loading)]);
    }
  } catch (const Error&) {
    for (; loading >= 0; --loading) {
      pool_->LoadState(id_at(loading), old[static_cast<std::size_t>(loading)]);
    }
    throw;
  }
}

inline void CompiledPool::Close() {
  if (forks_ != ForkCount().load()) return;
  const Use use(*this);
  const auto deadline = Engine::Clock::now() + detail::kClosePatience;
  for (;;) {
    {
      const GilRelease release;
      if (pool_->Close(Engine::Clock::now() + detail::kCloseSlice)) return;
    }
    CheckSignals();
    if (Engine::Clock::now() < deadline) continue;
    throw Error(ErrorKind::kState, "close of " + task_id(),
                "an environment that has not returned from Reset or Step for 30 s",
                "environments that return", "call close() again to go on waiting");
  }
}

inline void CompiledPool::Shutdown() noexcept {
  if (pool_ == nullptr || pool_->closed()) return;
  const bool forked = forks_ != ForkCount().load();
  if (!forked && pool_->Close(Engine::Clock::now() + detail::kDropPatience)) return;
  // Threads that do not exist in this process, or that are inside an environment, may still need
  // all of it.
  if (!forked) pool_->Abandon();
  static_cast<void>(pool_.release());
  static_cast<void>(memory_.release());
}

inline CompiledPool::~CompiledPool() {
  const GilRelease release;
  Shutdown();
}

}  // namespace envpool::python

#include "envpool/binding/raw_send_inl.h"
