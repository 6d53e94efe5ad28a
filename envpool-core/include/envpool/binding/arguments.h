// SPDX-License-Identifier: Apache-2.0
// Arguments: what Python passes to a pool, understood: environment ids, actions, players and seeds.
//
//   const Ids ids = arguments.IdsForAction(action, env_id);
//   pool.CheckSend(ids.ids, ids.count, Op::kStep);
//   arguments.WriteAction(action, ids);
//
// An object that cannot be read is refused with one of our errors, whose cause is what it raised;
// Ctrl-C in the middle of it is raised on.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "envpool/binding/convert.h"
#include "envpool/binding/raise.h"
#include "envpool/engine/pool.h"

namespace envpool::python {

/// Environments of a call: `ids` points to `count` of them, or is null for all. They hold until the
/// next call that parses some.
struct Ids {
  const int* ids = nullptr;
  int count = 0;
  int at(int i) const { return ids == nullptr ? i : ids[i]; }
};

class Arguments {
 public:
  /// `pool` outlives it.
  explicit Arguments(Pool& pool)
      : pool_(pool), synchronous_(pool.options().synchronous()), layout_(pool.action_layout()) {
    for (const ArraySpec& array : layout_.arrays) keys_.emplace_back(array.name);
  }

  /// Throws Error(kEnvId) unless these are whole numbers; whether they are ids is for the pool.
  Ids ParseIds(const py::handle& env_id, const char* what) {
    if (env_id.is_none()) return {nullptr, pool_.num_envs()};
    ReadIds(env_id, what, ids_);
    return {ids_.data(), static_cast<int>(ids_.size())};
  }
  /// Whom an action is for: `env_id`, what the action itself says, those whose results came last,
  /// or everybody.
  Ids IdsForAction(const py::object& action, const py::object& env_id);
  /// Writes the arrays of an action into the table of the pool. Throws Error(kAction).
  void WriteAction(const py::object& action, const Ids& ids);
  /// One seed for each environment; empty for None. Throws Error(kConfig).
  std::vector<std::int64_t> ParseSeeds(const py::object& seed, const Ids& ids) const;
  /// Whose results were received last; empty unless the pool is asynchronous.
  const std::vector<int>& last_ids() const { return last_ids_; }
  /// Keeps whose results were received last, and how many players each had.
  void Remember(const Received& received);

 private:
  // How many rows each environment of a call has in per-player actions.
  struct Players {
    std::vector<int> env_ids, slots;
  };

  const std::string& task_id() const { return pool_.options().task_id; }
  void ReadIds(const py::handle& env_id, const char* what, std::vector<int>& out) const;
  Ids DefaultIds(const py::handle& action) const;
  void WriteDict(const py::dict& action, const Ids& ids);
  Players ParsePlayers(const py::dict& action, const Ids& ids);
  void WriteArray(std::size_t key, const py::handle& value, const ActionRows& rows);
  static bool IsOneRow(const py::array& array);
  void CheckShape(std::size_t key, const py::array& array, const ActionRows& rows);
  std::string ShapeText(std::size_t key, const ActionRows& rows) const;

