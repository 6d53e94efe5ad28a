// SPDX-License-Identifier: Apache-2.0
// Places in a saved state of Procgen: little-endian numbers of 4 bytes, and texts after their
// length.
//
//   version; name; 12 options; grid_step; level_low; level_high; game_type; game_n;
//   two generators, each: seeded, text; reward, done, level_complete; action; timeout; ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace envpool::procgen {

class SavedState {
 public:
  /// Finds the places. Throws std::out_of_range if the state is cut off.
  explicit SavedState(std::string& bytes) : bytes_(bytes) {
    std::size_t at = sizeof(std::int32_t);
    at = PastText(at);
    level_low_ = at + 13 * sizeof(std::int32_t);
    at = level_low_ + 4 * sizeof(std::int32_t);
    for (int generator = 0; generator < 2; ++generator) at = PastText(at + sizeof(std::int32_t));
    timeout_ = at + 4 * sizeof(std::int32_t);
    Get(timeout_);
  }

  std::int32_t level_low() const { return Get(level_low_); }
  std::int32_t level_high() const { return Get(level_low_ + sizeof(std::int32_t)); }
  void set_levels(std::int32_t low, std::int32_t high) {
    Put(level_low_, low);
    Put(level_low_ + sizeof(std::int32_t), high);
  }
  /// The number of steps after which the engine ends a level.
  std::int32_t timeout() const { return Get(timeout_); }
  /// True if the agent is in the level's list. The library ends the process on a state without it,
  /// which exists if an episode ended because the agent left the level.
  bool has_agent() const {
    constexpr std::size_t kNumber = sizeof(std::int32_t), kFields = 31, kKind = 6;
    const std::size_t count_at = timeout_ + 12 * kNumber;
    const std::int32_t count = Get(count_at);
    for (std::int32_t i = 0; i < count; ++i) {
      const std::size_t thing =
          count_at + kNumber + static_cast<std::size_t>(i) * kFields * kNumber;
      if (Get(thing + kKind * kNumber) == 0) return true;
    }
    return false;
  }
  void set_timeout(std::int32_t steps) { Put(timeout_, steps); }

 private:
  std::size_t PastText(std::size_t at) const {
    const std::int32_t size = Get(at);
    if (size < 0) throw std::out_of_range("a text of negative length in a state");
    return at + sizeof(size) + static_cast<std::size_t>(size);
  }
  std::int32_t Get(std::size_t at) const {
    std::int32_t value = 0;
    if (at + sizeof(value) > bytes_.size()) throw std::out_of_range("a state that is cut off");
    std::memcpy(&value, bytes_.data() + at, sizeof(value));
    return value;
  }
  void Put(std::size_t at, std::int32_t value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(value));
  }

  std::string& bytes_;
  std::size_t level_low_ = 0, timeout_ = 0;
};

}  // namespace envpool::procgen
