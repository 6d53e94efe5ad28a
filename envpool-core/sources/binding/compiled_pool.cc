// SPDX-License-Identifier: Apache-2.0
#include "compiled_pool.h"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "envpool/binding/gil.h"
#include "envpool/c_pool.h"
#include "envpool/engine/env_calls.h"
#include "envpool/error.h"
#include "native_pool.h"
#include "numpy.h"
#include "option_dict.h"

#ifndef _WIN32
#include <pthread.h>
#endif

namespace envpool::python {
namespace {

using namespace std::chrono_literals;
// How long close() and a dropped pool wait for an environment that does not return.
constexpr std::chrono::milliseconds kCloseTimeout = 30s, kDropTimeout = 2s, kCloseSlice = 100ms;
// A frame larger than this in either direction is a mistake.
constexpr int kMostPixels = 16384;
// For so long recv(timeout=...) keeps the pool to itself while another thread wants to use it.
constexpr std::chrono::milliseconds kReceiveSlice = 2ms;
// Between two looks after signals.
constexpr std::chrono::milliseconds kPollInterval = 100ms;
// So many steps of trivial environments take less time than to let go of the GIL and have it back.
constexpr int kFewSteps = 8;

}  // namespace

std::atomic<int>& ForkCount() {
  static std::atomic<int> count{0};
#ifndef _WIN32
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ForkCount().fetch_add(1); });
  static_cast<void>(registered);
#endif
  return count;
}

CompiledPool::CompiledPool(std::unique_ptr<ResultMemory> memory, std::unique_ptr<Pool> pool,
                           std::vector<Option> (*list_reset_options)(void* options))
    : memory_(std::move(memory)),
      pool_(std::move(pool)),
      list_reset_options_(list_reset_options),
      synchronous_(pool_->options().synchronous()),
      trivial_(pool_->envs().step_kind() == StepKind::kTrivial),
      arguments_(*pool_),
      forks_(ForkCount()),
      step_layout_(Py_None, *memory_),
      reset_layout_(Py_None, *memory_),
      last_(*pool_) {}

class CompiledPool::Use {
 public:
  explicit Use(CompiledPool& pool) : holder_(OfThisProcess(pool), pool.task_id()) {}

 private:
  // Looked at first: the thread that holds the lock may be one that the child does not have.
  static PoolLock& OfThisProcess(CompiledPool& pool) {
    if (pool.forks_ != ForkCount().load(std::memory_order_relaxed)) {
      throw Error(ErrorKind::kState, "use of " + pool.task_id(),
                  "a pool that was made before fork()",
                  "pools in the process that made them (their threads do not survive a fork)",
                  "make the pool in the child process");
    }
    return pool.lock_;
  }

  PoolLock::Holder holder_;
};

void CompiledPool::CheckNothingOnTheWay(const char* call) const {
  if (pool_->num_in_flight() == 0) return;
  throw Error(ErrorKind::kState, call + (" of " + task_id()),
              std::to_string(pool_->num_in_flight()) + " results on the way",
              "a pool that has nothing on the way", "call recv() first");
}

void CompiledPool::SetResultLayouts(PyObject* step, PyObject* reset) {
  const Use use(*this);
  CheckNothingOnTheWay("set_result_layouts");
  ResultLayout step_layout(step, *memory_);
  reset_layout_ = ResultLayout(reset, *memory_);
  step_layout_ = std::move(step_layout);
  last_.Keep(reset_layout_.has_mask());
}

void CompiledPool::SetResultArrays(PyObject* arrays) {
  const Use use(*this);
  CheckNothingOnTheWay("set_result_arrays");
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
  const Use use(*this);
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
  const Use use(*this);
  const Object flat = Arguments::Flat(action);
  action = flat.get();
  if (SendActions(action, env_id, true) == 0 && synchronous_) {
    return Deliver(pool_->Nothing(), false);
  }
  return Deliver(Receive(synchronous_, Clock::time_point::max()), false);
}

