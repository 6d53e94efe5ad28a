// SPDX-License-Identifier: Apache-2.0
// InFlight: which environments are in flight, that is sent and not yet received, every reason to
// refuse to send or receive, and whose results were received last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "envpool/engine/batch.h"
#include "envpool/engine/env_array.h"
#include "envpool/engine/pool_options.h"
#include "envpool/error.h"

namespace envpool {

class InFlight {
 public:
  /// `options` outlives it.
  InFlight(const PoolOptions& options, int max_players)
      : options_(options),
        least_(options.synchronous() ? 1 : options.batch_size),
        flags_(static_cast<std::size_t>(options.num_envs)),
        last_players_(max_players == 1 ? 0 : static_cast<std::size_t>(options.num_envs),
                      kNoResult) {}

  int count() const { return count_; }
  /// How many results a batch needs at least.
  int least() const { return least_; }
  /// Whether a batch can be filled when `more` environments are sent.
  bool fills_batch(int more) const { return count_ + more >= least(); }
  bool contains(int env_id) const { return flags(env_id) & kInFlight; }

  /// Throws Error when an id is out of range, named twice, in flight or failed before (null: all
  /// environments). `envs` tells whether an environment has an episode to step in. With `drops`,
  /// environments in flight are allowed, because their results are dropped first.
  void CheckSend(const int* env_ids, int count, Op op, const EnvArrayBase& envs, bool drops) const;
  /// Throws Error(kState) when `more` environments are sent and a batch still cannot be filled.
  void CheckRecv(int more) const;
  /// Throws Error when the id is unknown, or its environment in flight or failed.
  void CheckIdle(int env_id, const char* what) const;

  /// Environments that CheckSend has let pass are in flight.
  void Sent(const int* env_ids, int count, Op op);
  /// The caller has the results of a batch.
  void Received(const envpool::Received& received);
  /// Environments in the batch that was received last; empty unless the pool is asynchronous.
  const std::vector<int>& last_ids() const { return last_ids_; }
  static constexpr std::int32_t kNoResult = -1;
  /// Players in the last result of an environment that was received, or kNoResult.
  std::int32_t last_players(int env_id) const {
    return last_players_.empty() ? 1 : last_players_[static_cast<std::size_t>(env_id)];
  }
  void set_last_players(int env_id, std::int32_t players) {
    if (!last_players_.empty()) last_players_[static_cast<std::size_t>(env_id)] = players;
  }
  /// A result was dropped.
  void Removed(int env_id, bool failed) {
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
  const int least_;
  mutable std::vector<std::uint8_t> flags_;  // by environment
  int count_ = 0;
  int num_broken_ = 0;
  std::vector<int> last_ids_;
  std::vector<std::int32_t> last_players_;  // by environment; empty where each has one player
};

}  // namespace envpool
