// SPDX-License-Identifier: Apache-2.0
// Arguments and results: the two ends of a call, as NumPy sees them.
//
//   const Ids ids = arguments.IdsForAction(action, env_id);     // what Python passed, understood
//   pool.CheckSend(ids.ids, ids.count, Op::kStep);
//   arguments.WriteAction(action, ids);
//   ...
//   py::object result = layout.Build(received, memory);         // what Python wants to see
//
// An object that cannot be read is refused with one of our errors, whose cause is what it raised;
// Ctrl-C in the middle of it is raised on.
//
// The columns of a batch are NumPy arrays. A layout is given by Python once, and built anew from
// the arrays of each batch:
//   "obs"                the array of that name
//   "final obs"          its value at the end of an episode that ended in this row (same-step)
//   "*"                  an array of True, one per row
//   ("obs", "reward")    a tuple
//   {"id": "info:id"}    a new dict
//   [TimeStep, "obs"]    TimeStep(obs)
//   None                 None
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/binding/convert.h"
#include "envpool/binding/raise.h"
#include "envpool/engine/pool.h"
#include "envpool/engine/result_batches.h"
#include "envpool/spec.h"

namespace envpool::python {

namespace py = pybind11;

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

using NpyFlags = py::detail::npy_api;

inline py::dtype NumpyType(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return py::dtype::of<bool>();
    case DType::kInt8:
      return py::dtype::of<std::int8_t>();
    case DType::kUint8:
      return py::dtype::of<std::uint8_t>();
    case DType::kInt16:
      return py::dtype::of<std::int16_t>();
    case DType::kUint16:
      return py::dtype::of<std::uint16_t>();
    case DType::kInt32:
      return py::dtype::of<std::int32_t>();
    case DType::kUint32:
      return py::dtype::of<std::uint32_t>();
    case DType::kInt64:
      return py::dtype::of<std::int64_t>();
    case DType::kUint64:
      return py::dtype::of<std::uint64_t>();
    case DType::kFloat32:
      return py::dtype::of<float>();
    case DType::kFloat64:
      return py::dtype::of<double>();
  }
  throw std::logic_error("unknown dtype");
}

/// Arrays of one column of the state, with room for `rows` environments, made once. An array is
/// free again when the ring holds the only reference to it: views, memoryviews, torch tensors and
/// the like all keep a reference to the array that they look into. What Python keeps is never
/// written again. Free arrays that nobody has needed for a few calls are given back.
class ArrayRing {
 public:
  ArrayRing(const ArraySpec& spec, std::size_t row_size, int rows, int max_players)
      : dtype_(NumpyType(spec.dtype)), bytes_(row_size * static_cast<std::size_t>(rows)) {
    shape_.push_back(rows * (spec.per_player() ? max_players : 1));
    for (int dim : spec.item_shape()) shape_.push_back(dim);
  }

  /// An array that nobody else sees; the one of the program, if it has given one since the last.
  py::array Take() {
    if (given_) return py::reinterpret_steal<py::array>(given_.release());
    std::size_t free = 0, found = ring_.size();
    for (std::size_t i = 0; i < ring_.size(); ++i) {
      if (Py_REFCNT(ring_[i].ptr()) != 1) continue;
      ++free;
      // The one that was used last is still in the cache.
      if (found == ring_.size() || i == last_) found = i;
    }
    if (free == 0) return Add();
    if (!Unchanged(ring_[found])) ring_[found] = Make();
    last_ = found;
    py::array taken = ring_[found];
    // One more than is taken may be needed soon; the others were a burst's.
    calls_with_surplus_ = free > 2 ? calls_with_surplus_ + 1 : 0;
    if (calls_with_surplus_ > kPatience) GiveBack();
    return taken;
  }

  /// Whether an array will do in place of one of the ring.
  bool IsLike(const py::array& array) const {
    return array.dtype().equal(dtype_) && HasShapeAndFlags(array) &&
           reinterpret_cast<std::uintptr_t>(array.data()) % dtype_.alignment() == 0;
  }
  /// The next that is taken is this one, which `IsLike`. It does not become part of the ring.
  void Give(py::object array) { given_ = std::move(array); }
  /// What `Give` wants, for messages.
  std::string Wanted() const {
    return "a contiguous, writable " + Text(dtype_) + " array of shape " +
           Text(py::tuple(py::cast(shape_)));
  }

  /// Gives back all that Python does not hold.
  void Clear() {
    ring_.clear();
    given_ = py::object();
    calls_with_surplus_ = 0;
  }

