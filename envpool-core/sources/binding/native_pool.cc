// SPDX-License-Identifier: Apache-2.0
#include "native_pool.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <shared_mutex>

#include "envpool/error.h"

namespace envpool::python {

namespace {

template <typename From, typename To>
void CopyNumbers(const std::byte* from, void* to, std::size_t count) {
  const auto* numbers = reinterpret_cast<const From*>(from);
  std::transform(numbers, numbers + count, static_cast<To*>(to),
                 [](From number) { return static_cast<To>(number); });
}

std::string DtypeText(std::int32_t dtype) {
  constexpr const char* kNames[] = {"bool",   "int8",  "uint8",  "int16",   "uint16", "int32",
                                    "uint32", "int64", "uint64", "float32", "float64"};
  if (dtype < ENVPOOL_BOOL || dtype > ENVPOOL_FLOAT64) return "dtype " + std::to_string(dtype);
  return kNames[dtype];
}

}  // namespace

void NativeGate::Shut() {
  closing = true;
  calls->WakeWaiting();
  const std::unique_lock nobody_inside(mutex);
  calls = nullptr;
}

struct NativePool::Inside {
  explicit Inside(const NativePool& self) : Inside(self, *self.gate_) {}
  PoolCalls& operator*() const { return calls; }

  std::shared_lock<std::shared_mutex> gate;
  PoolCalls& calls;
  PoolCalls::Use use;
  ResultMemory::WithoutGil memory;

