// SPDX-License-Identifier: Apache-2.0
// A football match as an environment of a pool, with the rules of gfootball's FootballEnvCore.
//
//   envpool::Register<FootballEnv>(m, "Football");
//
// Several agents are the players of an environment, one row each: the left team's come first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/game.h"
#include "engine_seeds.h"
#include "envpool/drawing/frame_size.h"
#include "envpool/drawing/scale.h"
#include "envpool/env.h"
#include "envpool/error.h"
#include "envpool/state_io.h"
#include "observations/raw.h"
#include "observations/simple115.h"
#include "observations/smm.h"
#include "rewards.h"
#include "settings.h"
#include "top_view.h"
#include "view.h"

namespace envpool::gfootball {

struct FootballSpec {
  static auto DefaultConfig() { return DefaultOptions(); }
  /// The files' folder has no effect on a game.
  static constexpr std::string_view kNotInStates[] = {"data_path"};

  static auto StateSpec(const auto& config) {
    const Settings settings = SettingsOf(config);
    const bool players = settings.players() > 1;
    return Dict{"obs"_ = Observations(settings, players), "info"_ = Infos(settings, players)};
  }
  static auto ActionSpec(const auto& config) {
    const Settings settings = SettingsOf(config);
    const int count = static_cast<int>(settings.actions.actions.size());
    if (settings.players() == 1) {
      return Dict{"action"_ = SpecList{{MakeArraySpec("action", Discrete(count))}}};
    }
    envpool::Spec<int> choice({kPlayers}, {0, count - 1});
    choice.categorical = true;
    return Dict{"action"_ = SpecList{{MakeArraySpec("action", choice)}}};
  }
  /// `engine_seed` is the engine's seed of the episode; -1: it is drawn. `episode_number` decides
  /// the side of the kick-off; 0: the next number.
  static auto ResetOptions(const auto& /*config*/) {
    return Dict{"engine_seed"_ = std::int64_t{-1}, "episode_number"_ = 0};
  }
  static void CheckResetOptions(const auto& options, const auto& /*config*/) {
    if (options["engine_seed"_] < -1 || options["engine_seed"_] > 2'000'000'000) {
      throw std::invalid_argument("engine_seed is 0 .. 2000000000; -1 draws one");
    }
    if (options["episode_number"_] < 0) {
      throw std::invalid_argument("episode_number is 1 or more; 0 is the next one");
    }
  }