void CompiledPool::Send(PyObject* action, PyObject* env_id) {
  const Use use(*this);
  SendActions(Arguments::Flat(action).get(), env_id, false);
}

int CompiledPool::SendActions(PyObject* action, PyObject* env_id, bool then_recv) {
  const Ids ids = arguments_.IdsForAction(action, env_id);
  pool_->Step(ids.ids, ids.count, then_recv, [&] { arguments_.WriteAction(action, ids); });
  WakeReceivers();
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
    const Use use(*this);
    return Deliver(Receive(false, Clock::time_point::max()), reset);
  }
  if (!(*timeout >= 0)) {
    throw Error(ErrorKind::kConfig, "recv(timeout=...) of " + task_id(), std::to_string(*timeout),
                "seconds from 0, or None to wait for as long as it takes", "correct the timeout");
  }
  // A year is for ever, and fits into the clock.
  return RecvFromOthers(reset,
                        Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(std::min(*timeout, 3e7))));
}

Object CompiledPool::RecvFromOthers(bool reset, Clock::time_point deadline) {
  struct Counted {
    explicit Counted(std::atomic<int>& count) : count_(count) { ++count_; }
    ~Counted() { --count_; }
    std::atomic<int>& count_;
  };
  const Counted counted(num_receivers_);
  for (;;) {
    const int seen = changes_.load();
    bool enough = false;
    try {
      const Use use(*this);
      enough = pool_->CanRecv();
      const auto now = Clock::now();
      if (!enough && now >= deadline) pool_->ThrowTooFew();
      // Alone, nobody waits for the lock: no need to look up in between.
      const bool alone = gil_sharing_.IsAlone();
      if (enough) {
        return Deliver(Receive(false, alone ? deadline : std::min(deadline, now + kReceiveSlice)),
                       reset);
      }
    } catch (const Error& error) {
      if (error.kind != ErrorKind::kTimeout || Clock::now() >= deadline) throw;
    }
    // Where there is enough, the lock is asked for again, and who waits for it comes first.
    if (!enough) {
      const GilRelease release;
      const auto left = std::max<Clock::duration>(deadline - Clock::now(), Clock::duration::zero());
      FutexWait(changes_, seen, std::min<std::chrono::nanoseconds>(left, kPollInterval));
    }
    CheckSignals();
  }
}

Object CompiledPool::Reset(PyObject* env_id, PyObject* seed) {
  const Use use(*this);
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
  const Use use(*this);
  last_.CheckKnown(arguments_.ParseIds(env_ids, "reset(env_ids=...)").count);
  const Ids ids = SendReset(env_ids, seed, true, true);
  const Received received = ids.count == 0 ? pool_->Nothing() : ReceiveReset(ids);
  return DeliverAs(received, [&] { return reset_layout_.BuildAll(received, *memory_, last_); });
}

void CompiledPool::AsyncReset(PyObject* env_id, PyObject* seed) {
  const Use use(*this);
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
  pool_->SendReset(ids.ids, ids.count, given, then_recv);  // makes arrays, which needs the GIL
  WakeReceivers();
  return ids;
}

