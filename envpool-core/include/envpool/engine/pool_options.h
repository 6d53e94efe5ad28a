// SPDX-License-Identifier: Apache-2.0
// The options of a pool, beside those of its environments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace envpool {

/// When an environment whose episode ended starts the next one.
enum class Autoreset : std::uint8_t { kNextStep, kSameStep, kDisabled };

/// The order to an environment.
enum class Op : std::uint8_t {
  kStep,    ///< Step, or the start of an episode if there is none and autoreset is on
  kReset,   ///< Reset
  kReseed,  ///< a new environment with a new seed, then Reset
};

/// An option that a saved state depends on.
struct SavedOption {
  std::string name;
  std::string value;           ///< as Python writes it, shortened
  std::uint32_t checksum = 0;  ///< the checksum of the whole value
};

struct PoolOptions {
  std::string task_id{};
  int num_envs = 1;
  int batch_size = 1;        ///< rows of an asynchronous batch; == num_envs: synchronous
  int num_threads = 1;       ///< most threads that are inside environments at a time
  int affinity_offset = -1;  ///< CPU of thread 0 among those allowed; -1: none is bound
  int max_episode_steps = 1;
  Autoreset autoreset = Autoreset::kNextStep;
  std::vector<SavedOption> saved_options{};

  bool synchronous() const { return batch_size == num_envs; }
};

}  // namespace envpool
