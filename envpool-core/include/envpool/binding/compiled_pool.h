// SPDX-License-Identifier: Apache-2.0
// CompiledPool: the pool that Python holds. Gymnasium, dm_env and spaces are not its business: it
// takes actions and environment ids, and returns arrays in the layout that it was given.
//
// It also sees to who may run: Python's GIL is let go of while environments work, one thread at a
// time uses a pool, and a forked child uses none.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "envpool/binding/numpy_io.h"
#include "envpool/engine/futex.h"
#include "envpool/engine/pool.h"
#include "envpool/error.h"

#ifndef _WIN32
#include <pthread.h>
#endif

namespace envpool::python {

/// Counts the forks that led to this process; costs no system call to read.
inline std::atomic<int>& ForkCount() {
  static std::atomic<int> count{0};
#ifndef _WIN32
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ForkCount().fetch_add(1); });
  static_cast<void>(registered);
#endif
  return count;
}

/// Raises KeyboardInterrupt and the like. The GIL must be held.
inline void CheckSignals() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

/// Lets other Python threads run while it lives. A daemon thread that is in here when Python ends
/// must not come back: before 3.14 Python ends it by unwinding its stack, which destructors and
/// pybind11 in between do not survive. So it stays where it is until the process is gone.
class GilRelease {
 public:
  GilRelease() : state_(PyEval_SaveThread()) {}
  ~GilRelease() { Retake(); }
  GilRelease(const GilRelease&) = delete;
  GilRelease& operator=(const GilRelease&) = delete;

  /// Raises KeyboardInterrupt and the like, for which it takes the GIL for a moment.
  void CheckSignals() {
    Retake();
    python::CheckSignals();
    state_ = PyEval_SaveThread();
  }

 private:
  void Retake() noexcept {
    PyThreadState* state = std::exchange(state_, nullptr);
    if (state == nullptr) return;
    try {
      PyEval_RestoreThread(state);
    } catch (...) {  // the unwinding of a thread that is to end
      for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
  }

  PyThreadState* state_;
};

/// Sees to it that other Python threads have their turn. Python offers the GIL to those that wait
/// for it whenever it is let go of; but a loop that lets go for a few microseconds at each step has
/// it back before any of them is awake, each time. So once in a while the GIL is left for longer,
/// unless environments took that long anyway.
class TurnTaker {
 public:
  /// To be called with the GIL, before it is let go of: whether it is time for somebody else.
  bool IsTime() {
    if (IsAlone()) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < kInterval) return false;
    last_ = now;
    return true;
  }
  /// Whether no other thread runs Python.
  static bool IsAlone() {
    PyInterpreterState* interpreter = PyInterpreterState_Get();
    return PyThreadState_Next(PyInterpreterState_ThreadHead(interpreter)) == nullptr;
  }
  /// To be called without the GIL, after it was let go of at such a time.
  void Leave() const {
    if (std::chrono::steady_clock::now() - last_ < kLeave) std::this_thread::sleep_for(kLeave);
  }

 private:
  static constexpr std::chrono::milliseconds kInterval{5};  // as Python's own switch interval
  static constexpr std::chrono::microseconds kLeave{50};    // a thread wakes up in this time

  std::chrono::steady_clock::time_point last_{};
};

/// A lock that a thread holds while it uses a pool. Others wait, and can be interrupted while they
/// do.
class PoolLock {
 public:
  struct WithoutGil {};
  class Holder {
   public:
    Holder(PoolLock& lock, const std::string& task_id) : lock_(lock) {
      lock_.Acquire(task_id, [&lock] {
        {
          const GilRelease release;
          lock.Pause();
        }
        CheckSignals();
      });
    }
    /// For a thread that does not hold the GIL: nothing interrupts it.
    Holder(PoolLock& lock, const std::string& task_id, WithoutGil /*unused*/) : lock_(lock) {
      lock_.Acquire(task_id, [&lock] { lock.Pause(); });
    }
    ~Holder() {
      lock_.owner_.store(std::thread::id{}, std::memory_order_relaxed);
      lock_.busy_.store(false, std::memory_order_release);
    }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

