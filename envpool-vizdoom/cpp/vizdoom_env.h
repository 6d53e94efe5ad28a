// SPDX-License-Identifier: Apache-2.0
// VizdoomEnv: a game of Doom, in its own engines.
//
//   envpool::Register<envpool::vizdoom::VizdoomEnv<false>>(m, "Vizdoom");
//   envpool::Register<envpool::vizdoom::VizdoomEnv<true>>(m, "VizdoomCombined");
//
// An action of the first type has a number for each button, an action of the second is one number.
//
// If an engine ends or does not answer, the episode ends: the row of that step is truncated, its
// info reports it, and the next episode has a new engine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "envpool/env.h"
#include "envpool/error.h"
#include "game/combined_actions.h"
#include "game/game.h"
#include "game/rewards.h"
#include "game/wad.h"
#include "observation.h"
#include "options.h"
#include "picture.h"
#include "recordings.h"

namespace envpool::vizdoom {

template <bool kCombined>
struct VizdoomSpec {
  static auto DefaultConfig() { return DefaultOptions(); }

  static auto StateSpec(const auto& config) {
    CheckRewards(config);
    const Scenario scenario = ScenarioOf(config);
    const int players = config["max_num_players"_];
    // With one player, arrays have no axis of players.
    const auto shape = [&](std::initializer_list<int> sizes) {
      std::vector<int> whole(sizes);
      if (players > 1) whole.insert(whole.begin(), envpool::kPlayers);
      return whole;
    };
    const ObservationOptions options = ObservationOptionsOf(config);
    const auto kinds = ImageKinds(scenario, options);
    envpool::SpecMap<std::uint8_t> images;
    for (const ImageKind& kind : kinds) {
      images.Add(kinds.size() == 1 && !options.audio ? "" : kind.name,
                 envpool::Box<std::uint8_t>(shape({options.stack * kind.channels,
                                                   options.size.height, options.size.width}),
                                            0, 255));
    }
    envpool::SpecMap<std::int16_t> sounds;
    if (options.audio) {
      sounds.Add("", envpool::Spec<std::int16_t>(shape({SoundLength(scenario), 2})));
    }
    envpool::SpecMap<double> variables;
    for (int variable : AllVariables(scenario)) {
      variables.Add(VariableName(variable), envpool::Spec<double>({envpool::kPlayers}));
    }
    return envpool::Dict{"obs"_ = images, "obs:audio"_ = sounds, "info"_ = variables,
                         "info:engine_restarted"_ = envpool::Spec<bool>({})};
  }

  static auto ActionSpec(const auto& config) {
    const Scenario scenario = ScenarioOf(config);
    if constexpr (kCombined) {
      const CombinedActions actions(scenario.buttons, config["force_speed"_],
                                    config["delta_button_config"_]);
      return envpool::Dict{"action"_ = envpool::Discrete(actions.size())};
    } else {
      std::vector<double> low, high;
      for (int button : scenario.buttons) {
        const bool delta = button >= kFirstDeltaButton;
        low.push_back(delta ? -kMostDelta : 0);
        high.push_back(delta ? kMostDelta : 1);
      }
      return envpool::Dict{
          "action"_ = envpool::Box<double>(
              {envpool::kPlayers, static_cast<int>(scenario.buttons.size())}, low, high)};
    }
  }

  static ObservationOptions ObservationOptionsOf(const auto& config) {
    return {.depth = config["depth_buffer_enabled"_],
            .labels = config["labels_buffer_enabled"_],
            .automap = config["automap_buffer_enabled"_],
            .audio = config["audio_buffer_enabled"_],
            .size = {config["img_width"_], config["img_height"_]},
            .stack = config["stack_num"_],
            .by_area = config["use_inter_area_resize"_]};
  }

 private:
  static constexpr double kMostDelta = std::numeric_limits<double>::infinity();
};

template <bool kCombined>
class VizdoomEnv final : public envpool::Env<VizdoomSpec<kCombined>> {
 public:
  static constexpr auto kStepKind = envpool::StepKind::kBlocking;
  using Description = VizdoomSpec<kCombined>;
  using Base = envpool::Env<Description>;
  using typename Base::Action;
  using typename Base::State;

  VizdoomEnv(const typename Base::Spec& spec, int env_id)
      : Base(spec, env_id),
        setup_(SetupOf(spec.config)),
        frame_skip_(spec.config["frame_skip"_]),
        episodic_life_(spec.config["episodic_life"_]),
        by_scenario_(spec.config["reward"_] == "scenario"),
        recordings_(spec.config["lmp_save_dir"_], env_id) {
    const auto& config = spec.config;
    CheckWads(setup_.scenario.wad, setup_.game_wad, setup_.map);
    if (setup_.deathmatch && !config["lmp_save_dir"_].empty()) {
      throw envpool::OptionError("lmp_save_dir", "a folder for a game with a host",
                                 "'' for such games, which ViZDoom does not record",
                                 "leave it out");
    }
    if constexpr (kCombined) {
      combined_.emplace(setup_.scenario.buttons, config["force_speed"_],
                        config["delta_button_config"_]);
    }
    for (int i = 0; i < setup_.players; ++i) {
      players_.push_back(
          {Observation(setup_.scenario, Description::ObservationOptionsOf(config)),
           VariableRewards(AllVariables(setup_.scenario), config["reward_config"_],
                           config["selected_weapon_reward_config"_], config["weapon_duration"_]),
           ScenarioReward(setup_.scenario.rewards)});
    }
    Start();
  }

