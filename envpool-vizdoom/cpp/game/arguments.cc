// SPDX-License-Identifier: Apache-2.0
#include "game/arguments.h"

#include <algorithm>

namespace envpool::vizdoom {
namespace {

/// The engine's number of an aspect ratio: 16:9, 16:10, 4:3, 5:4, or another.
int AspectOf(int width, int height) {
  constexpr int kShapes[][2] = {{16, 9}, {16, 10}, {4, 3}, {5, 4}};
  for (int i = 0; i < 4; ++i) {
    if (width * kShapes[i][1] == height * kShapes[i][0]) return i + 1;
  }
  return 0;
}

}  // namespace

std::vector<std::string> EngineArguments(const GameSetup& setup, std::uint32_t seed, int player,
                                         int port) {
  const Scenario& scenario = setup.scenario;
  std::vector<std::string> list{"-iwad", setup.game_wad};
  const auto add = [&](std::initializer_list<std::string> more) { list.insert(list.end(), more); };
  if (!scenario.wad.empty()) add({"-file", scenario.wad});
  add({"+map", setup.map, "-skill", std::to_string(scenario.skill)});
  add({"-width", std::to_string(scenario.width), "-height", std::to_string(scenario.height)});
  add({"+vid_aspect", std::to_string(AspectOf(scenario.width, scenario.height))});
  add({"+fullscreen", "0", "+viz_controlled", "1", "+use_mouse", "0"});
  add({"-rngseed", std::to_string(seed)});
  if (setup.depth) add({"+viz_depth", "1"});
  if (setup.labels) add({"+viz_labels", "1"});
  if (setup.automap) {
    add({"+viz_automap", "1", "+viz_automap_mode", std::to_string(scenario.automap_mode)});
  }
  add({"+viz_render_mode", std::to_string(scenario.render_mode), "+viz_noconsole", "1"});
  add({"+viz_screen_format", std::to_string(static_cast<int>(scenario.format))});
  add({"+viz_window_hidden", "1", "+viz_noxserver", "1", "-noidle", "-nojoy"});
  if (setup.audio) {
    add({"+viz_soft_audio", "1", "+snd_backend", "openal"});
    add({"+viz_samp_freq", std::to_string(scenario.audio_rate)});
    add({"+viz_audio_tics", std::to_string(scenario.audio_tics)});
  } else {
    add({"-nosound", "+viz_nosound", "1"});
  }
  if (scenario.tics_per_second != 35) add({"-ticrate", std::to_string(scenario.tics_per_second)});
  const auto& own = scenario.arguments;
  if (setup.deathmatch && std::find(own.begin(), own.end(), "-host") == own.end()) {
    if (player == 0) {
      add({"-host", std::to_string(setup.players), "-deathmatch", "+sv_forcerespawn", "1"});
      add({"-port", std::to_string(port)});
    } else {
      add({"-join", "127.0.0.1:" + std::to_string(port)});
    }
  }
  list.insert(list.end(), own.begin(), own.end());
  return list;
}

}  // namespace envpool::vizdoom