Object CompiledPool::Render(PyObject* env_ids, int width, int height, int camera_id, bool depth) {
  const Use use(*this);
  const Ids ids = arguments_.ParseIds(env_ids, "render(env_ids=...)");
  if (ids.count == 0) {
    throw Error(ErrorKind::kRender, "render of " + task_id(), "no env ids", "at least one id",
                "pass env_ids, or None for render_env_id");
  }
  EnvArrayBase& envs = pool_->envs();
  std::pair<int, int> size{};
  const auto check_size = [&](int i) {
    pool_->CheckIdle(ids.at(i), "render");
    envs.CheckDrawable(ids.at(i));
    const std::pair<int, int> own = envs.RenderSize(ids.at(i), width, height);
    if (i == 0) size = own;
    if (own == size) return;
    throw Error(ErrorKind::kRender, "render of " + task_id(), "environments of different sizes",
                "frames of one size in a call", "render them one by one");
  };
  {
    const GilRelease release;
    for (int i = 0; i < ids.count; ++i) check_size(i);
  }
  const auto [w, h] = size;
  if (w < 1 || h < 1 || w > kMostPixels || h > kMostPixels) {
    throw Error(ErrorKind::kRender, "render of " + task_id(),
                "a frame of " + std::to_string(w) + " x " + std::to_string(h),
                "1 .. " + std::to_string(kMostPixels) + " pixels each way",
                "correct render_width and render_height");
  }
  const std::intptr_t shape[] = {ids.count, h, w, 3};
  NumpyArray frames = depth ? NumpyArray::Make(NumpyType(DType::kFloat32), 3, shape)
                            : NumpyArray::Make(NumpyType(DType::kUint8), 4, shape);
  {
    const GilRelease release;
    const std::size_t pixels = static_cast<std::size_t>(w) * static_cast<std::size_t>(h);
    for (int i = 0; i < ids.count; ++i) {
      const std::size_t before = static_cast<std::size_t>(i) * pixels;
      if (depth) {
        envs.RenderDepth(ids.at(i), w, h, camera_id, static_cast<float*>(frames.data()) + before);
      } else {
        auto* rgb = static_cast<unsigned char*>(frames.data()) + 3 * before;
        envs.Render(ids.at(i), w, h, camera_id, rgb);
      }
    }
  }
  return frames;
}

void CompiledPool::CheckDrawable(PyObject* env_ids) {
  const Use use(*this);
  const Ids ids = arguments_.ParseIds(env_ids, "render(env_ids=...)");
  for (int i = 0; i < ids.count; ++i) {
    pool_->CheckIdle(ids.at(i), "render");
    pool_->envs().CheckDrawable(ids.at(i));
  }
}

Object CompiledPool::RenderText(PyObject* env_ids) {
  CheckDrawable(env_ids);
  const Use use(*this);
  const Ids ids = arguments_.ParseIds(env_ids, "render(env_ids=...)");
  std::vector<std::string> drawn;
  {
    const GilRelease release;
    for (int i = 0; i < ids.count; ++i) drawn.push_back(pool_->envs().RenderText(ids.at(i)));
  }
  const Object texts = Checked(PyList_New(ids.count));
  Py_ssize_t i = 0;
  for (const std::string& text : drawn) {
    PyList_SET_ITEM(texts.get(), i++, SafeText(text).release());
  }
  return texts;
}

Object CompiledPool::SaveState(PyObject* env_ids) {
  const Use use(*this);
  const Ids ids = arguments_.ParseIds(env_ids, "save_state(env_ids)");
  std::vector<std::string> saved;
  {
    const GilRelease release;
    for (int i = 0; i < ids.count; ++i) {
      saved.push_back(pool_->SaveState(ids.at(i)));
    }
  }
  const Object states = Checked(PyList_New(ids.count));
  Py_ssize_t i = 0;
  for (const std::string& state : saved) {
    const auto size = static_cast<Py_ssize_t>(state.size());
    PyList_SET_ITEM(states.get(), i++,
                    Checked(PyBytes_FromStringAndSize(state.data(), size)).release());
  }
  return states;
}

void CompiledPool::LoadState(PyObject* states, PyObject* env_ids) {
  const Use use(*this);
  const Ids ids = arguments_.ParseIds(env_ids, "load_state(states, env_ids)");
  if (PyList_GET_SIZE(states) != ids.count) {
    throw Error(ErrorKind::kSavedState, "load_state of " + task_id(),
                std::to_string(PyList_GET_SIZE(states)) + " states",
                std::to_string(ids.count) + " states, one for each env id",
                "pass as many states as ids");
  }
  std::vector<std::string> fresh, old;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(states); ++i) {
    PyObject* state = PyList_GET_ITEM(states, i);
    if (PyBytes_Check(state) == 0) {
      throw Error(ErrorKind::kSavedState, "load_state of " + task_id(), Repr(state), "bytes",
                  "pass what save_state returned");
    }
    fresh.emplace_back(PyBytes_AS_STRING(state), static_cast<std::size_t>(PyBytes_GET_SIZE(state)));
  }
  const GilRelease release;
  for (int i = 0; i < ids.count; ++i) {
    pool_->CheckIdle(ids.at(i), "load_state");
    old.push_back(pool_->SaveState(ids.at(i)));
  }
  int loading = 0;
  try {
    for (; loading < ids.count; ++loading) {
      pool_->LoadState(ids.at(loading), fresh[static_cast<std::size_t>(loading)]);
    }
  } catch (const Error&) {
    for (; loading >= 0; --loading) {
      pool_->LoadState(ids.at(loading), old[static_cast<std::size_t>(loading)]);
    }
    throw;
  }
}

