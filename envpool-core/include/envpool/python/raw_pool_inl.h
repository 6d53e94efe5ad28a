// SPDX-License-Identifier: Apache-2.0
// How a RawPool works; its interface is raw_pool.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "envpool/python/raw_pool.h"

namespace envpool::python {

namespace detail {
using namespace std::chrono_literals;
// Work shorter than this is done with the GIL held: letting go of it costs about as much.
inline constexpr float kKeepGilNs = 4'000;
// How long close() and a dropped pool wait for an environment that does not return.
inline constexpr std::chrono::milliseconds kClosePatience = 30s, kDropPatience = 2s, kCloseSlice = 100ms;
// A frame larger than this in either direction is a mistake.
inline constexpr int kMostPixels = 16384;
}  // namespace detail

class RawPool::Use {
 public:
  explicit Use(RawPool& raw, bool opens = false) : holder_(OfThisProcess(raw), raw.task_id()) {
    if (!opens) return;
    const py::gil_scoped_release release;
    raw.pool_->Reopen();
  }

 private:
  // Looked at first: the thread that holds the lock may be one that the child does not have.
  static PoolLock& OfThisProcess(RawPool& raw) {
    if (raw.forks_ != ForkCount().load(std::memory_order_relaxed)) {
      throw Error(ErrorKind::kState, "use of " + raw.task_id(), "a pool that was made before fork()",
                  "pools in the process that made them (their threads do not survive a fork)",
                  "make the pool in the child process");
    }
    return raw.lock_;
  }

