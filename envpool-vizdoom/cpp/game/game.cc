// SPDX-License-Identifier: Apache-2.0
#include "game/game.h"

#include <algorithm>
#include <limits>

#include "game/arguments.h"
#include "game/names.h"

namespace envpool::vizdoom {
namespace {

constexpr int kPortTries = 2;
constexpr int kTicsToRestart = 4;  // number of tics after which the engine is asked again for a map
// The only known state that an engine keeps from map to map is the swing of the weapon while
// walking, at most 16 units. If the player stands, it decreases by a unit with each drawn frame,
// once the weapon is up, which takes 16 tics.
constexpr int kRestTics = 60;
constexpr int kMostTics = 35 * 60;  // a minute of the game: no map takes longer to begin

}  // namespace

Game::Game(const GameSetup& setup, std::mt19937& seeds)
    : setup_(setup), last_tics_(static_cast<std::size_t>(setup.players)) {
  const auto seed = static_cast<std::uint32_t>(seeds());
  if (Unpark(seed)) return;
  Start(seed);
  AllowButtons();
  NoteTics();
}

Game::~Game() {
  if (!failed_ && !kind_.empty()) engines_.front()->Park(kind_);
}

bool Game::Unpark(std::uint32_t seed) {
  if (setup_.deathmatch || setup_.players > 1) return false;
  kind_ = setup_.program;
  for (const std::string& part : EngineArguments(setup_, 0, 0, 0)) kind_ += '\n' + part;
  auto parked = Supervisor::Get().Unpark(kind_);
  if (parked == nullptr) return false;
  engines_.push_back(std::make_unique<Engine>(std::move(parked), setup_.answer_timeout));
  AllowButtons();
  NoteTics();
  try {
    Begin(seed, "");
    for (int tic = 0; tic < kRestTics && possible(); ++tic) Do(MessageCode::kTicAndUpdate);
    if (possible()) return true;  // else the player was killed meanwhile
  } catch (const EngineFailure&) {
    // A new engine may succeed.
  }
  engines_.clear();
  return false;
}

void Game::Start(std::uint32_t seed) {
  if (!setup_.deathmatch) return StartEngines(seed, 0);
  // Another program may take the port before the engine does.
  for (int tries_left = kPortTries - 1;; --tries_left) {
    port_.emplace();
    try {
      return StartEngines(seed, port_->number());
    } catch (const EngineFailure&) {
      engines_.clear();
      if (tries_left == 0) throw;
    }
  }
}

void Game::StartEngines(std::uint32_t seed, int port) {
  for (int player = 0; player < setup_.players; ++player) {
    engines_.push_back(std::make_unique<Engine>(
        setup_.program, EngineArguments(setup_, seed, player, port), setup_.answer_timeout));
  }
  for (const auto& engine : engines_) engine->Open();
  if (setup_.audio && !state().has_sound) throw EngineFailure("it has no sound: OpenAL is missing");
  WaitForStart();
  Do(MessageCode::kUpdate);
}

void Game::AllowButtons() {
  for (const auto& engine : engines_) {
    std::fill_n(engine->buttons().available, kButtons, false);
    for (int button : setup_.scenario.buttons) engine->buttons().available[button] = true;
  }
  ReleaseButtons();
}

void Game::Begin(std::uint32_t seed, const std::string& recording) {
  const bool alone = !state().multiplayer;
  if (state().recording) Command("stop");
  std::string command = "changemap " + setup_.map;
  if (alone) {
    Command("viz_set_seed " + std::to_string(seed));
    command = recording.empty() ? "map " + setup_.map : "recordmap " + recording + " " + setup_.map;
  } else {
    Command("rngseed set " + std::to_string(seed));
  }
  for (const auto& engine : engines_) {
    if (engine->game().settings_controller || alone) engine->Command(command);
  }
  ReleaseButtons();
  // In a game over the network, a dead player must use something to come back.
  const auto allow_use = [&](bool allowed) {
    for (const auto& engine : engines_) {
      const auto& own = setup_.scenario.buttons;
      const bool has = std::find(own.begin(), own.end(), kUse) != own.end();
      engine->buttons().available[kUse] = allowed || has;
    }
  };
  if (!alone) {
    allow_use(true);
    Command("-use");
  }
  const auto begun = [&] {
    for (std::size_t i = 0; i < engines_.size(); ++i) {
      const GameState& game = engines_[i]->game();
      if (game.map_end || game.map_tic > last_tics_[i]) return false;
    }
    return true;
  };
  int tics = 0;
  do {
    if (++tics > kMostTics) throw EngineFailure("the map does not begin again");
    if (!alone) Command(tics % 2 == 1 ? "+use" : "-use");
    Do(MessageCode::kTic);
    if (alone && tics % kTicsToRestart == 0) Command(command);
  } while (!begun());
  if (!alone) {
    Command("-use");
    allow_use(false);
  }
  WaitForStart();
  // Two players may begin in the same place, and one of them dies.
  for (tics = 0; !alone && somebody_dead(); ++tics) {
    if (tics == kMostTics) throw EngineFailure("a player does not come back to life");
    Do(MessageCode::kTic);
  }
  Command("viz_override_player 0");
  Do(MessageCode::kUpdate);
  NoteTics();
}

void Game::NoteTics() {
  for (std::size_t i = 0; i < engines_.size(); ++i) {
    // If a map has ended, as a parked engine's may have, the same map counts from 0 again before
    // the next map comes: all these tics count as too early.
    const GameState& game = engines_[i]->game();
    last_tics_[i] = game.map_end ? std::numeric_limits<std::uint32_t>::max() : game.map_tic;
  }
}

void Game::StopRecording() {
  if (!state().recording) return;
  Command("stop");
  Do(MessageCode::kTic);
}

void Game::Press(int player, std::span<const double> buttons) {
  double* const pressed = engines_[static_cast<std::size_t>(player)]->buttons().pressed;
  for (std::size_t i = 0; i < buttons.size(); ++i) pressed[setup_.scenario.buttons[i]] = buttons[i];
}

void Game::Advance(int tics) {
  for (int tic = 1; tic <= tics; ++tic) {
    if (possible()) {
      for (std::size_t i = 0; i < engines_.size(); ++i) {
        last_tics_[i] = engines_[i]->game().map_tic + 1;
      }
      Do(tic == tics ? MessageCode::kTicAndUpdate : MessageCode::kTic);
    }
    if (!possible() && tic != tics) {
      Do(MessageCode::kUpdate);
      return;
    }
  }
}

bool Game::Revive() {
  ReleaseButtons();
  for (int tic = 0; somebody_dead(); ++tic) {
    if (!possible() || tic == kMostTics) return false;
    Advance(1);
  }
  return possible();
}

bool Game::ended() const {
  return state().map_end || (!state().multiplayer && state().player_dead);
}

bool Game::timed_out() const {
  const unsigned timeout = setup_.scenario.timeout;
  const std::uint32_t tic = state().map_tic, limit = state().map_tic_limit;
  return (timeout > 0 && timeout + setup_.scenario.start_tic <= tic) || (limit > 0 && limit <= tic);
}

bool Game::somebody_dead() const {
  return std::any_of(engines_.begin(), engines_.end(),
                     [](const auto& engine) { return engine->game().player_dead; });
}

void Game::Do(MessageCode code) {
  failed_ = true;  // until all engines have answered
  for (const auto& engine : engines_) engine->Send(code);
  for (const auto& engine : engines_) engine->Await();
  failed_ = false;
}

void Game::Command(const std::string& text) {
  for (const auto& engine : engines_) engine->Command(text);
}

void Game::WaitForStart() {
  for (int tics = 0; state().map_tic < setup_.scenario.start_tic; ++tics) {
    if (tics > kMostTics) throw EngineFailure("the map does not begin");
    Do(MessageCode::kTic);
  }
}

void Game::ReleaseButtons() {
  for (const auto& engine : engines_) std::fill_n(engine->buttons().pressed, kButtons, 0.0);
}

}  // namespace envpool::vizdoom