  /// The first `rows` rows of an array of this ring; the array itself when it has no more.
  static py::array Head(const py::array& array, py::ssize_t rows) {
    if (array.shape(0) == rows) return array;
    // Not through py::array, which asks for memory for the sizes.
    std::array<Py_intptr_t, kMostDimensions> shape;
    std::copy_n(array.shape(), array.ndim(), shape.begin());
    shape[0] = rows;
    const auto& numpy = py::detail::npy_api::get();
    PyObject* dtype = py::detail::array_proxy(array.ptr())->descr;
    Py_INCREF(dtype);  // taken by the call
    constexpr int kFlags = NpyFlags::NPY_ARRAY_C_CONTIGUOUS_ | NpyFlags::NPY_ARRAY_ALIGNED_ |
                           NpyFlags::NPY_ARRAY_WRITEABLE_;
    PyObject* head = numpy.PyArray_NewFromDescr_(
        numpy.PyArray_Type_, dtype, static_cast<int>(array.ndim()), shape.data(), nullptr,
        const_cast<void*>(array.data()), kFlags, nullptr);
    if (head == nullptr) throw py::error_already_set();
    numpy.PyArray_SetBaseObject_(head, array.inc_ref().ptr());
    return py::reinterpret_steal<py::array>(head);
  }

 private:
  // Of NumPy.
  static constexpr std::size_t kMostDimensions = 64;
  // Enough for the batches on the way and a caller that looks at the last few.
  static constexpr std::size_t kMost = 16;
  // Calls for which arrays that nobody needs are kept.
  static constexpr int kPatience = 2;

  py::array Add() {
    py::array fresh = Make();
    last_ = ring_.size() < kMost ? ring_.size() : (last_ + 1) % kMost;
    if (ring_.size() < kMost) {
      ring_.push_back(fresh);
    } else {
      ring_[last_] = fresh;  // Python collects results: what it keeps leaves the ring
    }
    return fresh;
  }

  void GiveBack() {
    bool spared = false;
    std::erase_if(ring_, [&](const py::array& array) {
      return Py_REFCNT(array.ptr()) == 1 && std::exchange(spared, true);
    });
    last_ = 0;
    calls_with_surplus_ = 0;
  }

  /// Python may give an array another shape or dtype in place, or forbid to write into it.
  bool Unchanged(const py::array& array) const {
    return py::detail::array_proxy(array.ptr())->descr == dtype_.ptr() && HasShapeAndFlags(array);
  }
  bool HasShapeAndFlags(const py::array& array) const {
    constexpr int kWanted = NpyFlags::NPY_ARRAY_C_CONTIGUOUS_ | NpyFlags::NPY_ARRAY_WRITEABLE_;
    return (array.flags() & kWanted) == kWanted &&
           std::equal(shape_.begin(), shape_.end(), array.shape(), array.shape() + array.ndim());
  }

  py::array Make() const {
    // Cache lines of two arrays, or of two threads' rows, do not mix.
    auto* memory = ::operator new(std::max<std::size_t>(bytes_, 1), std::align_val_t{64});
    py::capsule owner(memory, [](void* data) { ::operator delete(data, std::align_val_t{64}); });
    std::memset(memory, 0, bytes_);
    return py::array(dtype_, shape_, {}, memory, owner);
  }

  py::dtype dtype_;
  std::size_t bytes_;
  std::vector<py::ssize_t> shape_;
  std::vector<py::array> ring_;
  py::object given_;      // null, or the program's
  std::size_t last_ = 0;  // index of the array that was taken last
  int calls_with_surplus_ = 0;
};

/// A dynamic array of `rows` elements as a NumPy array of objects; elements that were not set are
/// None.
inline py::array TakeDynamic(const ArraySpec& spec, std::byte* slots, py::ssize_t rows) {
  std::vector<py::ssize_t> shape{rows};
  py::ssize_t count = rows;
  for (int dim : spec.item_shape()) {
    shape.push_back(dim);
    count *= dim;
  }
  py::array result(py::dtype("O"), shape);
  auto** items = static_cast<PyObject**>(result.mutable_data());
  for (py::ssize_t i = 0; i < count; ++i) {
    const DynamicArray taken = spec.take(slots + static_cast<std::size_t>(i) * spec.element_size);
    py::object item = py::none();
    if (taken.owner != nullptr) {
      // The capsule carries both: what to free, and how.
      auto* owned = new DynamicArray(taken);
      py::capsule owner(owned, [](void* data) {
        auto* array = static_cast<DynamicArray*>(data);
        array->free(array->owner);
        delete array;
      });
      item = py::array(NumpyType(spec.dtype),
                       std::vector<py::ssize_t>(taken.shape.begin(), taken.shape.end()), {},
                       taken.data, owner);
    }
    PyObject* old = items[i];
    items[i] = item.release().ptr();
    Py_XDECREF(old);
  }
  return result;
}

