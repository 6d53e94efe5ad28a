// SPDX-License-Identifier: Apache-2.0
// The options of an Atari task: upstream's defaults, and class Options, which checks and converts
// them.
//
//   const Options options(spec.config);  // throws envpool::Error
//   options.game->name, options.ObservationShape(), options.Channels()
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "envpool/dict.h"
#include "envpool/error.h"
#include "games/own_roms.h"

namespace envpool::atari {

using namespace envpool::literals;

/// The library whose rules hold where the rules differ in more than option values.
enum class Preset : std::uint8_t {
  kEnvpool,    ///< no-ops, then FIRE; an episode that ends with a life goes on from there
  kAle,        ///< FIRE, then no-ops; a stack starts with black; every episode is a new game
  kGymnasium,  ///< as kEnvpool, seeded as Gymnasium seeds `ALE/Pong-v5`
};

/// The contents of an observation.
enum class ObsType : std::uint8_t {
  kScreen,  ///< a stack of screens, resized
  kRam,     ///< the 128 bytes of memory
  kRgb,     ///< the unscaled screen, height x 160 x 3
  kGray,    ///< the unscaled screen in shades of gray, height x 160
};

/// The order of a stack of screens in memory.
enum class Layout : std::uint8_t {
  kChannelFirst,  ///< stack * channels, height, width
  kChannelLast,   ///< height, width, stack * channels
  kStackFirst,    ///< stack, height, width; for colors a last axis of 3
};

inline auto DefaultAtariConfig() {
  return envpool::Dict{
      "stack_num"_ = 4, "frame_skip"_ = 4, "noop_max"_ = 30, "zero_discount_on_life_loss"_ = false,
      "episodic_life"_ = false, "reward_clip"_ = false, "use_fire_reset"_ = true,
      "img_height"_ = 84, "img_width"_ = 84, "task"_ = "pong", "mode"_ = -1, "difficulty"_ = -1,
      "full_action_space"_ = false, "repeat_action_probability"_ = 0.0,
      "use_inter_area_resize"_ = true, "gray_scale"_ = true,
      // Beyond EnvPool 1.2.5:
      "preset"_ = "envpool", "obs_type"_ = "screen", "layout"_ = "channel_first", "crop"_ = "none",
      "max_pool"_ = true, "frame_skip_high"_ = 0, "continuous"_ = false,
      "continuous_action_threshold"_ = 0.5, "cache_reset"_ = false, "life_loss_info"_ = false};
}

/// Refuses the value of an option. Python adds the call to the message.
[[noreturn]] inline void Refuse(const std::string& key, const std::string& value,
                                const std::string& allowed,
                                const std::string& next = "pass one of these",
                                std::vector<std::string> choices = {}) {
  throw envpool::OptionError(key, value, allowed, next, std::move(choices));
}

/// The value of `name` in `choices`. Throws Error if `choices` lacks it.
template <typename T, std::size_t kCount>
T Choose(const std::string& key, std::string_view name,
         const std::pair<std::string_view, T> (&choices)[kCount]) {
  std::string allowed;
  std::vector<std::string> names;
  for (const auto& [choice, value] : choices) {
    if (choice == name) return value;
    allowed += (allowed.empty() ? "'" : ", '") + std::string(choice) + "'";
    names.emplace_back(choice);
  }
  Refuse(key, "'" + std::string(name) + "'", allowed, "pass one of these", std::move(names));
}

struct Options {
  static constexpr int kScreenLines = 210;  ///< lines of most games; crop="210": of all
  static constexpr int kMostPixels = 4096;  ///< per side of an observation
  /// Limit of frames in a step or before an episode: nearly three minutes of the game. A larger
  /// number is probably a typing error.
  static constexpr int kMostFrames = 10'000;

  const GameInfo* game;
  Preset preset;
  ObsType obs_type;
  Layout layout;
  int stack_num;
  int frame_skip;       ///< frames of a step; the least number of them if frame_skip_high is not 0
  int frame_skip_high;  ///< 0, or the number of frames is drawn from frame_skip .. this - 1
  int noop_max;
  int img_height;
  int img_width;
  int mode;        ///< -1: the game's first
  int difficulty;  ///< -1: 0, even if the game has no difficulty 0
  double repeat_action_probability;
  double continuous_action_threshold;
  bool crop;  ///< only the first 210 lines of a screen are used
  bool zero_discount_on_life_loss;
  bool episodic_life;
  bool reward_clip;
  bool use_fire_reset;
  bool full_action_space;
  bool continuous;
  bool inter_area;
  bool gray_scale;
  bool max_pool;
  bool cache_reset;
  bool life_loss_info;

  /// Reads the options from a config. Throws Error on an invalid value.
  template <typename Config>
  explicit Options(const Config& config);

