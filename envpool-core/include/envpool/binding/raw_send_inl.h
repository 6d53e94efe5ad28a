// SPDX-License-Identifier: Apache-2.0
// How a CompiledPool understands what it is given: environment ids, actions, players and seeds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "envpool/binding/raw_pool.h"

namespace envpool::python {

inline CompiledPool::Ids CompiledPool::ParseIds(const py::handle& env_id, const char* what) {
  if (env_id.is_none()) return {nullptr, pool_->num_envs()};
  ReadIds(env_id, what, ids_);
  return {ids_.data(), static_cast<int>(ids_.size())};
}

inline void CompiledPool::ReadIds(const py::handle& env_id, const char* what,
                             std::vector<int>& out) const {
  const auto refuse = [&](const std::string& got, const std::string& allowed) {
    throw Error(ErrorKind::kEnvId, std::string(what) + " of " + task_id(), got, allowed,
                "pass ids of this pool, see all_env_ids");
  };
  constexpr const char* numbers = "a whole number or a one-dimensional array of them";
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
inline CompiledPool::Ids CompiledPool::DefaultIds(const py::handle& action) const {
  const Ids everybody{nullptr, pool_->num_envs()};
  if (pool_->synchronous() || last_ids_.empty()) return everybody;
  // With a row for each player the number of rows does not say whose they are.
  const Layout& layout = pool_->action_layout();
  const bool silent = py::isinstance<py::dict>(action) ||
                      (layout.max_players > 1 && layout.arrays.back().per_player());
  const py::ssize_t rows = silent ? 0 : PyObject_Size(action.ptr());
  if (rows < 0) PyErr_Clear();  // a lone number
  if (rows == pool_->num_envs()) return everybody;
  return {last_ids_.data(), static_cast<int>(last_ids_.size())};
}

inline int CompiledPool::SendActions(const py::object& action, const py::object& env_id,
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

inline void CompiledPool::WriteDict(const py::dict& action, const Ids& ids) {
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

inline CompiledPool::Players CompiledPool::ParsePlayers(const py::dict& action, const Ids& ids) {
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
    // As many as the environment's last result had. One that has had none takes its first action
    // for a reset and looks at no row: several such have equally many.
    int last = 0, fresh = 0;
    for (int i = 0; i < ids.count; ++i) {
      const std::int32_t count = pool_->last_players(id_at(i));
      (count == PoolBase::kNoResult ? fresh : last) += count == PoolBase::kNoResult ? 1 : count;
    }
    const int each = rows < 0 || fresh == 0 ? 1 : (rows - last) / fresh;
    if (rows >= 0 && (rows < last || rows != last + fresh * each)) {
      const std::string more =
          ", and equally many for each of the " + std::to_string(fresh) + " that have none yet";
      refuse(std::to_string(rows) + " rows for " + std::to_string(ids.count) + " environments",
             std::to_string(last) + " rows, the players of their last results" +
                 (fresh == 0 ? "" : more));
    }
    for (int i = 0; i < ids.count; ++i) {
      const std::int32_t count = pool_->last_players(id_at(i));
      players.env_ids.insert(players.env_ids.end(),
                             static_cast<std::size_t>(count == PoolBase::kNoResult ? each : count),
                             id_at(i));
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

inline int CompiledPool::SendReset(const py::object& env_id, const py::object& seed, bool recv_follows) {
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
  // What is in flight is replaced by the reset. An asynchronous pool can only drop everything: its
  // rows are already taken in the order in which environments finish.
  const bool drop = ids.count > 0 && (pool_->synchronous() || ids.ids == nullptr);
  const Op op = seeds.empty() ? Op::kReset : Op::kReseed;
  if (drop) {
    pool_->CheckSend(ids.ids, ids.count, op, true);  // before anything is lost
    Wait([&](const auto& on_nap) { pool_->Drop(ids.ids, ids.count, on_nap); });
  }
  pool_->CheckSend(ids.ids, ids.count, op);
  if (recv_follows && ids.count > 0) pool_->CheckRecv(ids.count);
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    pool_->SetSeed(ids.ids == nullptr ? static_cast<int>(i) : ids.ids[i], seeds[i]);
  }
  if (ids.count > 0) pool_->Send(ids.ids, ids.count, op);
  return ids.count;
}

}  // namespace envpool::python