/// Memory of a pool's batches: NumPy arrays for the columns that a layout shows, plain memory for
/// the others.
class ResultMemory final : public BatchMemory {
 public:
  ResultMemory(const Columns& layout, int rows, bool same_step)
      : layout_(layout), rows_(rows), same_step_(same_step), shown_(layout.arrays.size()) {
    for (std::size_t i = 0; i < layout.arrays.size(); ++i) {
      for (auto* rings : {&rings_, &final_rings_}) {
        rings->emplace_back(layout.arrays[i], layout.row_sizes[i], rows, layout.max_players);
      }
    }
  }
  ResultMemory(const ResultMemory&) = delete;
  ResultMemory& operator=(const ResultMemory&) = delete;

  void Show(std::size_t column) { shown_.at(column) = true; }
  /// Only observations, infos and the step counter have a final copy.
  bool has_final(std::size_t column) const {
    return same_step_ && (column >= kNumCommonColumns || column == kElapsedStepColumn);
  }
  std::size_t num_columns() const { return layout_.arrays.size(); }
  /// The column of this name, or num_columns().
  std::size_t Find(const std::string& name) const {
    const auto& arrays = layout_.arrays;
    const auto found = std::find_if(arrays.begin(), arrays.end(),
                                    [&](const ArraySpec& array) { return array.name == name; });
    return static_cast<std::size_t>(found - arrays.begin());
  }
  const Columns& layout() const { return layout_; }

  /// While it lives, batches get plain memory, for which nobody needs the GIL.
  class WithoutGil {
   public:
    explicit WithoutGil(ResultMemory& memory) : memory_(memory) { memory_.without_gil_ = true; }
    ~WithoutGil() { memory_.without_gil_ = false; }
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;

   private:
    ResultMemory& memory_;
  };

  void Attach(Batch& batch) override {
    if (without_gil_) return AttachPlain(batch);
    if (batch.id < plain_slots_.size()) plain_slots_[batch.id].used = false;
    if (slots_.size() <= batch.id) slots_.resize(batch.id + 1);
    Slot& slot = slots_[batch.id];
    if (slot.arrays.empty()) MakeSlot(slot);
    if (same_step_) batch.final_columns.resize(num_columns());
    batch.flags_only = !shown_[kDoneColumn] && !shown_[kDiscountColumn] && !shown_[kStepTypeColumn];
    for (std::size_t i = 0; i < num_columns(); ++i) {
      if (UsesArray(i)) {
        slot.arrays[i] = rings_[i].Take();
        batch.columns[i] = static_cast<std::byte*>(slot.arrays[i].mutable_data());
        if (has_final(i)) {
          slot.final_arrays[i] = final_rings_[i].Take();
          batch.final_columns[i] = static_cast<std::byte*>(slot.final_arrays[i].mutable_data());
        }
      } else {
        batch.columns[i] = slot.plain[i].get();
        if (has_final(i)) batch.final_columns[i] = slot.final_plain[i].get();
      }
    }
  }

