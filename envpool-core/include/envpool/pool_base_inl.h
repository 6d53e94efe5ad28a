// SPDX-License-Identifier: Apache-2.0
// How the pool builds and closes, and what it refuses; its interface is pool_base.h.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <thread>

#include "envpool/pool_base.h"

namespace envpool {

inline void PoolBase::AlignedFree::operator()(std::byte* memory) const {
  ::operator delete[](memory, std::align_val_t{64});
}

inline PoolBase::PoolBase(PoolOptions options, const Layout& state, const Layout& action,
                          BatchMemory& memory)
    : options_(std::move(options)), state_(&state), action_(&action), memory_(memory) {
  const auto n = static_cast<std::size_t>(num_envs());
  env_states_.resize(n);
  flags_.resize(n);
  action_players_.assign(n, 1);
  last_players_.assign(n, action_->max_players == 1 ? 1 : kNoResult);
  for (std::size_t row_size : action_->row_sizes) {
    const std::size_t size = std::max<std::size_t>(row_size * n, 1);
    action_memory_.emplace_back(
        static_cast<std::byte*>(::operator new[](size, std::align_val_t{64})));
    std::memset(action_memory_.back().get(), 0, size);
    actions_.push_back(action_memory_.back().get());
  }
  // The first two action arrays say where an action goes, which for a row never changes.
  const auto max_players = static_cast<std::size_t>(action_->max_players);
  auto* env_id = reinterpret_cast<int*>(actions_[0]);
  auto* players_env_id = reinterpret_cast<int*>(actions_[1]);
  for (std::size_t i = 0; i < n; ++i) {
    env_id[i] = static_cast<int>(i);
    std::fill_n(players_env_id + i * max_players, max_players, static_cast<int>(i));
  }
}

inline void PoolBase::BuildAll() {
  Engine::Runner& runner = *this;
  engine_ = std::unique_ptr<Engine>(new Engine(options_.engine, runner));
  const auto start = Engine::Clock::now();
  const int n = num_envs();
  std::mutex mutex;
  std::vector<Failure> failures;
  std::exception_ptr refusal;  // of an option, which says all that there is to say
  const auto build = [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      std::string text = "unknown exception";
      std::exception_ptr refused;
      try {
        Build(i);
        env_states_[static_cast<std::size_t>(i)] = {.elapsed_step = 0, .todo = kMustReset};
        continue;
      } catch (const Error& error) {
        text = error.what();
        if (error.kind == ErrorKind::kConfig) refused = std::current_exception();
      } catch (const std::exception& error) {
        text = error.what();
      } catch (...) {
      }
      const std::lock_guard lock(mutex);
      if (failures.empty()) refusal = refused;
      failures.push_back({i, -1, text});
      return;
    }
  };
  build(0, 1);
  const auto one = Engine::Clock::now() - start;
  const int threads = one * n > std::chrono::milliseconds(2) ? options_.engine.num_threads : 1;
  std::vector<std::thread> helpers;
  int begin = 1;
  for (int i = 0; failures.empty() && i < threads - 1; ++i) {
    const int end = begin + (n - begin) / (threads - i);
    try {
      helpers.emplace_back(build, begin, end);
    } catch (const std::system_error&) {
      break;  // no more threads to be had: this one does the rest
    }
    begin = end;
  }
  if (failures.empty() || !helpers.empty()) build(begin, n);
  for (std::thread& helper : helpers) helper.join();
  if (failures.empty()) return;
  DestroyAll();
  engine_.reset();
  if (refusal != nullptr) std::rethrow_exception(refusal);
  Error error(ErrorKind::kWorker,
              detail::TextFirst(failures[0].text, "make of " + options_.task_id),
              "this exception in the constructor of env " + std::to_string(failures[0].env_id),
              "constructors that return",
              "see the text of the exception for the cause; nothing was left behind");
  error.task_id = options_.task_id;
  error.failures = std::move(failures);
  throw error;
}

inline void PoolBase::DestroyAll() {
  for (int i = 0; i < num_envs(); ++i) {
    EnvState& state = env_states_[static_cast<std::size_t>(i)];
    if (!(state.todo & kMissing)) Destroy(i);
    state = {};
  }
}

inline bool PoolBase::Close(Engine::Clock::time_point deadline) {
  if (closed()) return true;
  closing_ = true;
  if (!engine_->Stop(deadline)) return false;
  closing_ = false;
  DestroyAll();
  engine_.reset();
  while (!open_.empty()) {
    FreeDynamic(*open_.front(), 0, open_.front()->capacity);
    Retire(*open_.front());
  }
  std::fill(flags_.begin(), flags_.end(), std::uint8_t{0});
  num_in_flight_ = num_broken_ = 0;
  return true;
}

inline void PoolBase::Reopen() {
  if (closing_) CheckOpen("reset");
  if (closed()) BuildAll();
}

inline void PoolBase::Abandon() { engine_->Abandon(); }

