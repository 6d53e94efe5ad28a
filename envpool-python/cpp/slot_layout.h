// SPDX-License-Identifier: Apache-2.0
// SlotLayout: the arrays that an environment written in Python reads and writes, and where each
// lies in the slot that the environment has in shared memory.
//
//   slot   | SlotHeader | rewards | actions | state 0 | state 1 | next state | infos x 2 | text |
//
// A step writes its observation into state 0 and state 1 in turn, so that the last complete one is
// there when a worker ends in the middle. "next state" is the start of an episode that followed in
// the same step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "envpool/spec.h"

namespace envpool::python_family {

/// The call of an environment that a worker is asked for.
enum class RequestKind : std::int32_t {
  kStep,   ///< a step
  kReset,  ///< reset()
  kSeed,   ///< reset(seed=...)
};

/// Messages of parent and worker about one environment. Between a request
/// and its result the worker writes, otherwise the parent does.
struct alignas(64) SlotHeader {
  // The parent's.
  RequestKind request;
  std::int32_t buffer;         ///< the number of the state that is written, 0 or 1
  std::int32_t is_last;        ///< a time limit ends the episode with this step
  std::int32_t same_step;      ///< an episode that ends is followed by the next one at once
  std::int32_t num_actions;    ///< players that the action has rows for
  std::uint32_t num_rebuilds;  ///< how often the environment was made anew since it was seeded
  std::int64_t seed;
  std::uint32_t options_size;  ///< bytes of the options for the next reset, which takes them
  // The worker's.
  std::int32_t players;       ///< rows of the state
  std::int32_t next_players;  ///< rows of the next state
  std::int32_t terminated, truncated;
  std::int32_t has_next;       ///< the next episode has begun
  std::int32_t failed;         ///< it raised an exception, whose traceback is the text
  std::uint32_t info_size[2];  ///< bytes of the info, and of the info of the next state
  std::uint32_t text_size;
};

inline constexpr std::size_t kInfoBytes = 1024;  ///< longer ones go through the file itself
inline constexpr std::size_t kTextBytes = 8192;  ///< bytes of an exception's text

/// Arrays of one kind in a slot.
struct ArrayOffsets {
  std::vector<ArraySpec> arrays;
  std::vector<std::size_t> offsets;  ///< from where the first of them lies
  std::size_t size = 0;              ///< bytes of all

  ArrayOffsets(std::vector<ArraySpec> specs, int max_players) : arrays(std::move(specs)) {
    for (const ArraySpec& array : arrays) {
      offsets.push_back(size);
      const std::size_t rows = array.per_player() ? static_cast<std::size_t>(max_players) : 1;
      size += (array.item_size() * rows + 63) / 64 * 64;
    }
  }
};

struct SlotLayout {
  int max_players;
  ArrayOffsets state, action;
  std::size_t rewards_at, actions_at, states_at, infos_at, text_at, slot_size;

  SlotLayout(std::vector<ArraySpec> state_arrays, std::vector<ArraySpec> action_arrays, int players)
      : max_players(players),
        state(std::move(state_arrays), players),
        action(std::move(action_arrays), players) {
    rewards_at = sizeof(SlotHeader);
    actions_at = rewards_at + (sizeof(double) * static_cast<std::size_t>(players) + 63) / 64 * 64;
    states_at = actions_at + action.size;
    infos_at = states_at + 3 * state.size;
    text_at = infos_at + 2 * kInfoBytes;
    slot_size = (text_at + kTextBytes + 4095) / 4096 * 4096;
  }
};

inline constexpr int kNextEpisode = 2;  ///< the number of "next state" among the states

}  // namespace envpool::python_family