  PoolLock::Holder holder_;
};

inline void RawPool::SetLayout(const py::object& step, const py::object& reset) {
  const Use use(*this);
  if (pool_->num_in_flight() > 0) {
    throw Error(ErrorKind::kState, "set_layout of " + task_id(),
                std::to_string(pool_->num_in_flight()) + " results on the way",
                "a pool that has nothing on the way", "call recv() first");
  }
  auto step_layout = std::make_unique<ResultLayout>(step, *memory_);
  reset_layout_ = std::make_unique<ResultLayout>(reset, *memory_);
  step_layout_ = std::move(step_layout);
}

template <typename F>
auto RawPool::Wait(F&& wait) {
  const auto on_nap = [] {
    const py::gil_scoped_acquire acquire;
    CheckSignals();
  };
  const Engine* engine = pool_->engine();
  if (engine != nullptr && engine->CallerSteps() &&
      engine->step_cost() * static_cast<float>(pool_->num_in_flight()) < detail::kKeepGilNs) {
    return wait([&] {
      on_nap();  // longer than thought: perhaps a worker wants the GIL
      const py::gil_scoped_release release;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  }
  const py::gil_scoped_release release;
  return wait(on_nap);
}

inline RawPool::Ids RawPool::ParseIds(const py::handle& env_id, const char* what) {
  if (env_id.is_none()) return {nullptr, pool_->num_envs()};
  ReadIds(env_id, what, ids_);
  return {ids_.data(), static_cast<int>(ids_.size())};
}

inline void RawPool::ReadIds(const py::handle& env_id, const char* what,
                             std::vector<int>& out) const {
  const auto refuse = [&](const std::string& got, const std::string& allowed) {
    throw Error(ErrorKind::kEnvId, std::string(what) + " of " + task_id(), got, allowed,
                "pass ids of this pool, see all_env_ids");
  };
  const std::string numbers = "a whole number or a one-dimensional array of them";
  const py::array array = py::array::ensure(env_id);
  if (!array) {
    PyErr_Clear();
    refuse(detail::Text(env_id), numbers);
  }
  const py::dtype dtype = array.dtype();
  if (array.ndim() > 1) {
    refuse("an array of " + std::to_string(array.ndim()) + " dimensions", numbers);
  }
  if (dtype.kind() != 'i' && dtype.kind() != 'u' && array.size() > 0) {
    refuse(detail::Text(env_id) + " of dtype " + py::str(dtype).cast<std::string>(), numbers);
  }
  const auto read = [&](const auto* ids) {
    out.resize(static_cast<std::size_t>(array.size()));
    const auto n = static_cast<std::uint64_t>(pool_->num_envs());
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (static_cast<std::uint64_t>(ids[i]) >= n) {
        refuse("env id " + std::to_string(ids[i]), "0 .. " + std::to_string(pool_->num_envs() - 1));
      }
      out[i] = static_cast<int>(ids[i]);
    }
  };
  // What recv returns as env_id needs no conversion.
  constexpr int kPlain = NpyFlags::NPY_ARRAY_C_CONTIGUOUS_ | NpyFlags::NPY_ARRAY_ALIGNED_;
  if (dtype.num() == py::dtype::of<int>().num() && dtype.byteorder() == '=' &&
      (array.flags() & kPlain) == kPlain) {
    read(static_cast<const int*>(array.data()));
  } else {
    read(py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(array).data());
  }
}

/// Whom an action without env_id is for: everybody, or those whose results came last.
inline RawPool::Ids RawPool::DefaultIds(const py::handle& action) const {
  const Ids everybody{nullptr, pool_->num_envs()};
  if (pool_->synchronous() || last_ids_.empty()) return everybody;
  const py::ssize_t rows = py::isinstance<py::dict>(action) ? 0 : PyObject_Size(action.ptr());
  if (rows < 0) PyErr_Clear();  // a lone number
  if (rows == pool_->num_envs()) return everybody;
  return {last_ids_.data(), static_cast<int>(last_ids_.size())};
}

inline int RawPool::SendActions(const py::object& action, const py::object& env_id,
                                 bool recv_follows) {
  const bool is_dict = py::isinstance<py::dict>(action);
  py::object id = env_id;
  if (is_dict && id.is_none() && py::reinterpret_borrow<py::dict>(action).contains(keys_[0])) {
    id = py::reinterpret_borrow<py::dict>(action)[keys_[0]];
  }
  const Ids ids = id.is_none() ? DefaultIds(action) : ParseIds(id, "env_id");
  pool_->CheckSend(ids.ids, ids.count, Op::kStep);
  if (recv_follows && ids.count > 0) pool_->CheckRecv(ids.count);
  if (is_dict) {
    WriteDict(py::reinterpret_borrow<py::dict>(action), ids);
  } else if (writers_.size() == kNumCommonActions + 1 && pool_->action_layout().max_players == 1) {
    writers_.back().Write(action, {ids.ids, nullptr, ids.count});
  } else if (writers_.size() == kNumCommonActions + 1) {
    py::dict single;
    single[keys_.back()] = action;
    WriteDict(single, ids);
  } else {
    throw Error(ErrorKind::kAction, "action of " + task_id(), detail::Text(action),
                "a dict, because this task has several action arrays",
                "see action_space for their names");
  }
  if (ids.count > 0) pool_->Send(ids.ids, ids.count, Op::kStep);
  return ids.count;
}

inline void RawPool::WriteDict(const py::dict& action, const Ids& ids) {
  const auto names = [&] {
    std::string text;
    for (std::size_t k = kNumCommonActions; k < keys_.size(); ++k) {
      text += (text.empty() ? "" : ", ") + keys_[k].cast<std::string>();
    }
    return text + ", and optionally env_id, players.env_id";
  };
  for (const auto& [key, value] : action) {
    const bool known = std::any_of(keys_.begin(), keys_.end(),
                                   [&, k = key](const py::str& name) { return name.equal(k); });
    if (!known) {
      throw Error(ErrorKind::kAction, "action of " + task_id(), "key " + detail::Text(key), names(),
                  "remove or rename the key");
    }
  }
  // One player in each needs no telling, but may be told, in another order than that of env_id.
  const bool told = pool_->action_layout().max_players > 1 || action.contains(keys_[1]);
  Players players;
  if (told) players = ParsePlayers(action, ids);
  for (std::size_t k = kNumCommonActions; k < keys_.size(); ++k) {
    if (!action.contains(keys_[k])) {
      throw Error(ErrorKind::kAction, "action of " + task_id(),
                  "no key '" + keys_[k].cast<std::string>() + "'", names(), "add the key");
    }
    const bool per_player = told && pool_->action_layout().arrays[k].per_player();
    writers_[k].Write(action[keys_[k]],
                      per_player ? ActionRows{players.env_ids.data(), players.slots.data(),
                                              static_cast<int>(players.env_ids.size())}
                                 : ActionRows{ids.ids, nullptr, ids.count});
  }
}

inline RawPool::Players RawPool::ParsePlayers(const py::dict& action, const Ids& ids) {
  const auto id_at = [&](int i) { return ids.ids == nullptr ? i : ids.ids[i]; };
  const int most = pool_->action_layout().max_players;
  Players players;
  const auto refuse = [&](const std::string& got, const std::string& allowed) {
    throw Error(ErrorKind::kAction, "players.env_id of " + task_id(), got, allowed,
                "pass players.env_id with the environment of each player, as in info");
  };
  if (action.contains(keys_[1])) {
    ReadIds(action[keys_[1]], "players.env_id", players.env_ids);
  } else {
    int rows = -1;
    for (std::size_t k = kNumCommonActions; rows < 0 && k < keys_.size(); ++k) {
      if (!pool_->action_layout().arrays[k].per_player() || !action.contains(keys_[k])) continue;
      const py::array array = py::array::ensure(action[keys_[k]]);
      if (!array) PyErr_Clear();
      if (array && array.ndim() > 0) rows = static_cast<int>(array.shape(0));
    }
    // As many as the environment's last result had; or equally many in each.
    int last = 0;
    for (int i = 0; i < ids.count; ++i) last += last_players_[static_cast<std::size_t>(id_at(i))];
    const bool equal = rows >= 0 && ids.count > 0 && rows % ids.count == 0;
    if (rows >= 0 && rows != last && !equal) {
      refuse(std::to_string(rows) + " rows for " + std::to_string(ids.count) + " environments",
             std::to_string(last) + " rows, the players of their last results");
    }
    for (int i = 0; i < ids.count; ++i) {
      const int id = id_at(i);
      const int count = rows < 0 || rows == last ? last_players_[static_cast<std::size_t>(id)]
                                                 : rows / ids.count;
      players.env_ids.insert(players.env_ids.end(), static_cast<std::size_t>(count), id);
    }
  }
  std::vector<std::int32_t> counts(static_cast<std::size_t>(pool_->num_envs()), -1);
  for (int i = 0; i < ids.count; ++i) counts[static_cast<std::size_t>(id_at(i))] = 0;
  for (const int id : players.env_ids) {
    std::int32_t& count = counts[static_cast<std::size_t>(id)];
    if (count < 0) refuse("a player of env " + std::to_string(id), "players of the envs in env_id");
    if (count >= most) {
      refuse("more than " + std::to_string(most) + " players for env " + std::to_string(id),
             "at most max_num_players, " + std::to_string(most));
    }
    players.slots.push_back(count++);
  }
  for (int i = 0; i < ids.count; ++i) {
    if (most == 1 && counts[static_cast<std::size_t>(id_at(i))] == 0) {
      refuse("no player for env " + std::to_string(id_at(i)), "one player for each env in env_id");
    }
    pool_->action_players(id_at(i)) = counts[static_cast<std::size_t>(id_at(i))];
  }
  return players;
}

inline int RawPool::SendReset(const py::object& env_id, const py::object& seed,
                              bool recv_follows) {
  const Ids ids = ParseIds(env_id, "reset(env_id=...)");
  std::vector<std::int64_t> seeds;
  const auto refuse = [&](const std::string& got) {
    throw Error(ErrorKind::kConfig, "reset(seed=...) of " + task_id(), got,
                "a whole number from 0, or a sequence of " + std::to_string(ids.count) +
                    " of them, one for each environment that is reset",
                "correct the seed; nothing was reset");
  };
  if (!seed.is_none()) {
    const bool one = PyIndex_Check(seed.ptr()) != 0 && !py::hasattr(seed, "__len__");
    try {
      if (one) {
        const auto base = py::int_(seed).cast<std::int64_t>();
        if (base < 0 || base > std::numeric_limits<std::int64_t>::max() - pool_->num_envs()) {
          refuse(std::to_string(base));
        }
        for (int i = 0; i < ids.count; ++i) seeds.push_back(base + (ids.ids ? ids.ids[i] : i));
      } else {
        for (const py::handle item : py::iter(seed)) {
          seeds.push_back(item.is_none() ? -1 : item.cast<std::int64_t>());
        }
      }
    } catch (const py::cast_error&) {
      refuse(detail::Text(seed));
    } catch (const py::error_already_set&) {
      refuse(detail::Text(seed));
    }
    if (seeds.size() != static_cast<std::size_t>(ids.count)) {
      refuse(std::to_string(seeds.size()) + " seeds");
    }
    if (std::any_of(seeds.begin(), seeds.end(), [](auto value) { return value < 0; })) {
      refuse(detail::Text(seed));
    }
  }
  // What is in flight is replaced by the reset. An asynchronous pool can only drop everything: its rows are already
  // taken in the order in which environments finish.
  const bool drop = ids.count > 0 && (pool_->synchronous() || ids.ids == nullptr);
  if (drop) Wait([&](const auto& on_nap) { pool_->Drop(ids.ids, ids.count, on_nap); });
  const Op op = seeds.empty() ? Op::kReset : Op::kReseed;
  pool_->CheckSend(ids.ids, ids.count, op);
  if (recv_follows && ids.count > 0) pool_->CheckRecv(ids.count);
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    pool_->SetSeed(ids.ids == nullptr ? static_cast<int>(i) : ids.ids[i], seeds[i]);
  }
  if (ids.count > 0) pool_->Send(ids.ids, ids.count, op);
  return ids.count;
}

inline py::object RawPool::Receive(bool newest, bool reset, Engine::Clock::time_point deadline) {
  const Received received =
      Wait([&](const auto& on_nap) { return pool_->Recv(newest, on_nap, deadline); });
  Remember(received);
  return Deliver(received, reset);
}

inline py::object RawPool::Deliver(const Received& received, bool reset) {
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

inline void RawPool::Remember(const Received& received) {
  const int* env_id = received.batch->column<int>(kEnvIdColumn);
  if (!pool_->synchronous()) last_ids_.assign(env_id, env_id + received.rows);
  if (pool_->action_layout().max_players == 1) return;
  for (int row = 0; row < received.rows; ++row) {
    last_players_[static_cast<std::size_t>(env_id[row])] =
        received.batch->players[static_cast<std::size_t>(row)];
  }
}

inline py::object RawPool::Step(const py::object& action, const py::object& env_id) {
  const Use use(*this);
  if (SendActions(action, env_id, true) == 0 && pool_->synchronous()) {
    return Deliver(pool_->Nothing(), false);
  }
  return Receive(pool_->synchronous(), false, Engine::Clock::time_point::max());
}

inline void RawPool::Send(const py::object& action, const py::object& env_id) {
  const Use use(*this);
  SendActions(action, env_id, false);
}

inline py::object RawPool::Recv(bool reset, std::optional<double> timeout) {
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

inline py::object RawPool::Reset(const py::object& env_id, const py::object& seed) {
  const Use use(*this, true);
  if (SendReset(env_id, seed, true) == 0) return Deliver(pool_->Nothing(), true);
  return Receive(pool_->synchronous(), true, Engine::Clock::time_point::max());
}

inline void RawPool::AsyncReset(const py::object& env_id, const py::object& seed) {
  const Use use(*this, true);
  SendReset(env_id, seed, false);
}

inline py::array RawPool::Render(const py::object& env_ids, int width, int height, int camera_id) {
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
  const py::gil_scoped_release release;
  for (int i = 0; i < ids.count; ++i, rgb += static_cast<std::size_t>(w) * h * 3) {
    pool_->Render(id_at(i), w, h, camera_id, rgb);
  }
  return frames;
}

inline py::list RawPool::SaveState(const py::object& env_ids) {
  const Use use(*this);
  const Ids ids = ParseIds(env_ids, "save_state(env_ids)");
  py::list states;
  for (int i = 0; i < ids.count; ++i) {
    states.append(py::bytes(pool_->SaveState(ids.ids == nullptr ? i : ids.ids[i])));
  }
  return states;
}

inline void RawPool::LoadState(const py::list& states, const py::object& env_ids) {
  const Use use(*this);
  const Ids ids = ParseIds(env_ids, "load_state(states, env_ids)");
  if (states.size() != static_cast<std::size_t>(ids.count)) {
    throw Error(ErrorKind::kSavedState, "load_state of " + task_id(),
                std::to_string(states.size()) + " states", std::to_string(ids.count) +
                " states, one for each env id", "pass as many states as ids");
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

inline void RawPool::Close() {
  if (forks_ != ForkCount().load()) return;
  const Use use(*this);
  const auto deadline = Engine::Clock::now() + detail::kClosePatience;
  for (;;) {
    {
      const py::gil_scoped_release release;
      if (pool_->Close(Engine::Clock::now() + detail::kCloseSlice)) return;
    }
    CheckSignals();
    if (Engine::Clock::now() < deadline) continue;
    throw Error(ErrorKind::kState, "close of " + task_id(),
                "an environment that has not returned from Reset or Step for 30 s",
                "environments that return", "call close() again to go on waiting");
  }
}

inline void RawPool::Shutdown() noexcept {
  if (pool_ == nullptr || pool_->closed()) return;
  const bool forked = forks_ != ForkCount().load();
  if (!forked && pool_->Close(Engine::Clock::now() + detail::kDropPatience)) return;
  // Threads that do not exist in this process, or that are inside an environment, may still need all of it.
  if (!forked) pool_->Abandon();
  static_cast<void>(pool_.release());
  static_cast<void>(memory_.release());
}

inline RawPool::~RawPool() {
  const py::gil_scoped_release release;
  Shutdown();
}

}  // namespace envpool::python
