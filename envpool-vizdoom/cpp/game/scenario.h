// SPDX-License-Identifier: Apache-2.0
// Scenario: the contents of a ViZDoom configuration file.
//
//   const Scenario scenario = ReadScenario("/…/scenarios/basic.cfg");
//   scenario.buttons, scenario.rewards.living
//
// The format is ViZDoom's: `key = value` or `key += value` on a line, lists in braces over several
// lines, `#` begins a comment line; case and underscores are ignored. Keys about windows, or about
// the values for Python, are accepted and have no effect.
#pragma once

#include <string>
#include <vector>

namespace envpool::vizdoom {

/// The scenario's own rewards of a step; see ScenarioReward.
struct ScenarioRewards {
  double living = 0, death_penalty = 0, map_exit = 0, kill = 0, item = 0, secret = 0, frag = 0,
         hit = 0, hit_taken_penalty = 0, damage_made = 0, damage_taken_penalty = 0, health = 0,
         armor = 0;
};

/// The order of pixels in the engine's screen.
enum class ScreenFormat { kRgbPlanes = 0, kBgrPlanes = 4, kGray = 8, kPalette = 9 };

struct Scenario {
  std::string wad;                      ///< path of the maps; empty: the game's maps
  std::string game_wad;                 ///< path of the game; empty: Freedoom
  std::string map = "map01";            ///< name of the map; the default is ViZDoom's
  std::vector<int> buttons, variables;  ///< ViZDoom's numbers, in order
  std::vector<std::string> arguments;   ///< additional arguments for the engine
  int skill = 3;
  unsigned start_tic = 1;  ///< the first tic that is played
  unsigned timeout = 0;    ///< tics of an episode; 0: no limit
  int width = 320, height = 240;
  ScreenFormat format = ScreenFormat::kRgbPlanes;
  int render_mode = 6772;  ///< bits of the engine's viz_render_mode
  int automap_mode = 0;
  unsigned tics_per_second = 35;
  unsigned audio_rate = 44100, audio_tics = 0;  ///< 0: not given
  ScenarioRewards rewards;

  /// The number of planes of a screen.
  int channels() const {
    return format == ScreenFormat::kGray || format == ScreenFormat::kPalette ? 1 : 3;
  }
};

/// Throws OptionError for `cfg_path` if the file does not exist or a line is wrong.
Scenario ReadScenario(const std::string& path);

/// Sets the resolution, as "320x240". Throws OptionError for `render_resolution` if ViZDoom lacks
/// the resolution.
void SetResolution(Scenario& scenario, const std::string& text);

}  // namespace envpool::vizdoom
