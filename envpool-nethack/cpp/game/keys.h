// SPDX-License-Identifier: Apache-2.0
// The arrays of an observation: nle's names, sizes and ranges.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/error.h"
#include "envpool/spec.h"
#include "library/interface.h"

namespace envpool::nethack {

inline constexpr int kRows = 21, kColumns = 79;  ///< the size of the map
inline constexpr int kTerminalRows = 24, kTerminalColumns = 80;
inline constexpr int kInventory = 55;  ///< places for things in the inventory
inline constexpr int kMaxGlyph = 5976;
inline constexpr int kDescriptionSize = 80;  ///< letters of a place's description
inline constexpr std::size_t kLargestArray = kRows * kColumns * kDescriptionSize;  ///< bytes

/// One array: its form in Python, and its pointer in the game's struct.
struct KeyInfo {
  std::string_view name;
  ArraySpec (*spec)(const std::string& name);
  void (*point)(Observation& observation, std::byte* memory);
};

namespace detail {
template <typename T>
ArraySpec SpecOf(const std::string& name, std::vector<int> shape, double low, double high) {
  return MakeArraySpec(name, Box<T>(std::move(shape), static_cast<T>(low), static_cast<T>(high)));
}
template <auto Member>
void Point(Observation& observation, std::byte* memory) {
  auto& pointer = observation.*Member;
  pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(memory);
}
inline constexpr double kInt = 2147483648.0;
}  // namespace detail

using detail::Point;
using detail::SpecOf;
using O = Observation;
using S = const std::string&;
/// In the order of the game's struct.
inline constexpr auto kKeys = std::to_array<KeyInfo>({
    {"glyphs", [](S n) { return SpecOf<std::int16_t>(n, {kRows, kColumns}, 0, kMaxGlyph); },
     Point<&O::glyphs>},
    {"chars", [](S n) { return SpecOf<std::uint8_t>(n, {kRows, kColumns}, 0, 255); },
     Point<&O::chars>},
    {"colors", [](S n) { return SpecOf<std::uint8_t>(n, {kRows, kColumns}, 0, 15); },
     Point<&O::colors>},
    {"specials", [](S n) { return SpecOf<std::uint8_t>(n, {kRows, kColumns}, 0, 255); },
     Point<&O::specials>},
    {"blstats", [](S n) { return SpecOf<std::int64_t>(n, {27}, -detail::kInt, detail::kInt - 1); },
     Point<&O::blstats>},
    {"message", [](S n) { return SpecOf<std::uint8_t>(n, {256}, 0, 255); }, Point<&O::message>},
    {"program_state", [](S n) { return SpecOf<int>(n, {6}, -detail::kInt, detail::kInt - 1); },
     Point<&O::program_state>},
    {"internal", [](S n) { return SpecOf<int>(n, {9}, -detail::kInt, detail::kInt - 1); },
     Point<&O::internal>},
    {"inv_glyphs", [](S n) { return SpecOf<std::int16_t>(n, {kInventory}, 0, kMaxGlyph); },
     Point<&O::inv_glyphs>},
    {"inv_strs",
     [](S n) { return SpecOf<std::uint8_t>(n, {kInventory, kDescriptionSize}, 0, 255); },
     Point<&O::inv_strs>},
    {"inv_letters", [](S n) { return SpecOf<std::uint8_t>(n, {kInventory}, 0, 127); },
     Point<&O::inv_letters>},
    {"inv_oclasses", [](S n) { return SpecOf<std::uint8_t>(n, {kInventory}, 0, 18); },
     Point<&O::inv_oclasses>},
    {"screen_descriptions",
     [](S n) { return SpecOf<std::uint8_t>(n, {kRows, kColumns, kDescriptionSize}, 0, 127); },
     Point<&O::screen_descriptions>},
    {"tty_chars",
     [](S n) { return SpecOf<std::uint8_t>(n, {kTerminalRows, kTerminalColumns}, 0, 255); },
     Point<&O::tty_chars>},
    {"tty_colors",
     [](S n) { return SpecOf<std::int8_t>(n, {kTerminalRows, kTerminalColumns}, 0, 31); },
     Point<&O::tty_colors>},
    {"tty_cursor", [](S n) { return SpecOf<std::uint8_t>(n, {2}, 0, 255); }, Point<&O::tty_cursor>},
    {"misc", [](S n) { return SpecOf<int>(n, {3}, -detail::kInt, detail::kInt - 1); },
     Point<&O::misc>},
});

/// Refuses a name that is not an array, a cut or a picture.
[[noreturn]] inline void RefuseKey(const std::string& name) {
  std::vector<std::string> names;
  std::string all;
  for (const KeyInfo& key : kKeys) {
    names.emplace_back(key.name);
    all += names.back() + ", ";
  }
  for (const char* cut :
       {"glyphs_crop", "chars_crop", "colors_crop", "specials_crop", "tty_chars_crop",
        "tty_colors_crop", "screen_descriptions_crop", "pixel", "pixel_crop"}) {
    names.emplace_back(cut);
  }
  throw OptionError("observation_keys", "'" + name + "'",
                    all + "of the map and the terminal also as glyphs_crop, pixel and pixel_crop",
                    "pass names of arrays", names);
}

/// The index of a key in kKeys. Throws OptionError about `asked` if there is no such key.
inline std::size_t KeyOf(const std::string& name, const std::string& asked) {
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    if (kKeys[i].name == name) return i;
  }
  RefuseKey(asked);
}
inline std::size_t KeyOf(const std::string& name) { return KeyOf(name, name); }

}  // namespace envpool::nethack
