// SPDX-License-Identifier: Apache-2.0
#include "engine/game.h"

#include <locale.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "engine/teardown.h"
// The engine's headers.
#include "game_env.hpp"
#include "gametask.hpp"
#include "gfootball_actions.h"
#include "main.hpp"
#include "menu/menutask.hpp"

namespace envpool::gfootball {

namespace {

/// During a call, the engine finds its game by a thread-local variable. It also parses numbers,
/// even in a step, by atof, which stops at a decimal point in some locales.
class Using {
 public:
  explicit Using(GameEnv* game) : before_(uselocale(Plain())) { SetGame(game); }
  Using(const Using&) = delete;
  Using& operator=(const Using&) = delete;
  ~Using() {
    SetGame(nullptr);
    uselocale(before_);
  }

 private:
  static locale_t Plain() {
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", static_cast<locale_t>(nullptr));
    return plain;
  }
  locale_t before_;
};

constexpr int kSticky[kStickyActions] = {
    game_left,         game_top_left, game_top,          game_top_right, game_right,
    game_bottom_right, game_bottom,   game_bottom_left,  game_sprint,    game_dribble,
    game_keeper_rush,  game_pressure, game_team_pressure};

}  // namespace

struct Game::Engine {
  GameEnv env;
  SharedInfo info;

