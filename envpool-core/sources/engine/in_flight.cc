// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/in_flight.h"

#include <cstring>

namespace envpool {

void InFlight::CheckSend(const int* env_ids, int count, Op op, const EnvArrayBase& envs,
                         bool drops) const {
  const bool disabled = op == Op::kStep && options_.autoreset == Autoreset::kDisabled;
  if (env_ids == nullptr && count_ == 0 && num_broken_ == 0 && !disabled) return;
  const auto id_at = [&](int i) { return env_ids == nullptr ? i : env_ids[i]; };
  const unsigned wrong = kNamed | (drops ? 0 : kInFlight) | (op == Op::kStep ? kBroken : 0);
  int checked = 0;
  for (; checked < count; ++checked) {
    const int id = id_at(checked);
    if (!known(id) || (flags(id) & wrong) || (disabled && !envs.in_episode(id))) break;
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

void InFlight::CheckRuns(int env_id, const std::string& asked, ErrorKind busy) const {
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

void InFlight::CheckRecv(int more) const {
  if (fills_batch(more)) return;
  const int in_flight = count_ + more, wanted = least();
  throw Error(
      ErrorKind::kState, "recv of " + options_.task_id,
      std::to_string(in_flight) + " results in flight",
      "at least " + std::to_string(wanted) +
          (options_.synchronous() ? "" : " (batch_size), so that a batch can be filled"),
      "send actions to, or reset, more environments first; or pass recv(timeout=...), which "
      "waits for what another thread is still to send");
}

void InFlight::CheckIdle(int env_id, const char* what) const {
  CheckRuns(env_id, what + (" of " + options_.task_id), ErrorKind::kState);
}

void InFlight::Sent(const int* env_ids, int count, Op op) {
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

void InFlight::Received(const envpool::Received& received) {
  const int count = received.rows;
  const int* env_ids = received.batch->column<int>(kEnvIdColumn);
  if (!options_.synchronous()) last_ids_.assign(env_ids, env_ids + count);
  for (int row = 0; !last_players_.empty() && row < count; ++row) {
    set_last_players(env_ids[row], received.batch->players[static_cast<std::size_t>(row)]);
  }
  count_ -= count;
  if (count == options_.num_envs) {
    std::memset(flags_.data(), 0, flags_.size());
    return;
  }
  for (int i = 0; i < count; ++i) flags(env_ids[i]) = 0;
}

}  // namespace envpool
