// SPDX-License-Identifier: Apache-2.0
// The mission: a text of a fixed capacity, and its number if the level has few texts.
//
//   mission.Say("go to the ", color, " ", kind);
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "grid.h"

namespace envpool::minigrid {

inline constexpr std::array<std::string_view, kNumKinds> kKindNames = {
    "unseen", "empty", "wall", "floor", "door", "key", "ball", "box", "goal", "lava", "agent"};
inline constexpr std::array<std::string_view, kNumColors> kColorNames = {
    "red", "green", "blue", "purple", "yellow", "grey"};

class Mission {
 public:
  /// BabyAI's longest mission has 321 letters.
  static constexpr int kCapacity = 336;

  /// Sets the text to the parts, one after the other. The number counts the colors (6) and the
  /// things that can be carried (3); the last part counts fastest.
  template <typename... Parts>
  void Say(const Parts&... parts) {
    length_ = 0;
    id_ = 0;
    Add(parts...);
  }
  /// Appends to the text.
  template <typename... Parts>
  void Add(const Parts&... parts) {
    (AddOne(parts), ...);
  }

  std::string_view text() const { return {text_.data(), static_cast<std::size_t>(length_)}; }
  int id() const { return id_; }
  /// -1: the level has too many texts for a number.
  void set_id(int id) { id_ = id; }

 private:
  void AddOne(std::string_view text) {
    const std::size_t room = kCapacity - static_cast<std::size_t>(length_);
    const std::size_t size = std::min(text.size(), room);
    std::memcpy(text_.data() + length_, text.data(), size);
    length_ += static_cast<std::int32_t>(size);
  }
  void AddOne(Color color) {
    AddOne(kColorNames[color]);
    id_ = id_ * kNumColors + color;
  }
  void AddOne(Kind kind) {
    AddOne(kKindNames[kind]);
    id_ = id_ * 3 + (kind - kKey);
  }

  std::array<char, kCapacity> text_{};
  std::int32_t length_ = 0, id_ = 0;
};

}  // namespace envpool::minigrid
