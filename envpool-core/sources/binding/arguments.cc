// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "envpool/engine/in_flight.h"

namespace envpool::python {

Arguments::Arguments(Pool& pool)
    : pool_(pool), synchronous_(pool.options().synchronous()), layout_(pool.action_layout()) {
  for (const ArraySpec& array : layout_.arrays) {
    // Interned, so that a literal of the program is found by its address.
    keys_.push_back(Checked(PyUnicode_InternFromString(array.name.c_str())));
  }
}

Ids Arguments::ParseIds(PyObject* env_id, const char* what) {
  if (IsNone(env_id)) return {nullptr, pool_.num_envs()};
  ReadIds(env_id, what, ids_);
  return {ids_.data(), static_cast<int>(ids_.size())};
}

void Arguments::ReadIds(PyObject* env_id, const char* what, std::vector<int>& out) const {
  Object cause;
  const auto refuse = [&](const std::string& got, const std::string& allowed) {
    Throw(Error(ErrorKind::kEnvId, what + (" of " + task_id()), got, allowed,
                "pass ids of this pool, see all_env_ids"),
          cause);
  };
  constexpr const char* numbers = "a whole number or a one-dimensional array of them";
  const NumpyArray array = NumpyArray::From(env_id, cause);
  if (!array) refuse(Repr(env_id), numbers);
  if (array.rank() > 1) {
    refuse("an array of " + std::to_string(array.rank()) + " dimensions", numbers);
  }
  if (array.kind() != 'i' && array.kind() != 'u' && array.size() > 0) {
    refuse(Repr(env_id) + " of dtype " + array.type_text(), numbers);
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
  // The env_id of a result needs no conversion.
  if (array.holds(DType::kInt32) && array.is_plain()) {
    read(static_cast<const int*>(array.data()));
  } else {
    read(static_cast<const std::int64_t*>(array.Plain(DType::kInt64).data()));
  }
}

Object Arguments::Flat(PyObject* action) {
  PyObject *key = nullptr, *value = nullptr;
  bool nested = false;
  for (Py_ssize_t at = 0;
       PyDict_Check(action) != 0 && PyDict_Next(action, &at, &key, &value) != 0;) {
    nested = nested || PyDict_Check(value) != 0;
  }
  if (!nested) return Object::Borrow(action);
  struct Depth {
    Depth() { Check(Py_EnterRecursiveCall(" in an action") == 0 ? 0 : -1); }
    ~Depth() { Py_LeaveRecursiveCall(); }
  };
  const Depth depth;  // a dict may be in itself
  Object flat = Checked(PyDict_New());
  const Object copy = Checked(PyDict_Copy(action));  // the text of a key may change the dict
  for (Py_ssize_t at = 0; PyDict_Next(copy.get(), &at, &key, &value) != 0;) {
    if (PyDict_Check(value) == 0) {
      Check(PyDict_SetItem(flat.get(), key, value));
      continue;
    }
    const Object inner = Flat(value);
    PyObject *inner_key = nullptr, *leaf = nullptr;
    for (Py_ssize_t i = 0; PyDict_Next(inner.get(), &i, &inner_key, &leaf) != 0;) {
      const Object name = Checked(PyUnicode_FromFormat("%S.%S", key, inner_key));
      Check(PyDict_SetItem(flat.get(), name.get(), leaf));
    }
  }
  return flat;
}

PyObject* Arguments::Find(PyObject* action, std::size_t key) const {
  PyObject* value = PyDict_GetItemWithError(action, keys_[key].get());
  if (value == nullptr && PyErr_Occurred() != nullptr) throw Raised();
  return value;
}

Ids Arguments::IdsForAction(PyObject* action, PyObject* env_id) {
  if (!IsNone(env_id)) return ParseIds(env_id, "env_id");
  if (PyDict_Check(action) != 0) {
    PyObject* own = Find(action, 0);
    if (own != nullptr && !IsNone(own)) return ParseIds(own, "env_id");
  }
  return DefaultIds(action);
}

void Arguments::RequireAllIds(PyObject* action, const char* call) {
  PyObject* env_id = PyDict_Check(action) == 0 ? nullptr : Find(action, 0);
  if (env_id == nullptr || IsNone(env_id)) return;
  const Ids ids = ParseIds(env_id, "env_id");
  bool all = ids.count == pool_.num_envs();
  for (int i = 0; all && i < ids.count; ++i) all = ids.at(i) == i;
  if (all) return;
  const std::string text = Repr(env_id);
  throw Error(ErrorKind::kEnvId, call + ("(env_id=" + text) + ") of " + task_id(), text,
              "None: in a gymnasium.vector.VectorEnv row i is environment i",
              "leave env_id out, or use env_type='gymnasium'");
}

Ids Arguments::DefaultIds(PyObject* action) const {
  const Ids everybody{nullptr, pool_.num_envs()};
  if (synchronous_ || pool_.last_ids().empty()) return everybody;
  // With a row for each player the number of rows does not say whose they are.
  const bool silent =
      PyDict_Check(action) != 0 || (layout_.max_players > 1 && layout_.arrays.back().per_player());
  const Py_ssize_t rows = silent ? 0 : PyObject_Size(action);
  if (rows < 0) TakeCause();  // a lone number
  if (rows == pool_.num_envs()) return everybody;
  const std::vector<int>& last = pool_.last_ids();
  return {last.data(), static_cast<int>(last.size())};
}

void Arguments::WriteAction(PyObject* action, const Ids& ids) {
  if (PyDict_Check(action) != 0) {
    WriteDict(action, ids);
  } else if (keys_.size() != kNumCommonActions + 1) {
    throw Error(ErrorKind::kAction, "action of " + task_id(), Repr(action),
                "a dict, because this task has several action arrays",
                "see action_space for their names");
  } else if (layout_.max_players == 1) {
    WriteArray(kNumCommonActions, action, {ids.ids, nullptr, ids.count});
  } else {
    const Object single = Checked(PyDict_New());
    Check(PyDict_SetItem(single.get(), keys_.back().get(), action));
    WriteDict(single.get(), ids);
  }
}

void Arguments::WriteDict(PyObject* action, const Ids& ids) {
  const auto names = [&] {
    std::string text;
    for (std::size_t k = kNumCommonActions; k < keys_.size(); ++k) {
      text += (text.empty() ? "" : ", ") + layout_.arrays[k].name;
    }
    return text + ", and optionally env_id, players.env_id";
  };
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(action, &at, &key, &value) != 0;) {
    const bool known = std::any_of(keys_.begin(), keys_.end(), [&](const Object& name) {
      const int equal = PyObject_RichCompareBool(name.get(), key, Py_EQ);
      Check(equal);
      return equal != 0;
    });
    if (!known) {
      throw Error(ErrorKind::kAction, "action of " + task_id(), "key " + Repr(key), names(),
                  "remove or rename the key");
    }
  }
  // One player in each needs no telling, but may be told, in another order than that of env_id.
  const bool told = layout_.max_players > 1 || Find(action, 1) != nullptr;
  Players players;
  if (told) players = ParsePlayers(action, ids);
  for (std::size_t k = kNumCommonActions; k < keys_.size(); ++k) {
    const Object array = Object::Borrow(Find(action, k));
    if (!array) {
      throw Error(ErrorKind::kAction, "action of " + task_id(),
                  "no key '" + layout_.arrays[k].name + "'", names(), "add the key");
    }
    const bool per_player = told && layout_.arrays[k].per_player();
    WriteArray(k, array.get(),
               per_player ? ActionRows{players.env_ids.data(), players.slots.data(),
                                       static_cast<int>(players.env_ids.size())}
                          : ActionRows{ids.ids, nullptr, ids.count});
  }
}

void Arguments::WriteArray(std::size_t key, PyObject* value, const ActionRows& rows) {
  const ActionTable& table = pool_.actions();
  const auto refuse = [&](const std::string& got) {
    table.Refuse(key, got, "numbers of shape " + ShapeText(key, rows));
  };
  Object cause;
  const NumpyArray array = NumpyArray::From(value, cause);
  if (!array) {
    try {
      refuse(Repr(value));
    } catch (const Error& error) {
      throw ErrorWithCause(error, cause);
    }
  }
  const char kind = array.kind();
  const bool has_numbers = kind == 'i' || kind == 'f' || kind == 'u' || kind == 'b';
  if (!has_numbers) refuse(Repr(value) + " of dtype " + array.type_text());
  CheckShape(key, array, rows);
  const auto write = [&](Numbers::Type type, const NumpyArray& numbers) {
    table.Write(key, {type, numbers.data()}, rows);
  };
  if (array.is_plain()) {
    if (array.holds(DType::kInt64)) return write(Numbers::kInt64, array);
    if (array.holds(DType::kInt32)) return write(Numbers::kInt32, array);
    if (array.holds(DType::kFloat32)) return write(Numbers::kFloat32, array);
    if (array.holds(DType::kFloat64)) return write(Numbers::kFloat64, array);
  }
  if (kind == 'u' && array.item_size() == 8) {
    const NumpyArray wide = array.Plain(DType::kUint64);
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto* numbers = static_cast<const std::uint64_t*>(wide.data());
    const std::uint64_t* const end = numbers + wide.size();
    const std::uint64_t* const found =
        std::find_if(numbers, end, [](std::uint64_t number) { return number > kMost; });
    if (found != end) table.Refuse(key, std::to_string(*found), table.BoundsText(key, 0));
  }
  if (kind == 'f') return write(Numbers::kFloat64, array.Plain(DType::kFloat64));
  write(Numbers::kInt64, array.Plain(DType::kInt64));
}

/// Whether all rows of an array are the same.
bool Arguments::IsOneRow(const NumpyArray& array) {
  if (array.kind() == 'O' || array.shape(0) < 2) return false;
  const NumpyArray plain = array.Plain();
  const auto rows = static_cast<std::size_t>(plain.shape(0));
  const auto size = static_cast<std::size_t>(plain.size()) / rows * plain.item_size();
  const auto* bytes = static_cast<const std::byte*>(plain.data());
  return std::memcmp(bytes, bytes + size, (rows - 1) * size) == 0;
}

void Arguments::CheckShape(std::size_t key, const NumpyArray& array, const ActionRows& rows) {
  const ArraySpec& spec = layout_.arrays[key];
  const int* item = spec.shape.data() + (spec.per_player() ? 1 : 0);
  const int rank = static_cast<int>(spec.shape.size()) - (spec.per_player() ? 1 : 0);
  // The action of a single environment needs no axis of rows, since an action of its space has
  // none.
  const bool alone = array.rank() == rank && rows.count == 1;
  const int first = alone ? 0 : 1;  // axis of an item
  bool fits = array.rank() == rank + first;
  for (int i = 0; fits && i < rank; ++i) fits = array.shape(i + first) == item[i];
  if (fits && alone) return;
  // Rows for all environments, where ids name fewer, may be a mistake, unless it does not matter
  // which row is whose.
  if (fits && array.shape(0) != rows.count) {
    fits = array.shape(0) == pool_.num_envs() && array.shape(0) > rows.count && IsOneRow(array);
  }
  // A column of numbers, as a network gives them.
  if (rank == 0 && array.rank() == 2 && array.shape(0) == rows.count && array.shape(1) == 1) return;
  if (fits) return;
  std::string shape = "(";
  for (int i = 0; i < array.rank(); ++i) shape += std::to_string(array.shape(i)) + ", ";
  if (array.rank() > 1) shape.resize(shape.size() - 2);
  if (array.rank() == 1) shape.resize(shape.size() - 1);
  pool_.actions().Refuse(
      key, "shape " + shape + ")",
      "shape " + ShapeText(key, rows) +
          (spec.per_player() && layout_.max_players > 1 ? ", one row per player"
                                                        : ", one row per environment id"));
}

std::string Arguments::ShapeText(std::size_t key, const ActionRows& rows) const {
  std::string text = "(" + std::to_string(rows.count);
  const std::vector<int> item = layout_.arrays[key].item_shape();
  for (int dim : item) text += ", " + std::to_string(dim);
  return text + (item.empty() ? ",)" : ")");
}

Arguments::Players Arguments::ParsePlayers(PyObject* action, const Ids& ids) {
  const int most = layout_.max_players;
  Players players;
  const auto refuse = [&](const std::string& got, const std::string& allowed) {
    throw Error(ErrorKind::kAction, "players.env_id of " + task_id(), got, allowed,
                "pass players.env_id with the environment of each player, as in info");
  };
  if (PyObject* told = Find(action, 1)) {
    ReadIds(Object::Borrow(told).get(), "players.env_id", players.env_ids);
  } else {
    int rows = -1;
    for (std::size_t k = kNumCommonActions; rows < 0 && k < keys_.size(); ++k) {
      const Object value = Object::Borrow(Find(action, k));
      if (!layout_.arrays[k].per_player() || !value) continue;
      Object cause;
      const NumpyArray array = NumpyArray::From(value.get(), cause);
      if (array && array.rank() > 0) rows = static_cast<int>(array.shape(0));
    }
    // As many rows as the environment's last result had. An environment without a result takes its
    // first action for a reset and reads no row: several such environments have equally many.
    int last = 0, fresh = 0;
    for (int i = 0; i < ids.count; ++i) {
      const std::int32_t count = pool_.last_players(ids.at(i));
      (count == InFlight::kNoResult ? fresh : last) += count == InFlight::kNoResult ? 1 : count;
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
      const std::int32_t count = pool_.last_players(ids.at(i));
      players.env_ids.insert(players.env_ids.end(),
                             static_cast<std::size_t>(count == InFlight::kNoResult ? each : count),
                             ids.at(i));
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
    pool_.actions().players(ids.at(i)) = counts[static_cast<std::size_t>(ids.at(i))];
  }
  return players;
}

std::vector<std::int64_t> Arguments::ParseSeeds(PyObject* seed, const Ids& ids,
                                                bool may_leave_out) const {
  std::vector<std::int64_t> seeds;
  if (IsNone(seed)) return seeds;
  Object cause;
  const auto refuse = [&](const std::string& got) {
    Throw(Error(ErrorKind::kConfig, "reset(seed=...) of " + task_id(), got,
                "a whole number from 0, or a sequence of " + std::to_string(ids.count) +
                    " of them, one for each environment that is reset",
                "correct the seed; nothing was reset"),
          cause);
  };
  const auto read = [](PyObject* object) {
    std::int64_t value = 0;
    OptionTypeOf<std::int64_t>().from_python(object, &value);
    return value;
  };
  const bool one = PyIndex_Check(seed) != 0 && PySequence_Check(seed) == 0;
  bool wrong = false;
  try {
    if (one) {
      const std::int64_t base = read(seed);
      if (base < 0 || base > std::numeric_limits<std::int64_t>::max() - pool_.num_envs()) {
        refuse(std::to_string(base));
      }
      for (int i = 0; i < ids.count; ++i) seeds.push_back(base + ids.at(i));
    } else {
      ForEachItem(seed, [&](PyObject* item) {
        const bool left_out = IsNone(item);
        seeds.push_back(left_out ? -1 : read(item));
        wrong = wrong || (seeds.back() < 0 && !(left_out && may_leave_out));
      });
    }
  } catch (const WrongOption&) {
    wrong = true;
  } catch (const Raised&) {
    cause = TakeCause();
    wrong = true;
  }
  if (wrong) refuse(Repr(seed));
  if (seeds.size() != static_cast<std::size_t>(ids.count)) {
    refuse(std::to_string(seeds.size()) + " seeds");
  }
  return seeds;
}

}  // namespace envpool::python