  Pool& pool_;
  const bool synchronous_;
  const Columns& layout_;
  std::vector<py::str> keys_;
  std::vector<int> ids_;
  std::vector<int> last_ids_;  // environments of the batch received last; asynchronous only
};

namespace detail {

inline constexpr int kPlainArray =
    py::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_ | py::detail::npy_api::NPY_ARRAY_ALIGNED_;

/// The object as an array; null, with `cause` set, when NumPy cannot read it.
inline py::array ToArray(const py::handle& value, py::object& cause) {
  if (py::isinstance<py::array>(value)) return py::reinterpret_borrow<py::array>(value);
  PyObject* array =
      py::detail::npy_api::get().PyArray_FromAny_(value.ptr(), nullptr, 0, 0, 0, nullptr);
  if (array == nullptr) {
    cause = TakeCause();
    return py::reinterpret_steal<py::array>(py::handle());
  }
  return py::reinterpret_steal<py::array>(array);
}

[[noreturn]] inline void Throw(const Error& error, const py::object& cause) {
  if (!cause) throw error;
  throw ErrorWithCause(error, cause);
}

}  // namespace detail

inline void Arguments::ReadIds(const py::handle& env_id, const char* what,
                               std::vector<int>& out) const {
  py::object cause;
  const auto refuse = [&](const std::string& got, const std::string& allowed) {
    detail::Throw(Error(ErrorKind::kEnvId, what + (" of " + task_id()), got, allowed,
                        "pass ids of this pool, see all_env_ids"),
                  cause);
  };
  constexpr const char* numbers = "a whole number or a one-dimensional array of them";
  const py::array array = detail::ToArray(env_id, cause);
  if (!array) refuse(Text(env_id), numbers);
  const py::dtype dtype = array.dtype();
  if (array.ndim() > 1) {
    refuse("an array of " + std::to_string(array.ndim()) + " dimensions", numbers);
  }
  if (dtype.kind() != 'i' && dtype.kind() != 'u' && array.size() > 0) {
    refuse(Text(env_id) + " of dtype " + py::str(dtype).cast<std::string>(), numbers);
  }
  const auto read = [&](const auto* ids) {
    out.resize(static_cast<std::size_t>(array.size()));
    const auto n = static_cast<std::uint64_t>(pool_.num_envs());
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (static_cast<std::uint64_t>(ids[i]) >= n) {
        refuse("env id " + std::to_string(ids[i]), "0 .. " + std::to_string(pool_.num_envs() - 1));
      }
      out[i] = static_cast<int>(ids[i]);
    }
  };
  // What recv returns as env_id needs no conversion.
  if (dtype.num() == py::dtype::of<int>().num() && dtype.byteorder() == '=' &&
      (array.flags() & detail::kPlainArray) == detail::kPlainArray) {
    read(static_cast<const int*>(array.data()));
  } else {
    read(py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(array).data());
  }
}

inline Ids Arguments::IdsForAction(const py::object& action, const py::object& env_id) {
  if (!env_id.is_none()) return ParseIds(env_id, "env_id");
  if (py::isinstance<py::dict>(action)) {
    const auto dict = py::reinterpret_borrow<py::dict>(action);
    if (dict.contains(keys_[0])) {
      const py::object own = dict[keys_[0]];
      if (!own.is_none()) return ParseIds(own, "env_id");
    }
  }
  return DefaultIds(action);
}

inline Ids Arguments::DefaultIds(const py::handle& action) const {
  const Ids everybody{nullptr, pool_.num_envs()};
  if (synchronous_ || last_ids_.empty()) return everybody;
  // With a row for each player the number of rows does not say whose they are.
  const bool silent = py::isinstance<py::dict>(action) ||
                      (layout_.max_players > 1 && layout_.arrays.back().per_player());
  const py::ssize_t rows = silent ? 0 : PyObject_Size(action.ptr());
  if (rows < 0) TakeCause();  // a lone number
  if (rows == pool_.num_envs()) return everybody;
  return {last_ids_.data(), static_cast<int>(last_ids_.size())};
}

inline void Arguments::WriteAction(const py::object& action, const Ids& ids) {
  if (py::isinstance<py::dict>(action)) {
    WriteDict(py::reinterpret_borrow<py::dict>(action), ids);
  } else if (keys_.size() != kNumCommonActions + 1) {
    throw Error(ErrorKind::kAction, "action of " + task_id(), Text(action),
                "a dict, because this task has several action arrays",
                "see action_space for their names");
  } else if (layout_.max_players == 1) {
    WriteArray(kNumCommonActions, action, {ids.ids, nullptr, ids.count});
  } else {
    py::dict single;
    single[keys_.back()] = action;
    WriteDict(single, ids);
  }
}

inline void Arguments::WriteDict(const py::dict& action, const Ids& ids) {
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
      throw Error(ErrorKind::kAction, "action of " + task_id(), "key " + Text(key), names(),
                  "remove or rename the key");
    }
  }
  // One player in each needs no telling, but may be told, in another order than that of env_id.
  const bool told = layout_.max_players > 1 || action.contains(keys_[1]);
  Players players;
  if (told) players = ParsePlayers(action, ids);
  for (std::size_t k = kNumCommonActions; k < keys_.size(); ++k) {
    if (!action.contains(keys_[k])) {
      throw Error(ErrorKind::kAction, "action of " + task_id(),
                  "no key '" + keys_[k].cast<std::string>() + "'", names(), "add the key");
    }
    const bool per_player = told && layout_.arrays[k].per_player();
    WriteArray(k, action[keys_[k]],
               per_player ? ActionRows{players.env_ids.data(), players.slots.data(),
                                       static_cast<int>(players.env_ids.size())}
                          : ActionRows{ids.ids, nullptr, ids.count});
  }
}

