// SPDX-License-Identifier: Apache-2.0
#include "compiled_pool.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "envpool/binding/gil.h"
#include "envpool/c_pool.h"
#include "envpool/error.h"
#include "native_pool.h"
#include "numpy.h"
#include "option_dict.h"

namespace envpool::python {
namespace {

using namespace std::chrono_literals;
// For so long recv(timeout=...) keeps the pool to itself while another thread wants to use it.
constexpr std::chrono::milliseconds kReceiveSlice = 2ms;
// So many steps of trivial environments take less time than to let go of the GIL and have it back.
constexpr int kFewSteps = 8;

}  // namespace

CompiledPool::CompiledPool(std::unique_ptr<ResultMemory> memory, std::unique_ptr<Pool> pool,
                           std::vector<Option> (*list_reset_options)(void* options))
    : memory_(std::move(memory)),
      calls_(std::make_unique<PoolCalls>(std::move(pool))),
      pool_(&calls_->pool()),
      list_reset_options_(list_reset_options),
      synchronous_(pool_->options().synchronous()),
      trivial_(pool_->envs().step_kind() == StepKind::kTrivial),
      arguments_(*pool_),
      step_layout_(Py_None, *memory_),
      reset_layout_(Py_None, *memory_),
      last_(*pool_) {}

void CompiledPool::CheckNothingInFlight(const char* call) const {
  if (pool_->num_in_flight() == 0) return;
  throw Error(ErrorKind::kState, call + (" of " + task_id()),
              std::to_string(pool_->num_in_flight()) + " results in flight",
              "a pool that has nothing in flight", "call recv() first");
}

void CompiledPool::SetResultLayouts(PyObject* step, PyObject* reset) {
  const PoolCalls::Use use(*calls_);
  CheckNothingInFlight("set_result_layouts");
  ResultLayout step_layout(step, *memory_);
  reset_layout_ = ResultLayout(reset, *memory_);
  step_layout_ = std::move(step_layout);
  last_.Keep(reset_layout_.has_mask());
}

void CompiledPool::SetResultArrays(PyObject* arrays) {
  const PoolCalls::Use use(*calls_);
  CheckNothingInFlight("set_result_arrays");
  if (!synchronous_) {
    throw Error(ErrorKind::kState, "set_result_arrays of " + task_id(),
                "a pool whose batch_size is less than num_envs",
                "synchronous pools, whose next results are those of the next call",
                "leave batch_size out");
  }
  memory_->Give(arrays);
}

Object CompiledPool::ResetOptions() const {
  const std::shared_ptr<void> options = pool_->envs().MakeResetOptions();
  return ToDict(options == nullptr ? std::vector<Option>() : list_reset_options_(options.get()));
}

void CompiledPool::SetResetOptions(PyObject* env_ids, PyObject* options) {
  const PoolCalls::Use use(*calls_);
  EnvArrayBase& envs = pool_->envs();
  std::shared_ptr<void> given;
  if (!IsNone(options)) {
    given = envs.MakeResetOptions();
    if (given == nullptr) {
      throw Error(ErrorKind::kConfig, "reset(options=...) of " + task_id(), Repr(options),
                  "None: this environment's Reset takes no options", "leave them out");
    }
    ReadOptions(list_reset_options_(given.get()), options);
    try {
      envs.CheckResetOptions(given.get());
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      throw Error(ErrorKind::kConfig, "reset(options=" + Repr(options) + ") of " + task_id(),
                  error.what(), "options that its Reset accepts", "correct the options");
    }
  }
  const Ids ids = arguments_.ParseIds(env_ids, "reset(env_id=...)");
  for (int i = 0; i < ids.count; ++i) {
    // Ids that there are not, the reset refuses.
    if (ids.at(i) >= 0 && ids.at(i) < pool_->num_envs()) envs.OfferResetOptions(ids.at(i), given);
  }
}

Object CompiledPool::Step(PyObject* action, PyObject* env_id) {
  const PoolCalls::Use use(*calls_);
  const Object flat = Arguments::Flat(action);
  action = flat.get();
  if (SendActions(action, env_id, true) == 0 && synchronous_) {
    return Deliver(pool_->Nothing(), false);
  }
  return Deliver(Receive(synchronous_, Clock::time_point::max()), false);
}

Object CompiledPool::StepAll(PyObject* actions) {
  const PoolCalls::Use use(*calls_);
  const Object flat = Arguments::Flat(actions);
  arguments_.RequireAllIds(flat.get(), "step");
  SendActions(flat.get(), Py_None, true);
  return Deliver(Receive(true, Clock::time_point::max()), false);
}

void CompiledPool::Send(PyObject* action, PyObject* env_id) {
  const PoolCalls::Use use(*calls_);
  SendActions(Arguments::Flat(action).get(), env_id, false);
}

int CompiledPool::SendActions(PyObject* action, PyObject* env_id, bool then_recv) {
  const Ids ids = arguments_.IdsForAction(action, env_id);
  calls_->Step(ids.ids, ids.count, then_recv, [&] { arguments_.WriteAction(action, ids); });
  return ids.count;
}

Received CompiledPool::Receive(bool newest, Clock::time_point deadline) {
  Received received;
  if (trivial_ && pool_->num_in_flight() <= kFewSteps && GilSharing::IsAlone()) {
    received = pool_->Recv(newest, CheckSignals, deadline);
  } else {
    const bool is_time = gil_sharing_.IsTime();
    GilRelease release;
    received = pool_->Recv(newest, [&release] { release.WithGil(CheckSignals); }, deadline);
    if (is_time) gil_sharing_.Leave();
  }
  return received;
}

template <typename Build>
Object CompiledPool::DeliverAs(const Received& received, const Build& build) {
  const auto give_back = [&] {
    memory_->Detach(*received.batch);
    pool_->Release(*received.batch);
  };
  Object result;
  try {
    result = build();
  } catch (...) {  // a class of the layout raised
    give_back();
    throw;
  }
  give_back();
  return result;
}

Object CompiledPool::Recv(bool reset, std::optional<double> timeout) {
  if (!timeout.has_value()) {
    const PoolCalls::Use use(*calls_);
    return Deliver(Receive(false, Clock::time_point::max()), reset);
  }
  calls_->CheckTimeout(*timeout);
  return RecvFromOthers(reset, PoolCalls::DeadlineAfter(*timeout));
}

Object CompiledPool::RecvFromOthers(bool reset, Clock::time_point deadline) {
  const PoolCalls::Receiver receiver(*calls_);
  for (;;) {
    const int seen = receiver.Seen();
    bool enough = false;
    try {
      const PoolCalls::Use use(*calls_);
      enough = pool_->CanRecv();
      const auto now = Clock::now();
      if (!enough && now >= deadline) pool_->ThrowTooFew();
      // In a process with one thread no thread waits for the lock, so the call need not be
      // interrupted.
      const bool alone = gil_sharing_.IsAlone();
      if (enough) {
        return Deliver(Receive(false, alone ? deadline : std::min(deadline, now + kReceiveSlice)),
                       reset);
      }
    } catch (const Error& error) {
      if (error.kind != ErrorKind::kTimeout || Clock::now() >= deadline) throw;
    }
    // If there is enough, this thread asks for the lock again; threads that wait for it come first.
    if (!enough) {
      const GilRelease release;
      receiver.Wait(seen, deadline);
    }
    CheckSignals();
  }
}

Object CompiledPool::Reset(PyObject* env_id, PyObject* seed) {
  const PoolCalls::Use use(*calls_);
  const Ids ids = SendReset(env_id, seed, true);
  if (ids.count == 0) return Deliver(pool_->Nothing(), true);
  return Deliver(ReceiveReset(ids), true);
}

Received CompiledPool::ReceiveReset(const Ids& ids) {
  if (synchronous_ || ids.ids == nullptr) return Receive(synchronous_, Clock::time_point::max());
  {
    GilRelease release;
    pool_->AwaitAll([&release] { release.WithGil(CheckSignals); });
  }
  return pool_->RecvOf(ids.ids, ids.count);  // makes arrays, which needs the GIL
}

Object CompiledPool::ResetSome(PyObject* env_ids, PyObject* seed) {
  const PoolCalls::Use use(*calls_);
  last_.CheckKnown(arguments_.ParseIds(env_ids, "reset(env_ids=...)").count);
  const Ids ids = SendReset(env_ids, seed, true, true);
  const Received received = ids.count == 0 ? pool_->Nothing() : ReceiveReset(ids);
  return DeliverAs(received, [&] { return reset_layout_.BuildAll(received, *memory_, last_); });
}

void CompiledPool::AsyncReset(PyObject* env_id, PyObject* seed) {
  const PoolCalls::Use use(*calls_);
  SendReset(env_id, seed, false);
}

Ids CompiledPool::SendReset(PyObject* env_id, PyObject* seed, bool then_recv, bool may_leave_out) {
  if (pool_->closed()) {  // to build environments takes long
    GilRelease release;
    pool_->Reopen([&release] { release.WithGil(CheckSignals); });
  }
  const Ids ids = arguments_.ParseIds(env_id, "reset(env_id=...)");
  const std::vector<std::int64_t> seeds = arguments_.ParseSeeds(seed, ids, may_leave_out);
  const std::int64_t* given = seeds.empty() ? nullptr : seeds.data();
  {
    GilRelease release;
    pool_->PrepareReset(ids.ids, ids.count, then_recv,
                        [&release] { release.WithGil(CheckSignals); });
  }
  calls_->SendReset(ids.ids, ids.count, given, then_recv);  // makes arrays, which needs the GIL
  return ids;
}

void CompiledPool::Close() {
  if (!calls_->process().is_this()) return;
  const PoolCalls::Use use(*calls_);
  {
    GilRelease release;
    calls_->Close([&release] { release.WithGil(CheckSignals); });
  }
  last_.Clear();
  memory_->Clear();
}

Object CompiledPool::CPool() {
  const PoolCalls::Use use(*calls_);
  if (gate_ == nullptr) gate_ = std::make_shared<NativeGate>(*calls_, *memory_);
  auto native = std::make_unique<NativePool>(gate_);
  const auto release = [](PyObject* capsule) {
    const auto* c = static_cast<const EnvPoolC*>(PyCapsule_GetPointer(capsule, ENVPOOL_C_CAPSULE));
    c->release(c);
  };
  Object capsule =
      Checked(PyCapsule_New(const_cast<EnvPoolC*>(&native->c()), ENVPOOL_C_CAPSULE, release));
  static_cast<void>(native.release());  // it is the capsule's
  return capsule;
}

CompiledPool::~CompiledPool() {
  if (gate_ != nullptr && calls_->process().is_this()) {
    const GilRelease release;
    gate_->Shut();
  }
  if (pool_->closed()) return;
  {
    const GilRelease release;
    if (calls_->Drop()) return;
  }
  // Threads that do not exist in this process, or that are inside an environment, may still need
  // all of it.
  static_cast<void>(calls_.release());
  static_cast<void>(memory_.release());
}

}  // namespace envpool::python