   private:
    PoolLock& lock_;
  };

  /// Gives those that wait a chance; to be called without the lock and without the GIL.
  void LetOthersIn() const {
    if (num_waiting_.load(std::memory_order_relaxed) > 0) std::this_thread::sleep_for(2 * kLook);
  }

 private:
  static constexpr std::chrono::microseconds kLook{200};  // between two looks at the lock

  template <typename Wait>
  void Acquire(const std::string& task_id, const Wait& wait) {
    while (busy_.exchange(true, std::memory_order_acquire)) {
      if (owner_.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
        throw Error(ErrorKind::kState, "use of " + task_id,
                    "a call from within another call of the same pool (a signal handler?)",
                    "one call at a time", "leave the handler first");
      }
      wait();
    }
    owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  }

  void Pause() {
    num_waiting_.fetch_add(1, std::memory_order_relaxed);
    std::this_thread::sleep_for(kLook);
    num_waiting_.fetch_sub(1, std::memory_order_relaxed);
  }

  std::atomic<bool> busy_{false};
  std::atomic<int> num_waiting_{0};
  std::atomic<std::thread::id> owner_{};
};

class CompiledPool;

/// Between a pool and those that call it without Python. It outlives the pool.
struct NativeGate {
  explicit NativeGate(CompiledPool& of) : pool(&of) {}
  std::shared_mutex mutex;           ///< held, shared, by every call that is inside
  CompiledPool* pool;                ///< null: it is gone
  std::atomic<bool> closing{false};  ///< calls that wait shall leave
};

class CompiledPool {
 public:
  CompiledPool(std::unique_ptr<ResultMemory> memory, std::unique_ptr<Pool> pool)
      : memory_(std::move(memory)),
        pool_(std::move(pool)),
        synchronous_(pool_->options().synchronous()),
        arguments_(*pool_),
        forks_(ForkCount()),
        step_layout_(py::none(), *memory_),
        reset_layout_(py::none(), *memory_) {}
  CompiledPool(const CompiledPool&) = delete;
  CompiledPool& operator=(const CompiledPool&) = delete;
  ~CompiledPool();

  void SetResultLayouts(const py::object& step, const py::object& reset);
  /// The next results of a synchronous pool are written into these arrays, by their names in
  /// layouts, with a row for each environment and player; those not named are the pool's own.
  void SetResultArrays(const py::dict& arrays);

  py::object Step(const py::object& action, const py::object& env_id);
  void Send(const py::object& action, const py::object& env_id);
  py::object Recv(bool reset, std::optional<double> timeout);
  py::object Reset(const py::object& env_id, const py::object& seed);
  void AsyncReset(const py::object& env_id, const py::object& seed);
  py::array Render(const py::object& env_ids, int width, int height, int camera_id);
  py::list SaveState(const py::object& env_ids);
  void LoadState(const py::list& states, const py::object& env_ids);
  void Close();
  /// An EnvPoolC in a capsule; see c_pool.h.
  py::capsule CPool();

  bool closed() const { return pool_->closed(); }
  int num_threads() const { return pool_->options().num_threads; }
  int num_in_flight() const { return pool_->num_in_flight(); }
  /// Whether the last batch went to a caller without Python.
  bool received_natively() const { return received_natively_; }

 private:
  friend class NativePool;
  class Use;  // holds the lock and refuses what a forked child must not do

  const std::string& task_id() const { return pool_->options().task_id; }
  // Throws where results are on the way.
  void CheckNothingOnTheWay(const char* call) const;
  // Receives within `deadline`, also what another thread is still to send.
  py::object RecvFromOthers(bool reset, Clock::time_point deadline);
  // A thread that waits for another one to send looks again.
  void Tell() {
    if (num_listening_.load(std::memory_order_relaxed) == 0) return;
    changes_.fetch_add(1);
    FutexWake(changes_, std::numeric_limits<int>::max());
  }
  // Both return how many environments were sent.
  int SendActions(const py::object& action, const py::object& env_id, bool then_recv);
  int SendReset(const py::object& env_id, const py::object& seed, bool then_recv);
  py::object Receive(bool newest, bool reset, Clock::time_point deadline);
  py::object Deliver(const Received& received, bool reset);