  /// The actions of the task; action i of a step is element i.
  std::vector<int> Actions() const {
    return (full_action_space ? game->legal : game->actions).ToVector();
  }
  /// True if an episode begins with FIRE.
  bool Fires() const {
    // AtariVectorEnv tests the actions in use, EnvPool the actions that have an effect.
    const bool all = preset == Preset::kAle && (full_action_space || continuous);
    return use_fire_reset && (all ? game->legal : game->actions).Contains(kFire);
  }
  /// True if a new game follows at once when `episodic_life` ends an episode.
  bool LifeEndsGame() const { return preset != Preset::kEnvpool; }
  /// Number of the screen's lines that observations show.
  int ScreenHeight() const {
    return crop || game->console.height == 0 ? kScreenLines : game->console.height;
  }
  /// True if an observation is the maximum of the last two frames.
  bool Pools() const { return max_pool && obs_type == ObsType::kScreen; }
  /// True if observations show the screen.
  bool Watches() const { return obs_type != ObsType::kRam; }
  /// Bytes of one pixel of an observation.
  int Channels() const {
    return obs_type == ObsType::kScreen ? (gray_scale ? 1 : 3) : obs_type == ObsType::kRgb ? 3 : 1;
  }
  /// The shape of an observation.
  std::vector<int> ObservationShape() const {
    const int height = ScreenHeight();
    if (obs_type == ObsType::kRam) return {kRamSize};
    if (obs_type == ObsType::kGray) return {height, kScreenWidth};
    if (obs_type == ObsType::kRgb) return {height, kScreenWidth, 3};
    const int channels = Channels();
    if (layout == Layout::kChannelFirst) return {stack_num * channels, img_height, img_width};
    if (layout == Layout::kChannelLast) return {img_height, img_width, stack_num * channels};
    if (gray_scale) return {stack_num, img_height, img_width};
    return {stack_num, img_height, img_width, channels};
  }

 private:
  static const GameInfo* Find(const std::string& task) {
    const GameInfo* game = FindRow(task);
    if (game == nullptr) Refuse("task", "'" + task + "'", "a game of the table");
    return game;
  }
  static void CheckRange(const char* key, double value, double low, double high) {
    const auto text = [](double number) {
      return (std::ostringstream() << std::setprecision(10) << number).str();
    };
    if (value >= low && value <= high) return;
    Refuse(key, text(value), text(low) + " .. " + text(high), "pass a value in this range");
  }
  static void CheckListed(const char* key, int value, const std::vector<int>& allowed) {
    if (value == -1 || std::ranges::find(allowed, value) != allowed.end()) return;
    std::string text = "-1";
    for (const int one : allowed) text += ", " + std::to_string(one);
    Refuse(key, std::to_string(value), text);
  }
  /// Throws Error on invalid values.
  void Check() const;
};

template <typename Config>
Options::Options(const Config& config)
    : game(Find(config["task"_])),
      preset(Choose<Preset>("preset", config["preset"_],
                            {{"envpool", Preset::kEnvpool},
                             {"ale", Preset::kAle},
                             {"gymnasium", Preset::kGymnasium}})),
      obs_type(Choose<ObsType>("obs_type", config["obs_type"_],
                               {{"screen", ObsType::kScreen},
                                {"ram", ObsType::kRam},
                                {"rgb", ObsType::kRgb},
                                {"gray", ObsType::kGray},
                                {"grayscale", ObsType::kGray}})),
      layout(Choose<Layout>("layout", config["layout"_],
                            {{"channel_first", Layout::kChannelFirst},
                             {"channel_last", Layout::kChannelLast},
                             {"stack_first", Layout::kStackFirst}})),
      stack_num(config["stack_num"_]),
      frame_skip(config["frame_skip"_]),
      frame_skip_high(config["frame_skip_high"_]),
      noop_max(config["noop_max"_]),
      img_height(config["img_height"_]),
      img_width(config["img_width"_]),
      mode(config["mode"_]),
      difficulty(config["difficulty"_]),
      repeat_action_probability(config["repeat_action_probability"_]),
      continuous_action_threshold(config["continuous_action_threshold"_]),
      crop(Choose<bool>("crop", config["crop"_], {{"none", false}, {"210", true}})),
      zero_discount_on_life_loss(config["zero_discount_on_life_loss"_]),
      episodic_life(config["episodic_life"_]),
      reward_clip(config["reward_clip"_]),
      use_fire_reset(config["use_fire_reset"_]),
      full_action_space(config["full_action_space"_]),
      continuous(config["continuous"_]),
      inter_area(config["use_inter_area_resize"_]),
      gray_scale(config["gray_scale"_]),
      max_pool(config["max_pool"_]),
      cache_reset(config["cache_reset"_]),
      life_loss_info(config["life_loss_info"_]) {
  Check();
}

inline void Options::Check() const {
  CheckRange("stack_num", stack_num, 1, 1024);
  CheckRange("frame_skip", frame_skip, 1, kMostFrames);
  if (frame_skip_high != 0) {
    CheckRange("frame_skip_high", frame_skip_high, frame_skip + 1, kMostFrames + 1);
  }
  CheckRange("noop_max", noop_max, 0, kMostFrames);
  CheckRange("img_height", img_height, 1, kMostPixels);
  CheckRange("img_width", img_width, 1, kMostPixels);
  CheckRange("repeat_action_probability", repeat_action_probability, 0, 1);
  CheckRange("continuous_action_threshold", continuous_action_threshold, 0, 1);
  CheckListed("mode", mode, ListModes(*game));
  CheckListed("difficulty", difficulty, game->difficulties.ToVector());
}

/// The options of AtariRom-v5. Python turns `rom_path` into `task`.
inline auto DefaultRomConfig() {
  return DefaultAtariConfig() +
         envpool::Dict{
             "rom_path"_ = "",   "cartridge"_ = "auto", "score_bytes"_ = std::vector<int>{},
             "lives_byte"_ = -1, "paddles"_ = false,    "screen_height"_ = Options::kScreenLines};
}

}  // namespace envpool::atari
