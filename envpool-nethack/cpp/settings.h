// SPDX-License-Identifier: Apache-2.0
// Options: arguments of nle and MiniHack, and EnvPool's additional options.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/dict.h"
#include "envpool/error.h"
#include "envpool/option_checks.h"
#include "game/game.h"
#include "game/keys.h"
#include "game/views.h"
#include "tasks/rules.h"

namespace envpool::nethack {
using namespace envpool::literals;

/// Friday 2021-10-15, 12:00:00 UTC: day, neither new nor full moon, and not the 13th.
inline constexpr std::int64_t kNoon = 1634299200;
/// The largest number of levels that are made for a task.
inline constexpr int kMostLevels = 10000;
/// Rows and columns of a cut; the map has 79.
inline constexpr int kMostCrop = 159;

inline auto DefaultOptions() {
  return Dict{"task"_ = "score",
              "character"_ = "mon-hum-neu-mal",
              "observation_keys"_ = std::vector<std::string>{"glyphs", "blstats", "message"},
              "actions"_ = std::vector<int>{13},
              "options"_ = std::vector<std::string>{},
              "wizard"_ = false,
              "allow_all_yn_questions"_ = false,
              "allow_all_modes"_ = false,
              "spawn_monsters"_ = true,
              "fix_moon_phase"_ = false,
              "penalty_mode"_ = "constant",
              "penalty_step"_ = -0.01,
              "penalty_time"_ = -0.0,
              "no_progress_timeout"_ = 10000,
              "last_frame"_ = "game",
              "clock"_ = kNoon,
              "lgen"_ = std::int64_t{-1},
              "reward_win"_ = 1.0,
              "reward_lose"_ = 0.0,
              "reward_shaping_coefficient"_ = 0.0,
              "events"_ = std::vector<std::string>{},
              "level_seeds"_ = std::vector<int>{},
              "num_levels"_ = 1,
              "obs_crop_h"_ = 9,
              "obs_crop_w"_ = 9,
              "obs_crop_pad"_ = 0,
              "include_alignment_blstats"_ = true,
              "savedir"_ = "",
              "save_ttyrec_every"_ = 0,
              "wizkit"_ = std::vector<std::string>{},
              "draws_text"_ = false,
              "tries_options"_ = false,
              "loader"_ = "auto",
              "library_path"_ = "",
              "data_path"_ = "",
              "tiles_path"_ = "",
              "levels_path"_ = "",
              "levels_hash"_ = ""};
}

/// Throws OptionError if NetHack has no such character.
inline void CheckCharacter(const std::string& character) {
  static const std::vector<std::string> kParts = {
      "arc", "bar", "cav", "hea", "kni", "mon", "pri", "rog", "ran", "sam", "tou", "val",
      "wiz", "hum", "elf", "dwa", "gno", "orc", "law", "neu", "cha", "mal", "fem"};
  if (character == "@") return;
  std::string part;
  bool known = !character.empty();
  for (std::size_t i = 0; i <= character.size(); ++i) {
    if (i < character.size() && character[i] != '-') {
      part += static_cast<char>(std::tolower(static_cast<unsigned char>(character[i])));
      continue;
    }
    known = known && std::find(kParts.begin(), kParts.end(), part.substr(0, 3)) != kParts.end();
    part.clear();
  }
  if (known) return;
  throw OptionError("character", "'" + character + "'",
                    "'@' for any, or role-race-alignment-gender as 'mon-hum-neu-mal'",
                    "take the first three letters of each");
}

/// NetHack's options, separated by commas. Throws OptionError if they are too long.
template <typename Config>
std::string OptionsText(const Config& config) {
  const std::string character = config["character"_];
  CheckCharacter(character);
  std::vector<std::string> options = config["options"_];
  const std::size_t given = options.size();
  options.push_back("name:Agent-" + character);
  if (character == "@") {
    for (const char* key : {"race:", "gender:", "align:"}) {
      const bool said = std::any_of(options.begin(), options.begin() + static_cast<long>(given),
                                    [&](const std::string& o) { return o.starts_with(key); });
      if (!said) options.push_back(std::string(key) + "random");
    }
  }
  if (config["wizard"_]) options.push_back("playmode:debug");
  std::string text;
  for (const std::string& option : options) text += (text.empty() ? "" : ",") + option;
  constexpr std::size_t kMost = sizeof(StartSettings::options) - 1;
  if (text.size() > kMost) {
    throw OptionError("options", std::to_string(text.size()) + " letters",
                      "at most " + std::to_string(kMost), "leave some out");
  }
  return text;
}

/// Initial things, one a line. Throws OptionError without NetHack's mode for testing.
template <typename Config>
std::string WizkitOf(const Config& config) {
  const std::vector<std::string> things = config["wizkit"_];
  std::string text;
  for (const std::string& thing : things) text += (text.empty() ? "" : "\n") + thing;
  if (!things.empty() && !config["wizard"_]) {
    throw OptionError("wizkit", "things without wizard=True", "things in the mode for testing",
                      "pass wizard=True, too");
  }
  constexpr std::size_t kMost = sizeof(StartSettings::wizkit) - 1;
  if (text.size() > kMost) {
    throw OptionError("wizkit", std::to_string(text.size()) + " letters",
                      "at most " + std::to_string(kMost), "leave some out");
  }
  return text;
}

template <typename Config>
RuleSettings RuleSettingsOf(const Config& config) {
  CheckAtLeast("no_progress_timeout", config["no_progress_timeout"_], 1);
  return {.task = static_cast<TaskKind>(Chosen("task", config["task"_], kTaskNames)),
          .penalty_mode = static_cast<PenaltyMode>(
              Chosen("penalty_mode", config["penalty_mode"_], kPenaltyNames)),
          .penalty_step = config["penalty_step"_],
          .penalty_time = config["penalty_time"_],
          .max_episode_steps = config["max_episode_steps"_],
          .no_progress_timeout = config["no_progress_timeout"_],
          .allow_all_yn_questions = config["allow_all_yn_questions"_],
          .allow_all_modes = config["allow_all_modes"_],
          .reward_win = config["reward_win"_],
          .reward_lose = config["reward_lose"_],
          .shaping = config["reward_shaping_coefficient"_],
          .events = config["events"_],
          .quits = Chosen("last_frame", config["last_frame"_], {"game", "package"}) == 1};
}

/// The views of observations. Throws OptionError for an unknown or a repeated name.
template <typename Config>
std::vector<View> ViewsOf(const Config& config) {
  for (const char* name : {"obs_crop_h", "obs_crop_w"}) {
    const int size = name[9] == 'h' ? config["obs_crop_h"_] : config["obs_crop_w"_];
    if (size >= 1 && size <= kMostCrop && size % 2 == 1) continue;
    throw OptionError(name, std::to_string(size), "odd numbers, 1 .. " + std::to_string(kMostCrop),
                      "pass 9, for four places on each side");
  }
  const int pad = config["obs_crop_pad"_];
  if (pad < 0 || pad > 127) {
    throw OptionError("obs_crop_pad", std::to_string(pad), "0 .. 127", "pass 0");
  }
  const Crop crop{.height = config["obs_crop_h"_], .width = config["obs_crop_w"_], .pad = pad};
  const std::vector<std::string> names = config["observation_keys"_];
  if (names.empty()) {
    throw OptionError("observation_keys", "none", "names of arrays", "pass at least one");
  }
  std::vector<View> views;
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name) {
      throw OptionError("observation_keys", "'" + *name + "' twice", "each name once",
                        "leave one out");
    }
    views.emplace_back(*name, crop, config["include_alignment_blstats"_] ? 0 : 1);
    if (views.back().is_picture() && std::string(config["tiles_path"_]).empty()) {
      throw OptionError("observation_keys", "'" + *name + "'", "pictures, where nle has its tiles",
                        "run `envpool nethack fetch`");
    }
  }
  return views;
}