  ~Engine() {
    if (env.context == nullptr) return;
    const Using use(&env);
    const Teardown teardown;
    GameContext& context = *env.context;
    context.gameTask.reset();
    if (context.menuTask != nullptr) {
      context.menuTask->GetWindowManager()->GetPagePath()->Clear();
      context.menuTask.reset();
    }
    if (context.scene2D != nullptr) context.scene2D->Exit();
    if (context.scene3D != nullptr) context.scene3D->Exit();
    for (auto* node : {&context.fullbodyNode, &context.stadiumNoRender, &context.stadiumRender,
                       &context.goalsNode}) {
      if (!*node) continue;
      (*node)->Exit();
      node->reset();
    }
    context.scene2D.reset();
    context.scene3D.reset();
    context.geometry_manager.RemoveUnused();
    context.vertices_manager.RemoveUnused();
    context.surface_manager.RemoveUnused();
    context.texture_manager.RemoveUnused();
    context.graphicsSystem.Exit();
    for (AIControlledKeyboard* controller : context.controllers) delete controller;
    TTF_CloseFont(context.defaultFont);
    TTF_CloseFont(context.defaultOutlineFont);
    delete context.config;
    delete env.context;
  }
};

Game::Game(const std::string& folder, int physics_steps_per_frame)
    : engine_(std::make_unique<Engine>()) {
  GameEnv& env = engine_->env;
  env.game_config.physics_steps_per_frame = physics_steps_per_frame;
  env.game_config.data_dir = folder;
  const Using use(&env);
  env.start_game();
}

Game::~Game() = default;

void Game::Begin(const Scenario& scenario, const Kickoff& kickoff) {
  GameEnv& env = engine_->env;
  const Using use(&env);
  // Made for each call: the engine scales the ball's place in its argument.
  const auto config = ScenarioConfig::make();
  config->ball_position.coords[0] = static_cast<float>(scenario.ball_x);
  config->ball_position.coords[1] = static_cast<float>(scenario.ball_y);
  config->game_duration = kickoff.game_duration;
  config->second_half = scenario.second_half;
  config->left_team_difficulty = static_cast<float>(scenario.left_team_difficulty);
  config->right_team_difficulty = static_cast<float>(scenario.right_team_difficulty);
  config->offsides = scenario.offsides;
  config->end_episode_on_score = scenario.end_episode_on_score;
  config->end_episode_on_out_of_play = scenario.end_episode_on_out_of_play;
  config->end_episode_on_possession_change = scenario.end_episode_on_possession_change;
  config->deterministic = scenario.deterministic;
  config->control_all_players = scenario.control_all_players;
  config->game_engine_random_seed = kickoff.seed;
  config->reverse_team_processing = kickoff.reverse_team_processing;
  config->left_agents = kickoff.agents[0];
  config->right_agents = kickoff.agents[1];
  for (std::size_t team = 0; team < 2; ++team) {
    for (const ScenarioPlayer& player : scenario.teams[team]) {
      (team == 0 ? config->left_team : config->right_team)
          .emplace_back(static_cast<float>(player.x), static_cast<float>(player.y),
                        static_cast<e_PlayerRole>(player.role), player.lazy, player.controllable);
    }
  }
  env.state = game_running;
  env.reset(*config, false);
  SetGame(&env);
  env.context->step = -1;
  if (!Observe()) Play();
}

void Game::Act(int team, int agent, int action) {
  const Using use(&engine_->env);
  engine_->env.action(action, team == 0, agent);
}

void Game::Step() {
  const Using use(&engine_->env);
  Play();
}

void Game::Play() {
  // A ball that is out is back within seconds; otherwise a game would go on for ever.
  constexpr int kMost = 6000;  // steps: ten minutes of the game, if a step has ten frames
  for (int i = 0; i < kMost; ++i) {
    engine_->env.step();
    if (Observe()) return;
  }
  throw std::runtime_error("the football engine cannot go on: the ball stays out of play");
}

bool Game::Observe() {
  GameEnv& env = engine_->env;
  SharedInfo& info = engine_->info;
  info.left_team.clear();
  info.right_team.clear();
  GetGameTask()->GetMatch()->GetState(&info);
  if (!info.is_in_play) return false;
  const auto copy = [](float* to, const Position& from) {
    for (int i = 0; i < 3; ++i) to[i] = from.env_coord(i);
  };
  copy(match_.ball, info.ball_position);
  copy(match_.ball_direction, info.ball_direction);
  copy(match_.ball_rotation, info.ball_rotation);
  match_.ball_owned_team = info.ball_owned_team;
  match_.ball_owned_player = info.ball_owned_player;
  match_.score[0] = info.left_goals;
  match_.score[1] = info.right_goals;
  match_.game_mode = static_cast<std::int32_t>(info.game_mode);
  match_.step = env.context->step;
  const int agents[2] = {env.scenario_config.left_agents, env.scenario_config.right_agents};
  for (int side = 0; side < 2; ++side) {
    const auto& players = side == 0 ? info.left_team : info.right_team;
    TeamState& team = match_.teams[side];
    team.size = static_cast<std::int32_t>(std::min<std::size_t>(players.size(), kMostPlayers));
    team.designated = -1;
    for (int i = 0; i < team.size; ++i) {
      const PlayerInfo& from = players[static_cast<std::size_t>(i)];
      PlayerState& to = team.players[i];
      for (int k = 0; k < 2; ++k) {
        to.position[k] = from.player_position.env_coord(k);
        to.direction[k] = from.player_direction.env_coord(k);
      }
      to.tired_factor = from.tired_factor;
      to.role = static_cast<std::int32_t>(from.role);
      to.active = from.is_active;
      to.yellow_card = from.has_card;
      if (from.designated_player) team.designated = i;
    }
    const auto& controllers = side == 0 ? info.left_controllers : info.right_controllers;
    for (int agent = 0; agent < agents[side]; ++agent) {
      match_.controlled[side][agent] =
          controllers.at(static_cast<std::size_t>(agent)).controlled_player;
      for (int k = 0; k < kStickyActions; ++k) {
        match_.sticky[side][agent][k] = env.sticky_action_state(kSticky[k], side == 0, agent);
      }
    }
  }
  return true;
}

int Game::waiting() const { return engine_->env.waiting_for_game_count; }
void Game::set_waiting(int steps) { engine_->env.waiting_for_game_count = steps; }

std::string Game::Save() {
  const Using use(&engine_->env);
  return engine_->env.get_state("");
}

void Game::Load(const std::string& state) {
  const Using use(&engine_->env);
  engine_->env.set_state(state);
  SetGame(&engine_->env);
  Observe();
}

}  // namespace envpool::gfootball
