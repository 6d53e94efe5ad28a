// SPDX-License-Identifier: Apache-2.0
// One running game: the Arcade Learning Environment's (ALE's) rules around the console.
//
//   Game game(cartridge, *FindGame("pong"), /*seed=*/1, /*repeat_action_probability=*/0.25);
//   game.SetModeAndDifficulty(1, 3);
//   game.Reset();
//   while (!game.game_over()) total += game.Act(kRightFire);
//
// The constructor does what ALE does with `random_seed` and `repeat_action_probability` and when it
// loads a ROM. A Game is used by one thread at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "console/console.h"
#include "games/game_info.h"
#include "games/mersenne_twister.h"
#include "games/rules.h"

namespace envpool::atari {

/** A cartridge in a console, a player, and the rules of the game. */
class Game {
 public:
  /** Loads the ROM, and resets once. The row of the table must outlive the game. */
  Game(std::shared_ptr<const Cartridge> cartridge, const GameInfo& info, std::uint32_t seed,
       double repeat_action_probability);

  /**
   * Loads the same ROM again with another seed. The result equals the first constructor's but takes
   * microseconds.
   * @param loaded a game that has not been used since it was loaded
   */
  Game(const Game& loaded, std::uint32_t seed, double repeat_action_probability);

  /** Sets both. Changes nothing if it throws. */
  void SetModeAndDifficulty(int mode, int difficulty);
  /**
   * Chooses the mode of later resets. Throws std::invalid_argument if the game has no such mode.
   */
  void SetMode(int mode);
  /**
   * Sets the difficulty switches, at once. Throws std::invalid_argument for an unknown difficulty.
   */
  void SetDifficulty(int difficulty);

  /** Starts a new game: about 70 frames, more where a mode has to be selected. */
  void Reset();

  /**
   * Plays one frame, or none when the game is over.
   * @param action the player's action; an action that is not legal in this game does nothing
   * @param paddle_strength how fast a paddle turns, from 0 to 1
   * @param draw pass true if screen() will be called: screen() is then faster
   * @return the reward
   */
  int Act(int action, float paddle_strength = 1, bool draw = true);

  const GameInfo& info() const { return *info_; }
  int lives() const { return rule_state_.Lives(info_->rules); }
  bool game_over() const { return rule_state_.over != 0; }
  int frame_number() const { return static_cast<int>(player_.frame); }
  int episode_frame_number() const { return static_cast<int>(player_.episode_frame); }
  /** The position of player A's paddle, in ohms. */
  int paddle() const { return player_.paddle; }
  std::span<const std::uint8_t, kRamSize> ram() const { return console_.ram(); }
  std::span<std::uint8_t, kRamSize> ram() { return console_.ram(); }
  const std::uint8_t* screen() const { return console_.screen(); }
  /** The screen before the last frame. Valid after two frames since loading. */
  const std::uint8_t* screen_before() const { return console_.screen_before(); }
  int height() const { return console_.height(); }
  Format format() const { return console_.format(); }

  /** True if Reset draws random numbers: it selects a mode by actions, as a player would. */
  bool ResetDraws() const {
    return random_ != nullptr && (info_->select.wait > 0 || info_->select.by_hand != nullptr);
  }

  /** Writes the state that decides later frames, and the screen, to an envpool::StateWriter. */
  template <typename Writer>
  void SaveState(Writer& out) const {
    console_.SaveState(out);
    out.Write(rule_state_, player_);
    if (random_ != nullptr) out.Write(*random_);
  }

  /** Reads the state from an envpool::StateReader. Arbitrary bytes do no harm. */
  template <typename Reader>
  void LoadState(Reader& in) {
    console_.LoadState(in);
    in.Read(rule_state_, player_);
    if (random_ != nullptr) in.Read(*random_);
    rule_state_.Limit();
    LimitPlayer();
  }

  // The operations for ModeSelection::by_hand, as a person at the console has them.

  /** The console's and the cartridge's memory. */
  Memory memory() const { return {console_.ram(), console_.Save().cartridge.ram}; }
  /** Holds SELECT for some frames without evaluating the rules, and releases it for one frame. */
  void PressSelect(int frames);
  /** Holds RESET for four frames. */
  void PressReset();
  /** Counts a look at the memory. Throws std::runtime_error if the selection never ends. */
  void LookAgain();
  /** The generator's next number. Only for games whose row has ModeSelection::draws. */
  std::uint32_t Random() { return (*random_)(); }

