// SPDX-License-Identifier: Apache-2.0
// EnvBase: the part of an environment that does not depend on its types. Environments derive from
// Env in env.h.
#pragma once

#include <cstdint>

#include "envpool/engine/columns.h"

namespace envpool {

class EnvBase {
 public:
  EnvBase(const EnvBase&) = delete;
  EnvBase& operator=(const EnvBase&) = delete;
  virtual ~EnvBase() = default;

  /// Begins an episode: calls Allocate once, and writes the first observation.
  virtual void Reset() = 0;
  /// Whether the episode is over; asked after each Reset and Step. The time limit is the pool's.
  virtual bool IsDone() = 0;

 protected:
  /// Env passes these on from the pool's options.
  EnvBase(int env_id, std::int64_t seed, int max_num_players)
      : env_id_(env_id), max_num_players_(max_num_players), seed_(seed) {}

  int env_id_;           ///< the id of this environment in its pool, from 0
  int max_num_players_;  ///< most players that Allocate may ask for
  std::int64_t seed_;    ///< the seed of `gen_`

 private:
  template <typename>
  friend class EnvArray;
  template <typename, typename>
  friend class Env;
  template <typename>
  friend class FromPixels;
  Row* row_ = nullptr;  // where the result of this step or reset goes
};

}  // namespace envpool