inline void Arguments::WriteArray(std::size_t key, const py::handle& value,
                                  const ActionRows& rows) {
  const ActionTable& table = pool_.actions();
  const auto refuse = [&](const std::string& got) {
    table.Refuse(key, got, "numbers of shape " + ShapeText(key, rows));
  };
  py::object cause;
  const py::array array = detail::ToArray(value, cause);
  if (!array) {
    try {
      refuse(Text(value));
    } catch (const Error& error) {
      throw ErrorWithCause(error, cause);
    }
  }
  CheckShape(key, array, rows);
  const py::dtype dtype = array.dtype();
  const int number = dtype.num();
  if ((array.flags() & detail::kPlainArray) == detail::kPlainArray && dtype.byteorder() == '=') {
    const auto write = [&](Numbers::Type type) { table.Write(key, {type, array.data()}, rows); };
    if (number == py::dtype::of<std::int64_t>().num()) return write(Numbers::kInt64);
    if (number == py::dtype::of<std::int32_t>().num()) return write(Numbers::kInt32);
    if (number == py::dtype::of<float>().num()) return write(Numbers::kFloat32);
    if (number == py::dtype::of<double>().num()) return write(Numbers::kFloat64);
  }
  constexpr int kForce = py::array::c_style | py::array::forcecast;
  const char kind = dtype.kind();
  if (kind == 'u' && array.itemsize() == 8) {
    const py::array_t<std::uint64_t, kForce> wide(array);
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const std::uint64_t* const end = wide.data() + wide.size();
    const std::uint64_t* const found =
        std::find_if(wide.data(), end, [](std::uint64_t number) { return number > kMost; });
    if (found != end) {
      table.Refuse(key, std::to_string(*found),
                   envpool::detail::BoundsText(layout_.arrays[key], 0));
    }
  }
  if (kind == 'u' || kind == 'b' || kind == 'i') {
    table.Write(key, {Numbers::kInt64, py::array_t<std::int64_t, kForce>(array).data()}, rows);
  } else if (kind == 'f') {
    table.Write(key, {Numbers::kFloat64, py::array_t<double, kForce>(array).data()}, rows);
  } else {
    refuse(Text(value) + " of dtype " + py::str(dtype).cast<std::string>());
  }
}

/// Whether all rows of an array are the same.
inline bool Arguments::IsOneRow(const py::array& array) {
  const py::array plain = py::array::ensure(array, py::array::c_style);
  if (!plain || array.dtype().kind() == 'O' || array.shape(0) < 2) return false;
  const auto* bytes = static_cast<const std::byte*>(plain.data());
  const auto size = static_cast<std::size_t>(plain.nbytes() / plain.shape(0));
  return std::memcmp(bytes, bytes + size, static_cast<std::size_t>(plain.nbytes()) - size) == 0;
}

inline void Arguments::CheckShape(std::size_t key, const py::array& array, const ActionRows& rows) {
  const ArraySpec& spec = layout_.arrays[key];
  const int* item = spec.shape.data() + (spec.per_player() ? 1 : 0);
  const auto rank = static_cast<py::ssize_t>(spec.shape.size()) - (spec.per_player() ? 1 : 0);
  bool fits = array.ndim() == rank + 1;
  for (py::ssize_t i = 0; fits && i < rank; ++i) fits = array.shape(i + 1) == item[i];
  // Rows for all environments, where ids name fewer, may be a mistake, unless it does not matter
  // which row is whose.
  if (fits && array.shape(0) != rows.count) {
    fits = array.shape(0) == pool_.num_envs() && array.shape(0) > rows.count && IsOneRow(array);
  }
  // A column of numbers, as a network gives them.
  if (rank == 0 && array.ndim() == 2 && array.shape(0) == rows.count && array.shape(1) == 1) return;
  // A lone number stands for the action of a lone environment.
  if (fits || (array.ndim() == 0 && rank == 0 && rows.count == 1)) return;
  std::string shape = "(";
  for (py::ssize_t i = 0; i < array.ndim(); ++i) shape += std::to_string(array.shape(i)) + ", ";
  if (array.ndim() > 1) shape.resize(shape.size() - 2);
  if (array.ndim() == 1) shape.resize(shape.size() - 1);
  pool_.actions().Refuse(
      key, "shape " + shape + ")",
      "shape " + ShapeText(key, rows) +
          (spec.per_player() && layout_.max_players > 1 ? ", one row per player"
                                                        : ", one row per environment id"));
}

