// SPDX-License-Identifier: Apache-2.0
// Screen: the arrays that a game writes. The game keeps some of them from key to key, so they
// belong to the game, and requested arrays are copied once per step.
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
  /// Makes the requested arrays, and those that rules read. `lent` names an array that is not kept
  /// here and that every key press writes anew; empty: none.
  Screen(const std::vector<std::string>& keys, const std::string& lent) {
    for (const char* key : {"glyphs", "blstats", "message", "program_state", "internal"}) Add(key);
    for (const std::string& key : keys) Add(key);
    if (!lent.empty()) lent_ = &kKeys[KeyOf(lent)];
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  Observation& observation() { return observation_; }
  const Observation& observation() const { return observation_; }
  const std::byte* array(std::size_t key) const { return arrays_[key].data(); }

  /// Restores the initial contents.
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
      // The game has pointers to its arrays, so they must not be swapped.
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

  friend class ArrayLoan;

  Observation observation_;
  std::array<std::vector<std::byte>, kKeys.size()> arrays_;
  const KeyInfo* lent_ = nullptr;
};

/// Memory for the array that a screen does not keep; the game needs it whenever it runs. Without
/// such an array, a loan does nothing.
class ArrayLoan {
 public:
  ArrayLoan(Screen& screen, std::byte* memory, std::size_t size)
      : screen_(screen), memory_(screen.lent_ == nullptr ? nullptr : memory), size_(size) {
    if (memory_ == nullptr) return;
    *memory_ = kUnwritten;
    screen_.lent_->point(screen_.observation_, memory_);
  }
  ArrayLoan(const ArrayLoan&) = delete;
  ArrayLoan& operator=(const ArrayLoan&) = delete;
  ~ArrayLoan() {
    if (memory_ == nullptr) return;
    if (*memory_ == kUnwritten) std::memset(memory_, 0, size_);  // crashed before writing it
    screen_.lent_->point(screen_.observation_, nullptr);
  }

 private:
  static constexpr std::byte kUnwritten{0xff};  // not a letter of a text

  Screen& screen_;
  std::byte* const memory_;
  const std::size_t size_;
};

}  // namespace envpool::nethack