 private:
  static constexpr int kPaddleMin = 27'450;    // ohms, at the right end
  static constexpr int kPaddleSpeed = 23'000;  // ohms in a frame
  static constexpr int kLooks = 10'000;        // far more than any mode needs

  // The part of the state that is neither in the console nor in the rules.
  struct Player {
    std::uint32_t frame = 0;
    std::uint32_t episode_frame = 0;
    std::int32_t looks = 0;   // looks at memory while this mode is selected
    std::int32_t paddle = 0;  // ohms
    std::int32_t last_action = kNoop;
    float last_strength = 1;
    std::int32_t mode = 0;
    std::int32_t difficulty = 0;
  };

  bool Repeats() { return random_ != nullptr && (*random_)() < repeat_probability_ * 0x1p32; }
  /** A generator, or null if the game draws no random numbers. */
  std::unique_ptr<MersenneTwister> NewRandom(std::uint32_t seed) const {
    const bool draws = repeat_probability_ > 0 || info_->select.draws;
    return draws ? std::make_unique<MersenneTwister>(seed) : nullptr;
  }
  Inputs Hold(int action, float paddle_strength);
  void RunFrame(const Inputs& inputs, bool draw);
  void Load();
  void SelectMode();
  void LimitPlayer();
  std::string Refusal(const char* what, int asked, const std::vector<int>& allowed) const;

