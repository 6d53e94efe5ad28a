// SPDX-License-Identifier: Apache-2.0
// The options of all tasks, and the settings that follow from them.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "envpool/dict.h"
#include "envpool/error.h"
#include "game/combined_actions.h"
#include "game/game.h"
#include "game/names.h"
#include "game/rewards.h"

namespace envpool::vizdoom {
using namespace envpool::literals;

/// EnvPool's options and defaults, then the additional options.
inline auto DefaultOptions() {
  return envpool::Dict{
      "img_height"_ = 84,
      "img_width"_ = 84,
      "stack_num"_ = 4,
      "frame_skip"_ = 4,
      "lmp_save_dir"_ = "",
      "episodic_life"_ = false,
      "force_speed"_ = false,
      "use_combined_action"_ = false,
      "use_inter_area_resize"_ = true,
      "weapon_duration"_ = 5,
      "reward_config"_ =
          RewardConfig{{"AMMO0", {2e-4f, -1e-4f}},      {"AMMO1", {2e-4f, -1e-4f}},
                       {"AMMO2", {2e-4f, -1e-4f}},      {"AMMO3", {1e-3f, -5e-4f}},
                       {"AMMO4", {1e-3f, -5e-4f}},      {"AMMO5", {1e-3f, -5e-4f}},
                       {"AMMO6", {2e-3f, -1e-3f}},      {"AMMO7", {2e-3f, -1e-3f}},
                       {"ARMOR", {5e-3f, -1e-3f}},      {"DAMAGECOUNT", {3e-3f, -3e-3f}},
                       {"DEATHCOUNT", {-0.75f, 0.75f}}, {"FRAGCOUNT", {1, -1.5f}},
                       {"HEALTH", {5e-3f, -3e-3f}},     {"HITCOUNT", {1e-2f, -1e-2f}},
                       {"KILLCOUNT", {1, 0}},           {"WEAPON0", {2e-2f, -1e-2f}},
                       {"WEAPON1", {2e-2f, -1e-2f}},    {"WEAPON2", {2e-2f, -1e-2f}},
                       {"WEAPON3", {1e-1f, -5e-2f}},    {"WEAPON4", {1e-1f, -5e-2f}},
                       {"WEAPON5", {1e-1f, -5e-2f}},    {"WEAPON6", {2e-1f, -1e-1f}},
                       {"WEAPON7", {2e-1f, -1e-1f}}},
      "selected_weapon_reward_config"_ = WeaponRewardConfig{{0, 2e-4f},
                                                            {1, 2e-4f},
                                                            {2, 2e-4f},
                                                            {3, 1e-3f},
                                                            {4, 1e-3f},
                                                            {5, 1e-3f},
                                                            {6, 2e-3f},
                                                            {7, 2e-3f}},
      "delta_button_config"_ = DeltaButtonConfig{},
      "cfg_path"_ = "",
      "wad_path"_ = "",
      "vzd_path"_ = "",
      "iwad_path"_ = "",
      "game_args"_ = "",
      "map_id"_ = "map01",
      "reward"_ = "variables",
      "scenario_timeout"_ = false,
      "render_resolution"_ = "",
      "depth_buffer_enabled"_ = false,
      "labels_buffer_enabled"_ = false,
      "automap_buffer_enabled"_ = false,
      "audio_buffer_enabled"_ = false,
      "deathmatch"_ = false,
      "engine_timeout"_ = 30.0};
}

/// Variables of every info, beside those of the scenario.
inline constexpr int kInfoVariables[] = {
    kAmmo0 + 2, kAmmo0 + 3,      kAmmo0 + 4,          kAmmo0 + 5, kAmmo0 + 6, kAmmo0 + 7,
    kArmor,     kDamageCount,    kDeathCount,         kFragCount, kHealth,    kHitCount,
    kKillCount, kSelectedWeapon, kSelectedWeaponAmmo, kUser1 + 1};

/// The scenario's variables, then the others: the order in which rewards are summed.
std::vector<int> AllVariables(const Scenario& scenario);

/// Splits `text` into words, as a shell does, without quotes.
std::vector<std::string> SplitArguments(const std::string& text);

/// The path of the game's own data: from the option, from the scenario, or Freedoom; the last two
/// lie beside the engine. Throws OptionError for `iwad_path` if the file does not exist.
std::string GameWad(const std::string& option, const Scenario& scenario,
                    const std::string& program);

/// Throws OptionError unless `value` is in `low .. high`.
void CheckOption(const std::string& name, int value, int low, int high);

/// Reads the scenario and applies the options. Throws OptionError.
template <typename Config>
Scenario ScenarioOf(const Config& config) {
  CheckOption("img_height", config["img_height"_], 1, 4096);
  CheckOption("img_width", config["img_width"_], 1, 4096);
  CheckOption("stack_num", config["stack_num"_], 1, 1024);
  CheckOption("frame_skip", config["frame_skip"_], 1, 35 * 3600);
  CheckOption("max_num_players", config["max_num_players"_], 1, kMostPlayers);
  Scenario scenario = ReadScenario(config["cfg_path"_]);
  if (!config["wad_path"_].empty()) scenario.wad = config["wad_path"_];
  if (!config["render_resolution"_].empty()) {
    SetResolution(scenario, config["render_resolution"_]);
  }
  if (!config["scenario_timeout"_]) scenario.timeout = 0;
  if (scenario.audio_tics == 0) scenario.audio_tics = static_cast<unsigned>(config["frame_skip"_]);
  for (std::string& word : SplitArguments(config["game_args"_])) {
    scenario.arguments.push_back(std::move(word));
  }
  return scenario;
}

/// The settings with which an environment's engines are started. Throws OptionError.
template <typename Config>
GameSetup SetupOf(const Config& config) {
  const double timeout = config["engine_timeout"_];
  if (!(timeout > 0 && timeout < 1e6)) {
    throw envpool::OptionError("engine_timeout", std::to_string(timeout),
                               "seconds, more than 0 and less than a million",
                               "pass how long an answer of the engine may take");
  }
  GameSetup setup;
  setup.program = config["vzd_path"_];
  setup.scenario = ScenarioOf(config);
  setup.game_wad = GameWad(config["iwad_path"_], setup.scenario, setup.program);
  const std::string& map = config["map_id"_];
  setup.map = map.empty() ? setup.scenario.map : map;
  setup.players = config["max_num_players"_];
  setup.deathmatch = config["deathmatch"_] || setup.players > 1;
  setup.depth = config["depth_buffer_enabled"_];
  setup.labels = config["labels_buffer_enabled"_];
  setup.automap = config["automap_buffer_enabled"_];
  setup.audio = config["audio_buffer_enabled"_];
  setup.answer_timeout =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(timeout));
  return setup;
}

/// Checks options that only an environment needs. Throws OptionError.
template <typename Config>
void CheckRewards(const Config& config) {
  const std::string& reward = config["reward"_];
  if (reward != "variables" && reward != "scenario") {
    throw envpool::OptionError("reward", "'" + reward + "'",
                               "'variables' for reward_config, 'scenario' for the scenario's own",
                               "pass one of these", {"variables", "scenario"});
  }
  for (const auto& [name, weights] : config["reward_config"_]) {
    if (FindVariable(name) < 0) {
      throw envpool::OptionError("reward_config", "'" + name + "'",
                                 "names of ViZDoom's game variables, as 'HEALTH'",
                                 "correct the name");
    }
  }
  for (const auto& [slot, weight] : config["selected_weapon_reward_config"_]) {
    CheckOption("selected_weapon_reward_config", slot, 0, kSlots - 1);
  }
}

}  // namespace envpool::vizdoom