  std::unique_ptr<ResultMemory> memory_;
  std::unique_ptr<Pool> pool_;
  const bool synchronous_;
  Arguments arguments_;
  PoolLock lock_;
  // Threads in recv(timeout=...) with too little on the way, and what they sleep on. Who holds the
  // lock after they have looked sees them counted.
  std::atomic<int> num_listening_{0}, changes_{0};
  TurnTaker turns_;
  int forks_;
  ResultLayout step_layout_, reset_layout_;
  std::shared_ptr<NativeGate> gate_;  // null until somebody asks for it
  std::atomic<bool> received_natively_{false};
};

namespace detail {
using namespace std::chrono_literals;
// How long close() and a dropped pool wait for an environment that does not return.
inline constexpr std::chrono::milliseconds kClosePatience = 30s, kDropPatience = 2s,
                                           kCloseSlice = 100ms;
// A frame larger than this in either direction is a mistake.
inline constexpr int kMostPixels = 16384;
// For so long recv(timeout=...) keeps the pool to itself while another thread wants to use it.
inline constexpr std::chrono::milliseconds kKeep = 2ms;
// Between two looks after signals.
inline constexpr std::chrono::milliseconds kNap = 100ms;
}  // namespace detail

class CompiledPool::Use {
 public:
  explicit Use(CompiledPool& pool, bool opens = false)
      : holder_(OfThisProcess(pool), pool.task_id()) {
    if (!opens) return;
    const GilRelease release;
    pool.pool_->Reopen();
  }

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

inline void CompiledPool::CheckNothingOnTheWay(const char* call) const {
  if (pool_->num_in_flight() == 0) return;
  throw Error(ErrorKind::kState, call + (" of " + task_id()),
              std::to_string(pool_->num_in_flight()) + " results on the way",
              "a pool that has nothing on the way", "call recv() first");
}

inline void CompiledPool::SetResultLayouts(const py::object& step, const py::object& reset) {
  const Use use(*this);
  CheckNothingOnTheWay("set_result_layouts");
  ResultLayout step_layout(step, *memory_);
  reset_layout_ = ResultLayout(reset, *memory_);
  step_layout_ = std::move(step_layout);
}

inline void CompiledPool::SetResultArrays(const py::dict& arrays) {
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

inline py::object CompiledPool::Step(const py::object& action, const py::object& env_id) {
  const Use use(*this);
  if (SendActions(action, env_id, true) == 0 && synchronous_) {
    return Deliver(pool_->Nothing(), false);
  }
  return Receive(synchronous_, false, Clock::time_point::max());
}

inline void CompiledPool::Send(const py::object& action, const py::object& env_id) {
  const Use use(*this);
  SendActions(action, env_id, false);
}

inline int CompiledPool::SendActions(const py::object& action, const py::object& env_id,
                                     bool then_recv) {
  const Ids ids = arguments_.IdsForAction(action, env_id);
  pool_->CheckSend(ids.ids, ids.count, Op::kStep);
  if (then_recv && ids.count > 0) pool_->CheckRecv(ids.count);
  arguments_.WriteAction(action, ids);
  if (ids.count > 0) pool_->Send(ids.ids, ids.count, Op::kStep, then_recv);
  Tell();
  return ids.count;
}

inline py::object CompiledPool::Receive(bool newest, bool reset, Clock::time_point deadline) {
  Received received;
  {
    const bool is_time = turns_.IsTime();
    GilRelease release;
    received = pool_->Recv(newest, [&release] { release.CheckSignals(); }, deadline);
    if (is_time) turns_.Leave();
  }
  arguments_.Remember(received);
  received_natively_.store(false, std::memory_order_relaxed);
  return Deliver(received, reset);
}

inline py::object CompiledPool::Deliver(const Received& received, bool reset) {
  const auto give_back = [&] {
    memory_->Detach(*received.batch);
    pool_->Release(*received.batch);
  };
  py::object result;
  try {
    result = (reset ? reset_layout_ : step_layout_).Build(received, *memory_);
  } catch (...) {  // a class of the layout raised
    give_back();
    throw;
  }
  give_back();
  return result;
}

inline py::object CompiledPool::Recv(bool reset, std::optional<double> timeout) {
  if (!timeout.has_value()) {
    const Use use(*this);
    return Receive(false, reset, Clock::time_point::max());
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

inline py::object CompiledPool::RecvFromOthers(bool reset, Clock::time_point deadline) {
  struct Listening {
    explicit Listening(std::atomic<int>& count) : count_(count) { ++count_; }
    ~Listening() { --count_; }
    std::atomic<int>& count_;
  };
  const Listening listening(num_listening_);
  for (;;) {
    const int seen = changes_.load();
    bool enough = false;
    try {
      const Use use(*this);
      enough = pool_->CanRecv();
      const auto now = Clock::now();
      if (!enough && now >= deadline) pool_->ThrowTooFew();
      // Alone, nobody waits for the lock: no need to look up in between.
      const bool alone = turns_.IsAlone();
      if (enough)
        return Receive(false, reset, alone ? deadline : std::min(deadline, now + detail::kKeep));
    } catch (const Error& error) {
      if (error.kind != ErrorKind::kTimeout || Clock::now() >= deadline) throw;
    }
    {
      const GilRelease release;
      if (enough) {
        lock_.LetOthersIn();
      } else {
        const auto left =
            std::max<Clock::duration>(deadline - Clock::now(), Clock::duration::zero());
        FutexWait(changes_, seen, std::min<std::chrono::nanoseconds>(left, detail::kNap));
      }
    }
    CheckSignals();
  }
}

inline py::object CompiledPool::Reset(const py::object& env_id, const py::object& seed) {
  const Use use(*this, true);
  if (SendReset(env_id, seed, true) == 0) return Deliver(pool_->Nothing(), true);
  return Receive(synchronous_, true, Clock::time_point::max());
}

inline void CompiledPool::AsyncReset(const py::object& env_id, const py::object& seed) {
  const Use use(*this, true);
  SendReset(env_id, seed, false);
}

inline int CompiledPool::SendReset(const py::object& env_id, const py::object& seed,
                                   bool then_recv) {
  const Ids ids = arguments_.ParseIds(env_id, "reset(env_id=...)");
  const std::vector<std::int64_t> seeds = arguments_.ParseSeeds(seed, ids);
  // What is in flight is replaced by the reset. An asynchronous pool can only drop everything: its
  // rows are already taken in the order in which environments finish.
  const bool drops = ids.count > 0 && (synchronous_ || ids.ids == nullptr);
  const Op op = seeds.empty() ? Op::kReset : Op::kReseed;
  if (drops) {
    pool_->CheckSend(ids.ids, ids.count, op, true);  // before anything is lost
    GilRelease release;
    pool_->Drop(ids.ids, ids.count, [&release] { release.CheckSignals(); });
  }
  pool_->CheckSend(ids.ids, ids.count, op);
  if (then_recv && ids.count > 0) pool_->CheckRecv(ids.count);
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    pool_->envs().SetSeed(ids.at(static_cast<int>(i)), seeds[i]);
  }
  if (ids.count > 0) pool_->Send(ids.ids, ids.count, op, then_recv);
  Tell();
  return ids.count;
}

inline py::array CompiledPool::Render(const py::object& env_ids, int width, int height,
                                      int camera_id) {
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
  if (w < 1 || h < 1 || w > detail::kMostPixels || h > detail::kMostPixels) {
    throw Error(ErrorKind::kRender, "render of " + task_id(),
                "a frame of " + std::to_string(w) + " x " + std::to_string(h),
                "1 .. " + std::to_string(detail::kMostPixels) + " pixels each way",
                "correct render_width and render_height");
  }
  py::array_t<std::uint8_t> frames({ids.count, h, w, 3});
  auto* rgb = frames.mutable_data();
  const GilRelease release;
  for (int i = 0; i < ids.count; ++i, rgb += static_cast<std::size_t>(w) * h * 3) {
    envs.Render(ids.at(i), w, h, camera_id, rgb);
  }
  return frames;
}

inline py::list CompiledPool::SaveState(const py::object& env_ids) {
  const Use use(*this);
  const Ids ids = arguments_.ParseIds(env_ids, "save_state(env_ids)");
  std::vector<std::string> saved;
  {
    const GilRelease release;
    for (int i = 0; i < ids.count; ++i) {
      pool_->CheckIdle(ids.at(i), "save_state");
      saved.push_back(pool_->envs().SaveState(ids.at(i)));
    }
  }
  py::list states;
  for (const std::string& state : saved) states.append(py::bytes(state));
  return states;
}

inline void CompiledPool::LoadState(const py::list& states, const py::object& env_ids) {
  const Use use(*this);
  const Ids ids = arguments_.ParseIds(env_ids, "load_state(states, env_ids)");
  if (states.size() != static_cast<std::size_t>(ids.count)) {
    throw Error(ErrorKind::kSavedState, "load_state of " + task_id(),
                std::to_string(states.size()) + " states",
                std::to_string(ids.count) + " states, one for each env id",
                "pass as many states as ids");
  }
  std::vector<std::string> fresh, old;
  for (const py::handle state : states) {
    if (!py::isinstance<py::bytes>(state)) {
      throw Error(ErrorKind::kSavedState, "load_state of " + task_id(), Text(state), "bytes",
                  "pass what save_state returned");
    }
    fresh.push_back(state.cast<std::string>());
  }
  EnvArrayBase& envs = pool_->envs();
  const GilRelease release;
  for (int i = 0; i < ids.count; ++i) {
    pool_->CheckIdle(ids.at(i), "load_state");
    old.push_back(envs.SaveState(ids.at(i)));
  }
  int loading = 0;
  try {
    for (; loading < ids.count; ++loading) {
      envs.LoadState(ids.at(loading), fresh[static_cast<std::size_t>(loading)]);
    }
  } catch (const Error&) {
    for (; loading >= 0; --loading) {
      envs.LoadState(ids.at(loading), old[static_cast<std::size_t>(loading)]);
    }
    throw;
  }
}

inline void CompiledPool::Close() {
  if (forks_ != ForkCount().load()) return;
  const Use use(*this);
  const auto deadline = Clock::now() + detail::kClosePatience;
  for (;;) {
    bool done = false;
    {
      const GilRelease release;
      done = pool_->Close(Clock::now() + detail::kCloseSlice);
    }
    if (done) {
      Tell();
      return memory_->Clear();
    }
    CheckSignals();
    if (Clock::now() < deadline) continue;
    throw Error(ErrorKind::kState, "close of " + task_id(),
                "an environment that has not returned from Reset or Step for 30 s",
                "environments that return", "call close() again to go on waiting");
  }
}

inline CompiledPool::~CompiledPool() {
  if (gate_ != nullptr && forks_ == ForkCount().load()) {
    const GilRelease release;
    gate_->closing = true;
    const std::unique_lock nobody_inside(gate_->mutex);
    gate_->pool = nullptr;
  }
  if (pool_->closed()) return;
  const bool forked = forks_ != ForkCount().load();
  {
    const GilRelease release;
    if (!forked && pool_->Close(Clock::now() + detail::kDropPatience)) return;
  }
  // Threads that do not exist in this process, or that are inside an environment, may still need
  // all of it.
  if (!forked) pool_->Abandon();
  static_cast<void>(pool_.release());
  static_cast<void>(memory_.release());
}

}  // namespace envpool::python