 private:
  Inside(const NativePool& self, NativeGate& to)
      : gate(CheckedMutex(self, to)),
        calls(Alive(self, to)),
        use(calls, [&self] { self.LeaveIfClosing("use"); }),
        memory(*to.memory) {}
  // The process is checked first: a thread that holds the mutex may be one that a child lacks.
  static std::shared_mutex& CheckedMutex(const NativePool& self, NativeGate& to) {
    self.process_.Check(self.task_id_);
    return to.mutex;
  }
  static PoolCalls& Alive(const NativePool& self, const NativeGate& to) {
    if (to.calls != nullptr && !to.closing) return *to.calls;
    throw Error(ErrorKind::kState, "use of " + self.task_id_, "a pool that Python has dropped",
                "a pool that is alive", "keep the pool for as long as it is used");
  }
};

template <typename Call>
std::int32_t NativePool::Guard(const Call& call) noexcept {
  try {
    call();
    return ENVPOOL_OK;
  } catch (const Error& error) {
    LastError() = error.what();
    switch (error.kind) {
      case ErrorKind::kAction:
        return ENVPOOL_ACTION_ERROR;
      case ErrorKind::kEnvId:
        return ENVPOOL_ENV_ID_ERROR;
      case ErrorKind::kState:
        return ENVPOOL_STATE_ERROR;
      case ErrorKind::kTimeout:
        return ENVPOOL_TIMEOUT_ERROR;
      case ErrorKind::kWorker:
        return ENVPOOL_WORKER_ERROR;
      default:
        return ENVPOOL_CONFIG_ERROR;
    }
  } catch (const std::exception& error) {
    LastError() = error.what();
    return ENVPOOL_OTHER_ERROR;
  }
}

NativePool::NativePool(std::shared_ptr<NativeGate> gate)
    : gate_(std::move(gate)), task_id_(gate_->calls->task_id()) {
  const Pool& engine = gate_->calls->pool();
  const Columns& state = engine.state_layout();
  if (state.max_players != 1 || state.has_dynamic) {
    throw Error(ErrorKind::kConfig, "c_pool() of " + task_id_,
                state.has_dynamic ? "arrays that change their shape" : "several players",
                "pools whose results always have the same shape", "use the pool from Python");
  }
  Describe(state, 0, false, state_);
  Describe(state, 0, true, state_);
  Describe(engine.action_layout(), kNumCommonActions, false, action_);
  c_.version = ENVPOOL_C_VERSION;
  c_.size = sizeof(EnvPoolC);
  c_.owner = this;
  c_.task_id = task_id_.c_str();
  c_.num_envs = engine.num_envs();
  c_.batch_size = engine.options().batch_size;
  c_.num_state_arrays = static_cast<std::int32_t>(state_.size());
  c_.num_action_arrays = static_cast<std::int32_t>(action_.size());
  c_.state_arrays = state_.data();
  c_.action_arrays = action_.data();
  c_.retain = &NativePool::Retain;
  c_.release = &NativePool::Release;
  c_.error = [] { return LastError().c_str(); };
  c_.send = [](const EnvPoolC* c, const std::int32_t* env_ids, std::int32_t rows,
               const EnvPoolBuffer* actions) {
    return Guard([&] { Of(c).Send(*Inside(Of(c)), env_ids, rows, actions, false); });
  };
  c_.recv = [](const EnvPoolC* c, double timeout, std::int32_t capacity,
               const EnvPoolBuffer* results, std::int32_t* rows) {
    return Guard([&] { *rows = Of(c).Recv(*Inside(Of(c)), false, timeout, capacity, results); });
  };
  c_.step = [](const EnvPoolC* c, const std::int32_t* env_ids, std::int32_t rows,
               const EnvPoolBuffer* actions, std::int32_t capacity, const EnvPoolBuffer* results,
               std::int32_t* rows_received) {
    return Guard([&] {
      const Inside inside(Of(c));
      if (rows > 0) {
        const Pool& engine = (*inside).pool();
        // A step whose results cannot be received is not sent.
        engine.CheckStep(Of(c).IdsFor(engine, env_ids, rows), rows, true);
        Of(c).CheckBuffers(engine.RowsAfterStep(rows), capacity, results);
      }
      Of(c).Send(*inside, env_ids, rows, actions, true);
      *rows_received =
          Of(c).Recv(*inside, (*inside).pool().options().synchronous(), -1, capacity, results);
    });
  };
  c_.reset = [](const EnvPoolC* c, const std::int32_t* env_ids, std::int32_t rows,
                const std::int64_t* seeds) {
    return Guard([&] { Of(c).Reset(*Inside(Of(c)), env_ids, rows, seeds); });
  };
}

void NativePool::Describe(const Columns& layout, std::size_t begin, bool final,
                          std::vector<EnvPoolArray>& arrays) {
  const bool of_state = &arrays == &state_;
  const NativeGate& gate = *gate_;
  for (std::size_t i = begin; i < layout.arrays.size(); ++i) {
    if (final && !gate.memory->has_final(i)) continue;
    const ArraySpec& array = layout.arrays[i];
    names_.push_back((final ? "final " : "") + array.name);
    std::vector<std::int64_t> shape;
    for (const int dim : array.item_shape()) shape.push_back(dim);
    shapes_.push_back(std::move(shape));
    if (of_state) columns_.emplace_back(i, final);
    arrays.push_back({.name = names_.back().c_str(),
                      .shape = shapes_.back().data(),
                      .size = static_cast<std::int64_t>(array.item_size() / array.element_size),
                      .rank = static_cast<std::int32_t>(shapes_.back().size()),
                      .dtype = static_cast<std::int32_t>(array.dtype)});
  }
}

/// Null for all environments.
const int* NativePool::IdsFor(const Pool& pool, const std::int32_t* env_ids, int rows) const {
  if (env_ids != nullptr || rows == c_.num_envs) return env_ids;
  const std::vector<int>& last = pool.last_ids();
  if (static_cast<int>(last.size()) == rows) return last.data();
  throw Error(ErrorKind::kEnvId, "send of " + task_id_,
              std::to_string(rows) + " rows of actions without env ids",
              std::to_string(c_.num_envs) + " rows, or as many as were received last",
              "pass the ids of the environments that the actions are for");
}

void NativePool::Send(PoolCalls& calls, const std::int32_t* env_ids, int rows,
                      const EnvPoolBuffer* actions, bool then_recv) {
  Pool& engine = calls.pool();
  const int* ids = IdsFor(engine, env_ids, rows);
  calls.Step(ids, rows, then_recv, [&] {
    for (std::size_t i = 0; rows > 0 && i < action_.size(); ++i) {
      WriteAction(engine, kNumCommonActions + i, actions[i], {ids, nullptr, rows});
    }
  });
}

void NativePool::WriteAction(Pool& pool, std::size_t key, const EnvPoolBuffer& from,
                             const ActionRows& rows) {
  const ActionTable& table = pool.actions();
  const auto as_is = [&](Numbers::Type type) { table.Write(key, {type, from.data}, rows); };
  const std::size_t count = table.items(key) * static_cast<std::size_t>(rows.count);
  const auto widen = [&]<typename T>(const T* numbers) {
    wide_.assign(numbers, numbers + count);
    table.Write(key, {Numbers::kInt64, wide_.data()}, rows);
  };
  switch (from.dtype) {
    case ENVPOOL_INT32:
      return as_is(Numbers::kInt32);
    case ENVPOOL_INT64:
      return as_is(Numbers::kInt64);
    case ENVPOOL_FLOAT32:
      return as_is(Numbers::kFloat32);
    case ENVPOOL_FLOAT64:
      return as_is(Numbers::kFloat64);
    case ENVPOOL_BOOL:
    case ENVPOOL_UINT8:
      return widen(static_cast<const std::uint8_t*>(from.data));
    case ENVPOOL_INT8:
      return widen(static_cast<const std::int8_t*>(from.data));
    case ENVPOOL_INT16:
      return widen(static_cast<const std::int16_t*>(from.data));
    case ENVPOOL_UINT16:
      return widen(static_cast<const std::uint16_t*>(from.data));
    case ENVPOOL_UINT32:
      return widen(static_cast<const std::uint32_t*>(from.data));
    default:
      table.Refuse(key, "numbers of " + DtypeText(from.dtype),
                   "bool, int8 .. int64, uint8 .. uint32, float32 or float64");
  }
}

void NativePool::LeaveIfClosing(const char* call) const {
  if (!gate_->closing) return;
  throw Error(ErrorKind::kState, call + (" of " + task_id_), "a pool that Python drops meanwhile",
              "a pool that is alive", "keep the pool for as long as it is used");
}

/// Throws unless `rows` rows fit into the buffers.
void NativePool::CheckBuffers(int rows, int capacity, const EnvPoolBuffer* results) const {
  if (rows > capacity) {
    throw Error(ErrorKind::kState, "recv of " + task_id_,
                "room for " + std::to_string(capacity) + " rows",
                "at least " + std::to_string(rows) + ", the rows of the next batch",
                "pass larger buffers: nothing was lost");
  }
  for (std::size_t i = 0; i < state_.size(); ++i) {
    const std::int32_t own = state_[i].dtype, asked = results[i].dtype;
    const bool halves = (own == ENVPOOL_INT64 && asked == ENVPOOL_INT32) ||
                        (own == ENVPOOL_UINT64 && asked == ENVPOOL_UINT32) ||
                        (own == ENVPOOL_FLOAT64 && asked == ENVPOOL_FLOAT32);
    if (results[i].data == nullptr || own == asked || halves) continue;
    throw Error(ErrorKind::kConfig, "recv of " + task_id_,
                "a buffer of " + DtypeText(asked) + " for '" + state_[i].name + "'",
                DtypeText(own) + ", or 32 bits where that has 64", "correct the dtype");
  }
}

int NativePool::Recv(PoolCalls& calls, bool newest, double timeout, int capacity,
                     const EnvPoolBuffer* results) const {
  Pool& engine = calls.pool();
  engine.CheckRecv(0);
  CheckBuffers(engine.NextRows(newest), capacity, results);
  const auto deadline = timeout < 0 ? Clock::time_point::max() : PoolCalls::DeadlineAfter(timeout);
  const Received received = engine.Recv(newest, [this] { LeaveIfClosing("recv"); }, deadline);
  received.batch->WriteDmColumns(0, received.rows);
  for (std::size_t i = 0; i < state_.size(); ++i) {
    if (results[i].data != nullptr) Copy(*received.batch, i, received.rows, results[i]);
  }
  engine.Release(*received.batch);
  return received.rows;
}

void NativePool::Copy(const Batch& batch, std::size_t array, int rows,
                      const EnvPoolBuffer& to) const {
  const auto [column, final] = columns_[array];
  const std::byte* from = (final ? batch.final_columns : batch.columns)[column];
  const std::size_t row = batch.layout->row_sizes[column];
  const auto count = static_cast<std::size_t>(state_[array].size) * static_cast<std::size_t>(rows);
  const std::int32_t own = state_[array].dtype;
  if (to.dtype == own) {
    std::memcpy(to.data, from, row * static_cast<std::size_t>(rows));
  } else if (own == ENVPOOL_FLOAT64) {
    CopyNumbers<double, float>(from, to.data, count);
  } else if (own == ENVPOOL_INT64) {
    CopyNumbers<std::int64_t, std::int32_t>(from, to.data, count);
  } else {
    CopyNumbers<std::uint64_t, std::uint32_t>(from, to.data, count);
  }
}

void NativePool::Reset(PoolCalls& calls, const std::int32_t* env_ids, int rows,
                       const std::int64_t* seeds) const {
  const int* ids = env_ids == nullptr && rows == c_.num_envs ? nullptr : env_ids;
  const auto refuse = [&](const std::string& got, const std::string& allowed) {
    throw Error(ErrorKind::kConfig, "reset of " + task_id_, got, allowed, "nothing was reset");
  };
  if (rows < 0 || (env_ids == nullptr && rows != c_.num_envs)) {
    refuse(std::to_string(rows) + " rows without env ids", std::to_string(c_.num_envs) + " rows");
  }
  for (int i = 0; seeds != nullptr && i < rows; ++i) {
    if (seeds[i] < 0) refuse("seed " + std::to_string(seeds[i]), "seeds from 0");
  }
  calls.pool().PrepareReset(ids, rows, false, [this] { LeaveIfClosing("reset"); });
  calls.SendReset(ids, rows, seeds, false);
}

}  // namespace envpool::python