/// The index of the view whose array the game can write directly into results: descriptions, which
/// are most of an observation, if neither rules nor cuts read them. -1: none.
inline int LentView(const std::vector<View>& views, const std::vector<std::string>& of_rules) {
  constexpr std::string_view kLent = "screen_descriptions";
  int found = -1;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (views[i].key() != kLent) continue;
    if (found >= 0 || views[i].is_crop()) return -1;
    found = static_cast<int>(i);
  }
  return std::find(of_rules.begin(), of_rules.end(), kLent) == of_rules.end() ? found : -1;
}

template <typename Config>
GameSettings GameSettingsOf(const Config& config) {
  const std::int64_t clock = config["clock"_];
  constexpr std::int64_t kMostSeconds = std::int64_t{1} << 40;  // 34,000 years
  if (clock < 0 || clock > kMostSeconds) {
    throw OptionError("clock", std::to_string(clock), "'real', or seconds since 1970",
                      "leave it out");
  }
  if (config["lgen"_] < -1) {
    throw OptionError("lgen", std::to_string(config["lgen"_]), "-1 for none, or 0 and more",
                      "pass a seed");
  }
  const int num_levels = config["num_levels"_];
  if (num_levels < 1 || num_levels > kMostLevels) {
    throw OptionError("num_levels", std::to_string(num_levels),
                      "1 .. " + std::to_string(kMostLevels), "pass fewer, as 1000");
  }
  Chosen("loader", config["loader"_], {"auto", "own", "dlopen"});
  std::vector<std::string> keys = Rules::KeysOf(RuleSettingsOf(config));
  const std::vector<View> views = ViewsOf(config);
  const int lent = LentView(views, keys);
  for (const View& view : views) {
    if (lent >= 0 && &view == &views[static_cast<std::size_t>(lent)]) continue;
    keys.push_back(view.key());
    if (view.key().starts_with("tty_")) keys.emplace_back("tty_cursor");
  }
  if (config["draws_text"_]) {
    for (const char* key : {"tty_chars", "tty_colors", "tty_cursor"}) keys.emplace_back(key);
  }
  const bool records = config["save_ttyrec_every"_] > 0;
  CheckAtLeast("save_ttyrec_every", config["save_ttyrec_every"_], 0);
  if (records && std::string(config["savedir"_]).empty()) {
    throw OptionError("save_ttyrec_every", std::to_string(config["save_ttyrec_every"_]),
                      "0, or a number of episodes and the option savedir",
                      "pass savedir, a folder for recordings");
  }
  return {.library = config["library_path"_],
          .data = config["data_path"_],
          .loader = config["loader"_],
          .levels = config["levels_path"_],
          .options = OptionsText(config),
          .keys = keys,
          .lent_key = lent < 0 ? "" : views[static_cast<std::size_t>(lent)].key(),
          .clock = clock,
          .recordings = records ? std::string(config["savedir"_]) : "",
          .record_every = config["save_ttyrec_every"_],
          .wizkit = WizkitOf(config),
          .spawn_monsters = config["spawn_monsters"_],
          .fix_moon_phase = config["fix_moon_phase"_]};
}

/// Throws OptionError if a level's seed is negative.
inline void CheckLevelSeeds(const std::vector<int>& seeds) {
  for (const int seed : seeds) {
    if (seed >= 0) continue;
    throw OptionError("level_seeds", std::to_string(seed), "0 and more", "pass other seeds");
  }
}

/// The codes of the actions' keys. Throws OptionError if a number is not a key.
inline void CheckActions(const std::vector<int>& actions) {
  if (actions.empty()) {
    throw OptionError("actions", "none", "codes of keys", "pass at least one, as [107]");
  }
  for (const int key : actions) {
    if (key >= 0 && key <= 255) continue;
    throw OptionError("actions", std::to_string(key), "codes of keys, 0 .. 255",
                      "pass codes as 107, which is ord('k')");
  }
}

}  // namespace envpool::nethack