  /// The array of a column of a received batch.
  py::object Array(const Received& received, std::size_t column, bool final) {
    const ArraySpec& spec = layout_.arrays[column];
    const py::ssize_t rows = spec.per_player() ? received.players : received.rows;
    if (IsPlain(*received.batch)) return CopyOfPlain(*received.batch, column, final, rows);
    Slot& slot = slots_[received.batch->id];
    if (spec.dynamic()) {
      return TakeDynamic(
          spec, (final ? received.batch->final_columns : received.batch->columns)[column], rows);
    }
    return ArrayRing::Head(final ? slot.final_arrays[column] : slot.arrays[column], rows);
  }
  /// The next batch has these arrays, by their names in layouts, in place of the pool's own.
  void Give(const py::dict& arrays) {
    std::vector<std::pair<ArrayRing*, py::object>> given;
    for (const auto& [key, value] : arrays) {
      const auto name = py::cast<std::string>(key);
      ArrayRing* ring = RingOf(name);
      if (ring == nullptr) {
        throw Error(ErrorKind::kConfig, "set_result_arrays", "an array '" + name + "'",
                    "arrays that stand in a layout of set_result_layouts, and are not dynamic",
                    "leave it out");
      }
      if (!py::isinstance<py::array>(value) ||
          !ring->IsLike(py::reinterpret_borrow<py::array>(value))) {
        throw Error(ErrorKind::kConfig, "set_result_arrays, '" + name + "'",
                    py::isinstance<py::array>(value)
                        ? "an array of dtype " + Text(value.attr("dtype")) + " and shape " +
                              Text(value.attr("shape"))
                        : Text(value),
                    ring->Wanted(), "pass one with a row for each environment");
      }
      given.emplace_back(ring, py::reinterpret_borrow<py::object>(value));
    }
    for (auto& [ring, array] : given) ring->Give(std::move(array));
  }
  /// Gives back all memory that Python does not hold. No batch may be in use.
  void Clear() {
    ClearRings();
    slots_.clear();
    plain_slots_.clear();
  }
  /// Python has what it wants of the batch; arrays that it did not take are free again.
  void Detach(const Batch& batch) {
    if (IsPlain(batch)) return;
    Slot& slot = slots_[batch.id];
    for (py::array& array : slot.arrays) array = none_;
    for (py::array& array : slot.final_arrays) array = none_;
  }

 private:
  struct AlignedFree {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t{64}); }
  };
  struct Slot {
    std::vector<py::array> arrays, final_arrays;
    std::vector<std::unique_ptr<std::byte[]>> plain, final_plain;
  };

  // Of a batch that was opened without the GIL.
  struct PlainSlot {
    bool used = false;
    std::vector<std::unique_ptr<std::byte, AlignedFree>> columns, final_columns;
  };

  /// Where arrays of this name come from; null if none are shown.
  ArrayRing* RingOf(const std::string& name) {
    const bool is_final = name.starts_with("final ");
    const std::size_t column = Find(is_final ? name.substr(6) : name);
    if (column == num_columns() || !UsesArray(column) || (is_final && !has_final(column))) {
      return nullptr;
    }
    return &(is_final ? final_rings_ : rings_)[column];
  }
  void ClearRings() {
    for (auto* rings : {&rings_, &final_rings_}) {
      for (ArrayRing& ring : *rings) ring.Clear();
    }
  }
  bool IsPlain(const Batch& batch) const {
    return batch.id < plain_slots_.size() && plain_slots_[batch.id].used;
  }
  // Arrays that the batch had before stay in its slot: to let go of them needs the GIL.
  void AttachPlain(Batch& batch) {
    if (plain_slots_.size() <= batch.id) plain_slots_.resize(batch.id + 1);
    PlainSlot& slot = plain_slots_[batch.id];
    slot.used = true;
    slot.columns.resize(num_columns());
    slot.final_columns.resize(num_columns());
    if (same_step_) batch.final_columns.resize(num_columns());
    batch.flags_only = false;
    const auto plain = [&](std::unique_ptr<std::byte, AlignedFree>& memory, std::size_t column) {
      if (memory == nullptr) {
        const std::size_t bytes = layout_.row_sizes[column] * static_cast<std::size_t>(rows_) + 1;
        memory.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64})));
        std::memset(memory.get(), 0, bytes);
      }
      return memory.get();
    };
    for (std::size_t i = 0; i < num_columns(); ++i) {
      batch.columns[i] = plain(slot.columns[i], i);
      if (has_final(i)) batch.final_columns[i] = plain(slot.final_columns[i], i);
    }
  }
  py::array CopyOfPlain(const Batch& batch, std::size_t column, bool final, py::ssize_t rows) {
    py::array copy = (final ? final_rings_ : rings_)[column].Take();
    const std::byte* data = (final ? batch.final_columns : batch.columns)[column];
    std::memcpy(copy.mutable_data(), data,
                layout_.row_sizes[column] * static_cast<std::size_t>(batch.rows));
    return ArrayRing::Head(copy, rows);
  }
  bool UsesArray(std::size_t column) const {
    return shown_[column] && !layout_.arrays[column].dynamic();
  }
  void MakeSlot(Slot& slot) const {
    slot.arrays.assign(num_columns(), none_);
    slot.final_arrays.assign(num_columns(), none_);
    slot.plain.resize(num_columns());
    slot.final_plain.resize(num_columns());
    for (std::size_t i = 0; i < num_columns(); ++i) {
      if (UsesArray(i)) continue;
      const std::size_t bytes = layout_.row_sizes[i] * static_cast<std::size_t>(rows_) + 1;
      slot.plain[i] = std::make_unique<std::byte[]>(bytes);
      if (has_final(i)) slot.final_plain[i] = std::make_unique<std::byte[]>(bytes);
    }
  }

  const Columns& layout_;
  int rows_;
  bool same_step_;
  std::vector<bool> shown_;
  std::vector<ArrayRing> rings_, final_rings_;
  std::vector<Slot> slots_;
  std::vector<PlainSlot> plain_slots_;
  bool without_gil_ = false;
  py::array none_{py::dtype::of<bool>(), std::vector<py::ssize_t>{0}};
};

