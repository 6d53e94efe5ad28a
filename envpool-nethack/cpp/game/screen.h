// SPDX-License-Identifier: Apache-2.0
// Screen: the arrays that a game writes. The game keeps some of them from key to key, so they are
// the game's own, and what was asked for is copied once a step.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/state_io.h"
#include "game/keys.h"

namespace envpool::nethack {

class Screen {
 public:
  /// With the arrays that were asked for, and those that tasks look into.
  explicit Screen(const std::vector<std::string>& keys) {
    for (const char* key : {"glyphs", "blstats", "message", "program_state", "internal"}) Add(key);
    for (const std::string& key : keys) Add(key);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  Observation& observation() { return observation_; }
  const Observation& observation() const { return observation_; }
  const std::byte* array(std::size_t key) const { return arrays_[key].data(); }

  /// As it was when it was new.
  void Clear() {
    for (std::vector<std::byte>& array : arrays_) {
      if (!array.empty()) std::memset(array.data(), 0, array.size());
    }
    observation_.done = observation_.how_done = 0;
    observation_.in_normal_game = 0;
  }

  void Save(StateWriter& out) const {
    const Observation& o = observation_;
    out.Write(o.action, o.done, o.in_normal_game, o.how_done);
    for (const std::vector<std::byte>& array : arrays_) out.Write(array);
  }
  void Load(StateReader& in) {
    Observation& o = observation_;
    in.Read(o.action, o.done, o.in_normal_game, o.how_done);
    for (std::vector<std::byte>& array : arrays_) {
      std::vector<std::byte> saved;
      in.Read(saved);
      if (saved.size() != array.size()) throw std::runtime_error("arrays of another screen");
      // The game knows where its arrays are, which a swap would move.
      if (!saved.empty()) std::memcpy(array.data(), saved.data(), saved.size());
    }
  }

 private:
  void Add(const std::string& name) {
    const std::size_t key = KeyOf(name);
    if (!arrays_[key].empty()) return;
    arrays_[key].resize(kKeys[key].spec(name).item_size());
    kKeys[key].point(observation_, arrays_[key].data());
  }

  Observation observation_;
  std::array<std::vector<std::byte>, kKeys.size()> arrays_;
};

}  // namespace envpool::nethack