  ~VizdoomEnv() override {
    try {
      if (game_ == nullptr) return;
      game_->StopRecording();
      recordings_.Keep(game_->recording_folder(), true);
    } catch (const std::exception&) {
      // An engine that cannot stop has no complete recording.
    }
  }

  bool IsDone() override {
    return game_ != nullptr && !restarted_ &&
           (game_->ended() || (episodic_life_ && game_->somebody_dead()));
  }
  bool IsTruncated() { return restarted_ || (game_ != nullptr && game_->timed_out()); }

  void Reset() override {
    restarted_ = false;
    for (int failures = 0;; ++failures) {
      try {
        if (game_ == nullptr) Start();
        game_->NewEpisode(this->gen_, recordings_.Next());
        break;
      } catch (const EngineFailure& failure) {
        game_.reset();
        if (failures == kMostFailures) Refuse(failure);
      }
    }
    recordings_.Keep(game_->recording_folder());
    Begin();
  }

  /// Continues after a death in a game that goes on.
  bool Continue() {
    if (game_ == nullptr || !game_->possible()) return false;
    try {
      if (!game_->Revive()) return false;
    } catch (const EngineFailure&) {
      game_.reset();
      return false;
    }
    Begin();
    return true;
  }

  void Step(const Action& action) override {
    try {
      for (int player = 0; player < setup_.players; ++player) Press(player, action);
      game_->Advance(frame_skip_);
    } catch (const EngineFailure&) {
      game_.reset();
      restarted_ = true;
    }
    State state = this->Allocate(setup_.players);
    for (int i = 0; i < setup_.players; ++i) {
      if (restarted_) break;
      Player& player = players_[static_cast<std::size_t>(i)];
      const Engine& engine = game_->engine(i);
      player.observation.Look(engine, false);
      const double by_scenario = player.scenario_reward.Step(*game_, i);
      const float by_variables = player.variables.Step(engine);
      state["reward"_][static_cast<std::size_t>(i)] =
          by_scenario_ ? static_cast<float>(by_scenario) : by_variables;
    }
    Write(state);
  }

  static constexpr bool kHasCameras = true;  // one per player
  std::pair<int, int> RenderSize(int width, int height) const {
    return PictureSize(setup_.scenario, width, height);
  }
  void Render(int width, int height, int camera_id, unsigned char* rgb) {
    const int player = std::max(camera_id, 0);
    if (game_ == nullptr) {
      throw envpool::Error(envpool::ErrorKind::kRender, "render of a game of Doom",
                           "an environment whose engine has ended",
                           "environments whose engine runs", "step it once more, or reset it");
    }
    if (player >= setup_.players) {
      throw envpool::Error(envpool::ErrorKind::kRender, "render_camera_id", std::to_string(player),
                           "0 .. " + std::to_string(setup_.players - 1),
                           "pass the number of a player");
    }
    DrawPicture(setup_.scenario, game_->engine(player), {width, height}, rgb);
  }

 private:
  static constexpr int kMostFailures = 3;
  struct Player {
    Observation observation;
    VariableRewards variables;
    ScenarioReward scenario_reward;
  };

  /// Starts the engines.
  void Start() {
    try {
      game_ = std::make_unique<Game>(setup_, this->gen_);
    } catch (const EngineFailure& failure) {
      if (game_ever_) throw;
      Refuse(failure);
    } catch (const std::system_error& error) {
      Refuse(error);
    }
    game_ever_ = true;
  }
  [[noreturn]] static void Refuse(const std::exception& failure) {
    throw envpool::Error(envpool::ErrorKind::kConfig, "an engine of ViZDoom",
                         std::string("'") + failure.what() + "'",
                         "an engine that runs with these files and arguments",
                         "see cfg_path, wad_path, iwad_path, map_id and game_args, or run "
                         "`envpool doctor`");
  }

  void Press(int player, const Action& action) {
    const auto row = static_cast<std::size_t>(player);
    if constexpr (kCombined) {
      game_->Press(player, (*combined_)[action["action"_][row]]);
    } else {
      const std::size_t count = setup_.scenario.buttons.size();
      game_->Press(player, {action["action"_].data() + row * count, count});
    }
  }

  void Begin() {
    State state = this->Allocate(setup_.players);
    for (int i = 0; i < setup_.players; ++i) {
      Player& player = players_[static_cast<std::size_t>(i)];
      player.observation.Look(game_->engine(i), true);
      player.variables.Begin(game_->engine(i));
      player.scenario_reward.Begin(*game_, i);
    }
    Write(state);
  }

  void Write(State& state) {
    for (std::size_t i = 0; i < players_.size(); ++i) {
      const Player& player = players_[i];
      for (std::size_t kind = 0; kind < state["obs"_].size(); ++kind) {
        player.observation.CopyImages(
            kind, state["obs"_][kind].data() + i * player.observation.bytes(kind));
      }
      if (const auto& sound = player.observation.sound(); !sound.empty()) {
        std::copy(sound.begin(), sound.end(), state["obs:audio"_][0].data() + i * sound.size());
      }
      const std::vector<double>& values = player.variables.values();
      for (std::size_t k = 0; k < values.size(); ++k) state["info"_][k][i] = values[k];
    }
    state["info:engine_restarted"_] = restarted_;
  }

  const GameSetup setup_;
  const int frame_skip_;
  const bool episodic_life_, by_scenario_;
  std::optional<CombinedActions> combined_;
  std::vector<Player> players_;
  Recordings recordings_;
  std::unique_ptr<Game> game_;  // null: its engines have ended
  bool game_ever_ = false;
  bool restarted_ = false;  // the last step found the engines ended
};

}  // namespace envpool::vizdoom