/// A layout, checked and ready to be built.
class ResultLayout {
 public:
  /// Throws py::value_error when `tree` is none of the forms above.
  ResultLayout(const py::handle& tree, ResultMemory& memory) : root_(Parse(tree, memory)) {}

  py::object Build(const Received& received, ResultMemory& memory) const {
    return Build(root_, received, memory);
  }

 private:
  enum class Kind { kNone, kColumn, kFinalColumn, kMask, kTuple, kDict, kCall };
  struct Node {
    Kind kind = Kind::kNone;
    std::size_t column = 0;
    py::object callable;
    std::vector<py::object> keys;
    std::vector<Node> children;
  };

  static Node Parse(const py::handle& tree, ResultMemory& memory) {
    Node node;
    if (tree.is_none()) return node;
    if (py::isinstance<py::str>(tree)) {
      const auto text = tree.cast<std::string>();
      if (text == "*") {
        node.kind = Kind::kMask;
        return node;
      }
      const bool is_final = text.starts_with("final ");
      node.kind = is_final ? Kind::kFinalColumn : Kind::kColumn;
      node.column = memory.Find(is_final ? text.substr(6) : text);
      if (node.column == memory.num_columns() || (is_final && !memory.has_final(node.column))) {
        throw py::value_error("layout: there is no array '" + text + "'");
      }
      memory.Show(node.column);
    } else if (py::isinstance<py::dict>(tree)) {
      node.kind = Kind::kDict;
      for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(tree)) {
        node.keys.push_back(py::reinterpret_borrow<py::object>(key));
        node.children.push_back(Parse(value, memory));
      }
    } else if (py::isinstance<py::tuple>(tree)) {
      node.kind = Kind::kTuple;
      for (const py::handle child : tree) node.children.push_back(Parse(child, memory));
    } else if (py::isinstance<py::list>(tree) && py::len(tree) > 0) {
      node.kind = Kind::kCall;
      const auto list = py::reinterpret_borrow<py::list>(tree);
      node.callable = list[0];
      for (std::size_t i = 1; i < list.size(); ++i) node.children.push_back(Parse(list[i], memory));
    } else {
      throw py::value_error("layout: got " + py::repr(tree).cast<std::string>());
    }
    return node;
  }

  static py::object Build(const Node& node, const Received& received, ResultMemory& memory) {
    switch (node.kind) {
      case Kind::kNone:
        return py::none();
      case Kind::kColumn:
        return memory.Array(received, node.column, false);
      case Kind::kFinalColumn:
        return memory.Array(received, node.column, true);
      case Kind::kMask: {
        py::array_t<bool> mask(received.rows);
        std::memset(mask.mutable_data(), 1, static_cast<std::size_t>(received.rows));
        return mask;
      }
      case Kind::kDict: {
        py::dict dict;
        for (std::size_t i = 0; i < node.keys.size(); ++i) {
          const py::object value = Build(node.children[i], received, memory);
          if (PyDict_SetItem(dict.ptr(), node.keys[i].ptr(), value.ptr()) != 0) {
            throw py::error_already_set();
          }
        }
        return dict;
      }
      case Kind::kTuple:
      case Kind::kCall: {
        py::tuple tuple(node.children.size());
        for (std::size_t i = 0; i < node.children.size(); ++i) {
          PyTuple_SET_ITEM(tuple.ptr(), static_cast<py::ssize_t>(i),
                           Build(node.children[i], received, memory).release().ptr());
        }
        if (node.kind == Kind::kTuple) return tuple;
        return py::reinterpret_steal<py::object>(
            Checked(PyObject_Call(node.callable.ptr(), tuple.ptr(), nullptr)));
      }
    }
    return py::none();
  }
  static PyObject* Checked(PyObject* object) {
    if (object == nullptr) throw py::error_already_set();
    return object;
  }

  Node root_;
};

}  // namespace envpool::python