inline std::string Arguments::ShapeText(std::size_t key, const ActionRows& rows) const {
  std::string text = "(" + std::to_string(rows.count);
  const std::vector<int> item = layout_.arrays[key].item_shape();
  for (int dim : item) text += ", " + std::to_string(dim);
  return text + (item.empty() ? ",)" : ")");
}

inline Arguments::Players Arguments::ParsePlayers(const py::dict& action, const Ids& ids) {
  ActionTable& table = pool_.actions();
  const int most = layout_.max_players;
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
      if (!layout_.arrays[k].per_player() || !action.contains(keys_[k])) continue;
      py::object cause;
      const py::array array = detail::ToArray(action[keys_[k]], cause);
      if (array && array.ndim() > 0) rows = static_cast<int>(array.shape(0));
    }
    // As many as the environment's last result had. One that has had none takes its first action
    // for a reset and looks at no row: several such have equally many.
    int last = 0, fresh = 0;
    for (int i = 0; i < ids.count; ++i) {
      const std::int32_t count = table.last_players(ids.at(i));
      (count == ActionTable::kNoResult ? fresh : last) +=
          count == ActionTable::kNoResult ? 1 : count;
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
      const std::int32_t count = table.last_players(ids.at(i));
      players.env_ids.insert(
          players.env_ids.end(),
          static_cast<std::size_t>(count == ActionTable::kNoResult ? each : count), ids.at(i));
    }
  }
  std::vector<std::int32_t> counts(static_cast<std::size_t>(pool_.num_envs()), -1);
  for (int i = 0; i < ids.count; ++i) counts[static_cast<std::size_t>(ids.at(i))] = 0;
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
    if (most == 1 && counts[static_cast<std::size_t>(ids.at(i))] == 0) {
      refuse("no player for env " + std::to_string(ids.at(i)), "one player for each env in env_id");
    }
    table.players(ids.at(i)) = counts[static_cast<std::size_t>(ids.at(i))];
  }
  return players;
}

inline std::vector<std::int64_t> Arguments::ParseSeeds(const py::object& seed,
                                                       const Ids& ids) const {
  std::vector<std::int64_t> seeds;
  if (seed.is_none()) return seeds;
  py::object cause;
  const auto refuse = [&](const std::string& got) {
    detail::Throw(Error(ErrorKind::kConfig, "reset(seed=...) of " + task_id(), got,
                        "a whole number from 0, or a sequence of " + std::to_string(ids.count) +
                            " of them, one for each environment that is reset",
                        "correct the seed; nothing was reset"),
                  cause);
  };
  const bool one = PyIndex_Check(seed.ptr()) != 0 && PySequence_Check(seed.ptr()) == 0;
  try {
    if (one) {
      const auto base = FromPython<std::int64_t>(seed);
      if (base < 0 || base > std::numeric_limits<std::int64_t>::max() - pool_.num_envs()) {
        refuse(std::to_string(base));
      }
      for (int i = 0; i < ids.count; ++i) seeds.push_back(base + ids.at(i));
    } else {
      for (const py::handle item : py::iter(seed)) {
        seeds.push_back(item.is_none() ? -1 : FromPython<std::int64_t>(item));
      }
    }
  } catch (const py::cast_error&) {
    refuse(Text(seed));
  } catch (py::error_already_set& raised) {
    if (!raised.matches(PyExc_Exception)) throw;
    cause = raised.value();
    refuse(Text(seed));
  }
  if (seeds.size() != static_cast<std::size_t>(ids.count)) {
    refuse(std::to_string(seeds.size()) + " seeds");
  }
  if (std::any_of(seeds.begin(), seeds.end(), [](std::int64_t value) { return value < 0; })) {
    refuse(Text(seed));
  }
  return seeds;
}

inline void Arguments::Remember(const Received& received) {
  const int* env_id = received.batch->column<int>(kEnvIdColumn);
  if (!synchronous_) last_ids_.assign(env_id, env_id + received.rows);
  if (layout_.max_players == 1) return;
  for (int row = 0; row < received.rows; ++row) {
    pool_.actions().last_players(env_id[row]) =
        received.batch->players[static_cast<std::size_t>(row)];
  }
}

}  // namespace envpool::python
