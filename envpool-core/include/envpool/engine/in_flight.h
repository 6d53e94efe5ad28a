// SPDX-License-Identifier: Apache-2.0
// InFlight: which environments are on their way, and every reason to refuse a call.
//
//   in_flight.CheckSend(ids, n, Op::kStep, may_step, false);    // throws Error
//   in_flight.Sent(ids, n, Op::kStep);
//   in_flight.Received(ids, n);
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "envpool/engine/pool_options.h"
#include "envpool/error.h"

namespace envpool {

class InFlight {
 public:
  /// `options` outlives it.
  explicit InFlight(const PoolOptions& options)
      : options_(options), flags_(static_cast<std::size_t>(options.num_envs)) {}

  int count() const { return count_; }
  /// How many results a batch needs at least.
  int least() const { return options_.synchronous() ? 1 : options_.batch_size; }
  /// Whether a batch can be filled when `more` environments are sent.
  bool fills_batch(int more) const { return count_ + more >= least(); }
  bool contains(int env_id) const { return flags(env_id) & kInFlight; }

  /// Throws Error when an id is out of range, named twice, in flight or failed before (null: all
  /// environments). `may_step(id)` says whether an environment has an episode to step in. With
  /// `drops`, what is in flight does not matter, because it is dropped first.
  template <typename MayStep>
  void CheckSend(const int* env_ids, int count, Op op, const MayStep& may_step, bool drops) const;
  /// Throws Error(kState) when `more` environments are sent and a batch still cannot be filled.
  void CheckRecv(int more) const;
  /// Throws Error when the id is unknown, or its environment in flight or failed.
  void CheckIdle(int env_id, const char* what) const;

  /// Environments that CheckSend has let pass are on their way.
  void Sent(const int* env_ids, int count, Op op);
  void Received(const int* env_ids, int count);
  /// A result that nobody will see.
  void Gone(int env_id, bool failed) {
    --count_;
    if (failed) ++num_broken_;
    flags(env_id) = failed ? kBroken : 0;
  }

 private:
  static constexpr std::uint8_t kInFlight = 1, kBroken = 2, kNamed = 4;  // kNamed: within a check

  std::uint8_t& flags(int env_id) const { return flags_[static_cast<std::size_t>(env_id)]; }
  bool known(int env_id) const {
    return static_cast<unsigned>(env_id) < static_cast<unsigned>(options_.num_envs);
  }
  /// Throws Error, of kind `busy` when it is in flight, unless the environment is known and idle
  /// and did not fail.
  void CheckRuns(int env_id, const std::string& asked, ErrorKind busy) const;

  const PoolOptions& options_;
  mutable std::vector<std::uint8_t> flags_;  // by environment
  int count_ = 0;
  int num_broken_ = 0;
};

template <typename MayStep>
void InFlight::CheckSend(const int* env_ids, int count, Op op, const MayStep& may_step,
                         bool drops) const {
  const bool disabled = op == Op::kStep && options_.autoreset == Autoreset::kDisabled;
  if (env_ids == nullptr && count_ == 0 && num_broken_ == 0 && !disabled) return;
  const auto id_at = [&](int i) { return env_ids == nullptr ? i : env_ids[i]; };
  const unsigned wrong = kNamed | (drops ? 0 : kInFlight) | (op == Op::kStep ? kBroken : 0);
  int checked = 0;
  for (; checked < count; ++checked) {
    const int id = id_at(checked);
    if (!known(id) || (flags(id) & wrong) || (disabled && !may_step(id))) break;
    flags(id) |= kNamed;
  }
  const bool refused = checked < count;
  const bool twice = refused && known(id_at(checked)) && (flags(id_at(checked)) & kNamed);
  for (int i = 0; i < checked; ++i) flags(id_at(i)) &= static_cast<std::uint8_t>(~kNamed);
  if (!refused) return;
  const std::string asked = (op == Op::kStep ? "step or send to " : "reset of ") + options_.task_id;
  const std::string name = "env " + std::to_string(id_at(checked));
  if (twice) {
    throw Error(ErrorKind::kEnvId, asked, name + " twice", "every env id once per call",
                "remove the duplicate");
  }
  CheckRuns(id_at(checked), asked, ErrorKind::kEnvId);
  throw Error(ErrorKind::kState, asked, name + ", whose episode is over or has not begun",
              "running episodes, since autoreset_mode is \"disabled\"", "reset it first");
}

inline void InFlight::CheckRuns(int env_id, const std::string& asked, ErrorKind busy) const {
  if (!known(env_id)) {
    throw Error(ErrorKind::kEnvId, asked, "env id " + std::to_string(env_id),
                "0 .. " + std::to_string(options_.num_envs - 1),
                "pass ids of this pool, see all_env_ids");
  }
  const std::string name = "env " + std::to_string(env_id);
  if (contains(env_id)) {
    throw Error(busy, asked, name + ", which is in flight",
                "environments whose result was received", "call recv() first");
  }
  if (flags(env_id) & kBroken) {
    throw Error(ErrorKind::kState, asked, name + ", which failed before", "environments that run",
                "reset it first");
  }
}

inline void InFlight::CheckRecv(int more) const {
  if (fills_batch(more)) return;
  const int on_the_way = count_ + more, wanted = least();
  throw Error(ErrorKind::kState, "recv of " + options_.task_id,
              std::to_string(on_the_way) + " results on the way",
              "at least " + std::to_string(wanted) +
                  (options_.synchronous() ? "" : " (batch_size), so that a batch can be filled"),
              "send actions to, or reset, more environments first");
}

inline void InFlight::CheckIdle(int env_id, const char* what) const {
  CheckRuns(env_id, what + (" of " + options_.task_id), ErrorKind::kState);
}

inline void InFlight::Sent(const int* env_ids, int count, Op op) {
  count_ += count;
  if (env_ids == nullptr && (op == Op::kStep || num_broken_ == 0)) {
    std::memset(flags_.data(), kInFlight, flags_.size());
    return;
  }
  for (int i = 0; i < count; ++i) {
    std::uint8_t& own = flags(env_ids == nullptr ? i : env_ids[i]);
    if (own & kBroken) --num_broken_;
    own = kInFlight;
  }
}

inline void InFlight::Received(const int* env_ids, int count) {
  count_ -= count;
  if (count == options_.num_envs) {
    std::memset(flags_.data(), 0, flags_.size());
    return;
  }
  for (int i = 0; i < count; ++i) flags(env_ids[i]) = 0;
}

}  // namespace envpool