inline void PoolBase::CheckOpen(const char* what) const {
  if (!closed() && !closing_) return;
  if (closing_) {
    throw Error(ErrorKind::kState, std::string(what) + " of " + options_.task_id,
                "a pool whose close() is waiting for an environment",
                "close(), until that environment returns", "call close() again");
  }
  throw Error(ErrorKind::kState, std::string(what) + " of " + options_.task_id, "a closed pool",
              "reset and async_reset, which open it again", "call reset() or make a new pool");
}

inline void PoolBase::CheckIdle(int env_id, const char* what, bool started) const {
  CheckOpen(what);
  const std::string range = "0 .. " + std::to_string(num_envs() - 1);
  const std::string asked = std::string(what) + " of " + options_.task_id;
  const std::string name = "env " + std::to_string(env_id);
  if (env_id < 0 || env_id >= num_envs()) {
    throw Error(ErrorKind::kEnvId, asked, "env id " + std::to_string(env_id), range,
                "pass ids of this pool, see all_env_ids");
  }
  const auto i = static_cast<std::size_t>(env_id);
  if (in_flight(env_id)) {
    throw Error(ErrorKind::kState, asked, name + ", which is in flight",
                "environments whose result was received", "call recv() first");
  }
  if ((env_states_[i].todo & kMissing) || (started && (flags_[i] & kBroken))) {
    throw Error(ErrorKind::kState, asked, name + ", which failed", "environments that run",
                "reset it first");
  }
}

inline void PoolBase::RefuseId(int env_id, Op op) const {
  const std::string asked =
      std::string(op == Op::kStep ? "step or send to " : "reset of ") + options_.task_id;
  const std::string name = "env " + std::to_string(env_id);
  if (env_id < 0 || env_id >= num_envs()) {
    throw Error(ErrorKind::kEnvId, asked, "env id " + std::to_string(env_id),
                "0 .. " + std::to_string(num_envs() - 1), "pass ids of this pool, see all_env_ids");
  }
  const std::uint8_t flags = flags_[static_cast<std::size_t>(env_id)];
  if (flags & kNamed) {
    throw Error(ErrorKind::kEnvId, asked, name + " twice", "every env id once per call",
                "remove the duplicate");
  }
  if (flags & kInFlight) {
    throw Error(ErrorKind::kEnvId, asked, name + ", which is in flight",
                "environments whose result was received", "call recv() first");
  }
  if (flags & kBroken) {
    throw Error(ErrorKind::kState, asked, name + ", which failed before", "environments that run",
                "reset it first");
  }
  throw Error(ErrorKind::kState, asked, name + ", whose episode is over or has not begun",
              "running episodes, since autoreset_mode is \"disabled\"", "reset it first");
}

inline void PoolBase::CheckSend(const int* env_ids, int count, Op op, bool drops) const {
  CheckOpen(op == Op::kStep ? "step or send" : "reset");
  const bool disabled = op == Op::kStep && options_.autoreset == Autoreset::kDisabled;
  if (env_ids == nullptr && num_in_flight_ == 0 && num_broken_ == 0 && !disabled) return;
  int checked = 0;
  int refused = -1;
  bool is_refused = false;
  for (; checked < count; ++checked) {
    const int id = env_ids == nullptr ? checked : env_ids[checked];
    if (static_cast<unsigned>(id) >= static_cast<unsigned>(num_envs())) {
      is_refused = true;
    } else {
      std::uint8_t& flags = flags_[static_cast<std::size_t>(id)];
      is_refused = (flags & (drops ? kNamed : kInFlight | kNamed)) ||
                   (op == Op::kStep && (flags & kBroken)) ||
                   (disabled && (env_states_[static_cast<std::size_t>(id)].todo & kMustReset));
      if (!is_refused) flags |= kNamed;
    }
    if (is_refused) {
      refused = id;
      break;
    }
  }
  // A duplicate is told from the marks, so they go after the message has been made.
  const auto unmark = [&] {
    for (int i = 0; i < checked; ++i) {
      flags_[static_cast<std::size_t>(env_ids == nullptr ? i : env_ids[i])] &=
          static_cast<std::uint8_t>(~kNamed);
    }
  };
  if (!is_refused) return unmark();
  try {
    RefuseId(refused, op);
  } catch (...) {
    unmark();
    throw;
  }
}

inline void PoolBase::CheckRecv(int more) const {
  CheckOpen("recv");
  if (!open_.empty() && open_.front()->settled) return;
  const int on_the_way = num_in_flight_ + more;
  const int wanted = synchronous() ? 1 : options_.engine.batch_size;
  if (on_the_way >= wanted) return;
  throw Error(ErrorKind::kState, "recv of " + options_.task_id,
              std::to_string(on_the_way) + " results on the way",
              "at least " + std::to_string(wanted) +
                  (synchronous() ? "" : " (batch_size), so that a batch can be filled"),
              "send actions to, or reset, more environments first");
}

}  // namespace envpool

#include "envpool/pool_batches_inl.h"