Object CompiledPool::Call(PyObject* env_ids, PyObject* requests) {
  const Use use(*this);
  const Ids ids = arguments_.ParseIds(env_ids, "call(env_ids, requests)");
  if (PyList_GET_SIZE(requests) != ids.count) {
    throw Error(ErrorKind::kConfig, "call of " + task_id(),
                std::to_string(PyList_GET_SIZE(requests)) + " requests",
                std::to_string(ids.count) + ", one for each env id",
                "pass as many requests as ids");
  }
  std::vector<int> asked;
  std::vector<std::string> texts;
  for (int i = 0; i < ids.count; ++i) {
    PyObject* request = PyList_GET_ITEM(requests, i);
    if (PyBytes_Check(request) == 0) {
      throw Error(ErrorKind::kConfig, "call of " + task_id(), Repr(request), "bytes",
                  "pass what the family's own methods pass");
    }
    pool_->CheckIdle(ids.at(i), "call");
    asked.push_back(ids.at(i));
    texts.emplace_back(PyBytes_AS_STRING(request),
                       static_cast<std::size_t>(PyBytes_GET_SIZE(request)));
  }
  std::vector<std::string> answers;
  {
    GilRelease release;
    answers = CallEnvs(pool_->envs(), pool_->options(), asked, texts,
                       [&release] { release.WithGil(CheckSignals); });
  }
  const Object list = Checked(PyList_New(ids.count));
  Py_ssize_t i = 0;
  for (const std::string& answer : answers) {
    const auto size = static_cast<Py_ssize_t>(answer.size());
    PyList_SET_ITEM(list.get(), i++,
                    Checked(PyBytes_FromStringAndSize(answer.data(), size)).release());
  }
  return list;
}

void CompiledPool::Close() {
  if (forks_ != ForkCount().load()) return;
  const Use use(*this);
  const auto deadline = Clock::now() + kCloseTimeout;
  for (;;) {
    bool done = false;
    {
      const GilRelease release;
      done = pool_->Close(Clock::now() + kCloseSlice);
    }
    if (done) {
      WakeReceivers();
      last_.Clear();
      return memory_->Clear();
    }
    CheckSignals();
    if (Clock::now() < deadline) continue;
    throw Error(ErrorKind::kState, "close of " + task_id(),
                "an environment that has not returned from Reset or Step for 30 s",
                "environments that return", "call close() again to go on waiting");
  }
}

Object CompiledPool::CPool() {
  const Use use(*this);
  if (gate_ == nullptr) gate_ = std::make_shared<NativeGate>(*this);
  auto native = std::make_unique<NativePool>(*this, gate_);
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
  if (gate_ != nullptr && forks_ == ForkCount().load()) {
    const GilRelease release;
    gate_->closing = true;
    lock_.WakeAll();
    const std::unique_lock nobody_inside(gate_->mutex);
    gate_->pool = nullptr;
  }
  if (pool_->closed()) return;
  const bool forked = forks_ != ForkCount().load();
  {
    const GilRelease release;
    if (!forked && pool_->Close(Clock::now() + kDropTimeout)) return;
  }
  // Threads that do not exist in this process, or that are inside an environment, may still need
  // all of it.
  if (!forked) pool_->Abandon();
  static_cast<void>(pool_.release());
  static_cast<void>(memory_.release());
}

}  // namespace envpool::python