  const GameInfo* info_;
  std::shared_ptr<const Cartridge> cartridge_;
  Console console_;
  RuleState rule_state_ = {};
  Player player_ = {};
  double repeat_probability_;
  std::unique_ptr<MersenneTwister> random_;  // null: nothing is drawn or saved
};

inline Game::Game(std::shared_ptr<const Cartridge> cartridge, const GameInfo& info,
                  std::uint32_t seed, double repeat_action_probability)
    : info_(&info),
      cartridge_(std::move(cartridge)),
      console_(cartridge_, info.console),
      player_{.mode = info.select.Default()},
      repeat_probability_(static_cast<float>(repeat_action_probability)),
      random_(NewRandom(seed)) {
  Load();
}

inline Game::Game(const Game& loaded, std::uint32_t seed, double repeat_action_probability)
    : info_(loaded.info_),
      cartridge_(loaded.cartridge_),
      console_(cartridge_, info_->console),
      rule_state_(loaded.rule_state_),
      player_(loaded.player_),
      repeat_probability_(static_cast<float>(repeat_action_probability)),
      random_(NewRandom(seed)) {
  if (ResetDraws() || loaded.ResetDraws()) {  // the loaded state then depends on the seed
    rule_state_ = {};
    player_ = {.mode = info_->select.Default()};
    Load();
  } else {
    console_.Load(loaded.console_);
  }
}

inline void Game::Load() {
  console_.PowerOn();
  Reset();
}

inline void Game::SetModeAndDifficulty(int mode, int difficulty) {
  const int mode_before = player_.mode;
  SetMode(mode);
  try {
    SetDifficulty(difficulty);
  } catch (...) {
    player_.mode = mode_before;
    throw;
  }
}

inline void Game::SetMode(int mode) {
  if (!info_->select.IsLegal(mode)) {
    throw std::invalid_argument(Refusal("mode", mode, ListModes(*info_)));
  }
  player_.mode = mode;
}

inline void Game::SetDifficulty(int difficulty) {
  if (!info_->difficulties.Contains(difficulty)) {
    throw std::invalid_argument(Refusal("difficulty", difficulty, info_->difficulties.ToVector()));
  }
  player_.difficulty = difficulty;
}

inline void Game::Reset() {
  player_.episode_frame = 0;
  player_.paddle = (kPaddleMin + info_->paddle_max) / 2;
  console_.Reset();
  for (int i = 0; i < 60; ++i) RunFrame(Hold(kNoop, 1), false);
  PressReset();
  rule_state_.Reset(info_->rules);
  SelectMode();
  PressReset();
  for (const StartAction& start : info_->start) {
    for (int i = 0; i < start.frames; ++i) RunFrame(Hold(start.action, 1), false);
  }
}

inline int Game::Act(int action, float paddle_strength, bool draw) {
  // One draw per player. The second player does nothing, so its draw has no effect.
  if (!Repeats()) {
    player_.last_action = action;
    player_.last_strength = paddle_strength;
  }
  static_cast<void>(Repeats());
  if (game_over()) return 0;
  const int held = player_.last_action;
  const bool legal = held != kReset && info_->legal.Contains(held);
  RunFrame(Hold(legal ? held : kNoop, player_.last_strength), draw);
  ++player_.frame;
  ++player_.episode_frame;
  return rule_state_.reward;
}

inline void Game::PressSelect(int frames) {
  Inputs inputs = Hold(kNoop, 1);
  inputs.select = true;
  for (int i = 0; i < frames; ++i) console_.RunFrame(inputs, false);
  RunFrame(Hold(kNoop, 1), false);
  ++player_.frame;
  ++player_.episode_frame;
}

inline void Game::PressReset() {
  for (int i = 0; i < 4; ++i) RunFrame(Hold(kReset, 1), false);
  player_.last_action = kNoop;
}

inline void Game::LookAgain() {
  if (++player_.looks > kLooks) {
    throw std::runtime_error(std::string(info_->name) + ": mode " + std::to_string(player_.mode) +
                             " cannot be selected from this state");
  }
}

inline void Game::SelectMode() {
  const ModeSelection& select = info_->select;
  rule_state_.mode = player_.mode;
  player_.looks = 0;
  if (select.by_hand != nullptr) {
    select.by_hand(*this, player_.mode);
    return;
  }
  if (select.hold == 0) return;
  if (select.reset_first) PressReset();
  for (int i = 0; i < select.wait; ++i) Act(kNoop, 1, false);
  if (select.first_hold > 0) PressSelect(select.first_hold);
  const ModeRange& range = *select.Find(player_.mode);
  const int wanted = range.scale * player_.mode + range.offset;
  const auto found = [&](int shown) {
    return shown == wanted || (select.or_plus != 0 && shown == wanted + select.or_plus);
  };
  while (!found(select.shows.Value(memory()))) {
    LookAgain();
    PressSelect(select.hold);
  }
  rule_state_.mode_selected = 1;
  PressReset();
}

inline Inputs Game::Hold(int action, float paddle_strength) {
  static constexpr SmallSet kUps = {kUp, kUpRight, kUpLeft, kUpFire, kUpRightFire, kUpLeftFire};
  static constexpr SmallSet kRights = {kRight,     kUpRight,     kDownRight,
                                       kRightFire, kUpRightFire, kDownRightFire};
  static constexpr SmallSet kLefts = {kLeft,     kUpLeft,     kDownLeft,
                                      kLeftFire, kUpLeftFire, kDownLeftFire};
  static constexpr SmallSet kDowns = {kDown,     kDownRight,     kDownLeft,
                                      kDownFire, kDownRightFire, kDownLeftFire};
  static constexpr SmallSet kFires = {kFire,       kUpFire,        kRightFire,
                                      kLeftFire,   kDownFire,      kUpRightFire,
                                      kUpLeftFire, kDownRightFire, kDownLeftFire};
  const int turn = (kLefts.Contains(action) ? 1 : 0) - (kRights.Contains(action) ? 1 : 0);
  const int ohms = static_cast<int>(kPaddleSpeed * std::abs(double{paddle_strength}));
  player_.paddle = std::clamp(player_.paddle + turn * ohms, kPaddleMin, info_->paddle_max);

  Inputs inputs;
  inputs.reset = action == kReset;
  inputs.left_difficulty_a = (player_.difficulty & 1) != 0;
  inputs.right_difficulty_a = (player_.difficulty & 2) != 0;
  inputs.joystick[0] = static_cast<std::uint8_t>((kUps.Contains(action) ? kJoystickUp : 0) |
                                                 (kDowns.Contains(action) ? kJoystickDown : 0) |
                                                 (kLefts.Contains(action) ? kJoystickLeft : 0) |
                                                 (kRights.Contains(action) ? kJoystickRight : 0));
  inputs.fire[0] = kFires.Contains(action);
  inputs.paddle[0] = player_.paddle;
  return inputs;
}

inline void Game::RunFrame(const Inputs& inputs, bool draw) {
  console_.RunFrame(inputs, draw);
  console_.ReadRam();
  Evaluate(info_->rules, memory(), rule_state_);
}

inline void Game::LimitPlayer() {
  player_.paddle = std::clamp(player_.paddle, kPaddleMin, info_->paddle_max);
  player_.difficulty &= 3;
  if (!(player_.last_strength >= 0 && player_.last_strength <= 1)) player_.last_strength = 1;
  if (!info_->select.IsLegal(player_.mode)) player_.mode = info_->select.Default();
}

inline std::string Game::Refusal(const char* what, int asked,
                                 const std::vector<int>& allowed) const {
  std::string text = std::string(info_->name) + " has no " + what + " " + std::to_string(asked);
  text += "; it has";
  for (const int number : allowed) text.append(" ").append(std::to_string(number));
  return text;
}

}  // namespace envpool::atari