 private:
  static SpecList Observations(const Settings& settings, bool players) {
    const int stack = settings.stacked ? kStack : 1;
    std::vector<int> shape;
    if (players) shape.push_back(kPlayers);
    switch (settings.observation) {
      case ObservationKind::kSmm:
        for (const int length : {kSmmHeight, kSmmWidth, kSmmPlanes * stack}) {
          shape.push_back(length);
        }
        return {{MakeArraySpec("obs", envpool::Spec<std::uint8_t>(shape, {0, 255}))}};
      case ObservationKind::kSimple115:
        shape.push_back(static_cast<int>(kSimple115Size) * stack);
        return {{MakeArraySpec("obs", envpool::Spec<float>(shape))}};
      default:
        return RawSpecs(settings.raw_sizes, players);
    }
  }
  /// The infos. A raw observation already contains most of them.
  static SpecList Infos(const Settings& settings, bool players) {
    using Number = envpool::Spec<std::int32_t>;
    SpecList list{
        {MakeArraySpec("info:engine_seed", Number(std::vector<int>{}, {0, 2'000'000'000})),
         MakeArraySpec("info:episode_number", Number(std::vector<int>{}))}};
    if (settings.observation == ObservationKind::kRaw) return list;
    std::vector<int> shape;
    if (players) shape.push_back(kPlayers);
    const auto add = [&](const char* name, const auto& array) {
      list.arrays.push_back(MakeArraySpec(std::string("info:") + name, array));
    };
    add("score", Number({2}));
    for (const char* name : {"game_mode", "ball_owned_team", "ball_owned_player", "steps_left"}) {
      add(name, Number(std::vector<int>{}));
    }
    add("active", Number(shape, {-1, kMostPlayers - 1}));
    shape.push_back(settings.actions.sticky);
    add("sticky_actions", envpool::Spec<std::uint8_t>(shape, {0, 1}));
    return list;
  }

 public:
  static constexpr int kStack = 4;
};

class FootballEnv final : public Env<FootballSpec> {
 public:
  FootballEnv(const Spec& spec, int env_id)
      : Env(spec, env_id),
        settings_(SettingsOf(spec.config)),
        checkpoints_(static_cast<std::size_t>(settings_.players())) {
    DrawEngineSeed(gen_);
    if (settings_.stacked) {
      older_.resize(static_cast<std::size_t>(settings_.players()) * (FootballSpec::kStack - 1) *
                    FrameBytes());
    }
  }

  bool IsDone() override { return terminated_; }
  bool IsTruncated() { return ran_out_; }

  void Reset() override {
    const auto& given = reset_options();
    const std::int64_t seed = given["engine_seed"_];
    const std::int32_t drawn = DrawEngineSeed(gen_);
    engine_seed_ = seed >= 0 ? static_cast<std::int32_t>(seed) : drawn;
    episode_number_ = given["episode_number"_] > 0 ? given["episode_number"_] : episode_number_ + 1;
    Guarded([&] { Begin(); });
    previous_score_ = 0;
    previous_mode_ = -1;
    previous_owner_ = -1;
    terminated_ = ran_out_ = false;
    for (Checkpoints& checkpoints : checkpoints_) checkpoints.Begin();
    Write(0, true);
  }

  void Step(const Action& action) override {
    const auto* chosen = reinterpret_cast<const std::int32_t*>(action["action"_][0].data);
    Guarded([&] {
      for (int team = 0; team < 2; ++team) {
        for (int agent = 0; agent < settings_.agents[team]; ++agent) {
          game_->Act(team, agent, EngineActionOf(*chosen++, team, agent));
        }
      }
      game_->Step();
    });
    Write(Judge(), false);
  }

  void SaveState(StateWriter& out) const {
    const bool has_game = game_ != nullptr;
    out.Write(has_game, engine_seed_, episode_number_);
    if (!has_game) return;
    out.Write(game_->Save(), previous_score_, previous_mode_, previous_owner_, terminated_,
              ran_out_, checkpoints_, older_);
  }
  void LoadState(StateReader& in) {
    bool has_game = false;
    in.Read(has_game, engine_seed_, episode_number_);
    if (!has_game) return;
    std::string state;
    in.Read(state, previous_score_, previous_mode_, previous_owner_, terminated_, ran_out_,
            checkpoints_, older_);
    Guarded([&] {
      // A state contains neither the scenario nor the strengths of players, which are drawn at the
      // start of an episode.
      Begin();
      game_->Load(state);
    });
  }

  std::pair<int, int> RenderSize(int width, int height) const {
    return drawing::FrameSize(width, height, kTopView);
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    if (game_ == nullptr) {
      throw std::runtime_error("there is no game to draw: the last one could not go on. Reset it");
    }
    drawing::DrawAtSize(rgb, {width, height}, kTopView, [this](const drawing::Canvas& canvas) {
      const MatchState& match = game_->match();
      DrawTopView(canvas, match, settings_.agents, settings_.game_duration - match.step);
    });
  }

 private:
  /// Calls the engine. If the game cannot continue, it is deleted.
  template <typename Call>
  void Guarded(const Call& call) {
    try {
      call();
    } catch (...) {
      game_ = nullptr;
      throw;
    }
  }
  void Begin() {
    if (game_ == nullptr) {
      game_ = std::make_unique<Game>(spec_.config["data_path"_],
                                     spec_.config["physics_steps_per_frame"_]);
    }
    playing_ = episode_number_ & 1;
    const Scenario& scenario = settings_.scenarios[playing_];
    Kickoff kickoff;
    kickoff.game_duration = settings_.game_duration;
    std::copy_n(settings_.agents, 2, kickoff.agents);
    if (!scenario.deterministic) {
      kickoff.seed = static_cast<std::uint32_t>(engine_seed_);
      kickoff.reverse_team_processing = engine_seed_ % 2 != 0;
    }
    game_->Begin(scenario, kickoff);
  }

  /// The engine's action. A side that leaves the ball in place for 20 steps passes, and then waits,
  /// or, with the ball, walks.
  int EngineActionOf(int chosen, int team, int agent) const {
    const int waiting = game_->waiting();
    if (waiting < 20) {
      const int action = settings_.actions.actions[static_cast<std::size_t>(chosen)];
      return team == 0 ? action : Turned(action);
    }
    if (waiting == 20) return kShortPass;
    const MatchState& match = game_->match();
    const bool has_ball =
        match.ball_owned_team == team && match.controlled[team][agent] == match.ball_owned_player;
    if (!has_ball) return kIdle;
    return (waiting < 30) != (team == 0) ? kLeft : kRight;
  }

  /// Applies the rules of an episode; returns the change of the score, for the left team.
  int Judge() {
    const MatchState& match = game_->match();
    const Scenario& scenario = settings_.scenarios[playing_];
    const bool goal = match.score[0] > 0 || match.score[1] > 0;
    if (scenario.end_episode_on_score && goal) terminated_ = true;
    if (scenario.end_episode_on_out_of_play && match.game_mode != 0 && previous_mode_ == 0) {
      terminated_ = true;
    }
    previous_mode_ = match.game_mode;
    const int owner = match.ball_owned_team;
    if (scenario.end_episode_on_possession_change && owner != -1 && previous_owner_ != -1 &&
        owner != previous_owner_) {
      terminated_ = true;
    }
    if (owner != -1) previous_owner_ = owner;
    const int score = match.score[0] - match.score[1];
    const int change = score - previous_score_;
    previous_score_ = score;
    game_->set_waiting(match.game_mode != 0 ? game_->waiting() + 1 : 0);
    ran_out_ = match.step >= settings_.game_duration;
    return change;
  }

  std::size_t FrameBytes() const {
    return settings_.observation == ObservationKind::kSmm ? kSmmSize
                                                          : kSimple115Size * sizeof(float);
  }

  void Write(int score_change, bool is_first) {
    const int players = settings_.players();
    State state = Allocate(players);
    const MatchState& match = game_->match();
    const int steps_left = settings_.game_duration - match.step;
    const auto observations = state["obs"_];
    std::size_t row = 0;
    for (int team = 0; team < 2; ++team) {
      for (int agent = 0; agent < settings_.agents[team]; ++agent, ++row) {
        const View view(match, team, agent);
        if (settings_.observation == ObservationKind::kRaw) {
          WriteRaw(settings_.raw_sizes, view, steps_left, row, observations);
        } else {
          WriteFrame(view, observations[0].data, row, is_first);
        }
        auto reward = static_cast<float>(team == 0 ? score_change : -score_change);
        if (settings_.checkpoints && !is_first) reward = checkpoints_[row].Paid(reward, view);
        state["reward"_][row] = reward;
      }
    }
    WriteInfos(state["info"_], match, steps_left);
  }

  /// Writes the infos in the order of FootballSpec::Infos.
  void WriteInfos(const auto& arrays, const MatchState& match, int steps_left) const {
    std::size_t next = 0;
    const auto numbers = [&] { return reinterpret_cast<std::int32_t*>(arrays[next++].data); };
    *numbers() = engine_seed_;
    *numbers() = episode_number_;
    if (settings_.observation == ObservationKind::kRaw) return;
    std::copy_n(match.score, 2, numbers());
    for (const int value :
         {match.game_mode, match.ball_owned_team, match.ball_owned_player, steps_left}) {
      *numbers() = value;
    }
    std::int32_t* active = numbers();
    auto* sticky = reinterpret_cast<std::uint8_t*>(arrays[next].data);
    for (int team = 0; team < 2; ++team) {
      for (int agent = 0; agent < settings_.agents[team]; ++agent) {
        const View view(match, team, agent);
        *active++ = view.active();
        for (int i = 0; i < settings_.actions.sticky; ++i) *sticky++ = view.sticky(i);
      }
    }
  }

  /// Writes an observation that is one array; if it is stacked, of the last four frames.
  void WriteFrame(const View& view, std::byte* out, std::size_t row, bool is_first) {
    const bool smm = settings_.observation == ObservationKind::kSmm;
    const std::size_t bytes = FrameBytes();
    const auto write = [&](std::byte* to) {
      if (smm) {
        WriteSmm(view, reinterpret_cast<std::uint8_t*>(to));
      } else {
        WriteSimple115(view, reinterpret_cast<float*>(to));
      }
    };
    if (!settings_.stacked) return write(out + row * bytes);
    constexpr std::size_t kOlder = FootballSpec::kStack - 1;
    // This player's older frames, the oldest first, then the new frame.
    std::byte* const older = older_.data() + row * kOlder * bytes;
    std::byte* const stacked = out + row * (kOlder + 1) * bytes;
    frame_.resize(bytes);
    write(frame_.data());
    if (is_first) {
      for (std::size_t i = 0; i < kOlder; ++i) std::memcpy(older + i * bytes, frame_.data(), bytes);
    }
    // Frames follow each other along the last axis.
    const std::size_t length = smm ? kSmmPlanes : bytes;
    for (std::size_t at = 0, to = 0; at < bytes; at += length) {
      for (std::size_t i = 0; i < kOlder; ++i, to += length) {
        std::memcpy(stacked + to, older + i * bytes + at, length);
      }
      std::memcpy(stacked + to, frame_.data() + at, length);
      to += length;
    }
    std::memmove(older, older + bytes, (kOlder - 1) * bytes);
    std::memcpy(older + (kOlder - 1) * bytes, frame_.data(), bytes);
  }

  const Settings settings_;
  std::unique_ptr<Game> game_;  // null before the first episode and after a fault
  int playing_ = 0;             // index of the game's scenario
  std::int32_t engine_seed_ = 0, episode_number_ = 1;
  std::int32_t previous_score_ = 0, previous_mode_ = -1, previous_owner_ = -1;
  bool terminated_ = true, ran_out_ = false;
  std::vector<Checkpoints> checkpoints_;  // one per player
  std::vector<std::byte> older_, frame_;
};

}  // namespace envpool::gfootball
