// SPDX-License-Identifier: Apache-2.0
// One Atari game as an environment: frame skip, no-ops, FIRE, lives, rewards and observations, by
// the rules of EnvPool 1.2.5, of ale_py.AtariVectorEnv or of Gymnasium's ALE tasks (options.h).
//
//   envpool::Register<envpool::atari::AtariEnv<envpool::atari::AtariSpec>>(m, "Atari");
//
// A step emulates frame_skip frames, fewer if the game ends. Only the frames that an observation
// shows are drawn. If the game ends early, the observation shows earlier frames, which were not
// drawn: the console then plays them again and draws them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cartridges.h"
#include "envpool/env.h"
#include "envpool/random/numpy_random.h"
#include "envpool/random/seed_sequence.h"
#include "envpool/state_io.h"
#include "frame_drawer.h"
#include "game_start.h"
#include "joystick.h"
#include "noop_draws.h"
#include "options.h"
#include "repeats.h"
#include "screen_stack.h"

namespace envpool::atari {

/// The action is a number.
struct AtariSpec {
  static auto DefaultConfig() { return DefaultAtariConfig(); }
  static auto StateSpec(const auto& config) {
    return envpool::Dict{
        "obs"_ = envpool::Box<std::uint8_t>(Options(config).ObservationShape(), 0, 255),
        "info:lives"_ = envpool::Spec<int>({envpool::kPlayers}),
        "info:reward"_ = envpool::Spec<float>({envpool::kPlayers}),
        "info:terminated"_ = envpool::Spec<int>({envpool::kPlayers}, {0, 1}),
        "info:ram"_ = envpool::Box<std::uint8_t>({kRamSize}, 0, 255),
        "info:frame_number"_ = envpool::Spec<int>({envpool::kPlayers}),
        "info:episode_frame_number"_ = envpool::Spec<int>({envpool::kPlayers})};
  }
  static auto ActionSpec(const auto& config) {
    return envpool::Dict{"action"_ =
                             envpool::Discrete(static_cast<int>(Options(config).Actions().size()))};
  }
};

/// A game whose ROM is not in the table of games.
struct AtariRomSpec : AtariSpec {
  static auto DefaultConfig() { return DefaultRomConfig(); }
  static constexpr std::string_view kNotInStates[] = {"rom_path"};  // `task` names the file
};

/// The action is a joystick's position: radius 0 .. 1, angle -pi .. pi, fire 0 .. 1.
struct AtariContinuousSpec : AtariSpec {
  static auto ActionSpec(const auto&) {
    constexpr float kPi = std::numbers::pi_v<float>;
    return envpool::Dict{"action"_ = envpool::Box<float>({envpool::kPlayers, 3}, {0.0f, -kPi, 0.0f},
                                                         {1.0f, kPi, 1.0f})};
  }
};

template <typename Description>
class AtariEnv : public envpool::Env<Description, envpool::NumpyRandom> {
  using Base = envpool::Env<Description, envpool::NumpyRandom>;

 public:
  using typename Base::Action;
  using typename Base::Spec;
  using typename Base::State;

  AtariEnv(const Spec& spec, int env_id)
      : Base(spec, env_id),
        options_(spec.config),
        actions_(options_.Actions()),
        fires_(options_.Fires()),
        noops_(static_cast<std::uint32_t>(this->seed_)),
        game_(Cartridges::Loaded(options_.game->name), SeedOfGame(),
              options_.repeat_action_probability),
        stack_(options_),
        drawer_(options_, game_.format()) {
    if (options_.mode != -1) game_.SetMode(options_.mode);
    if (options_.difficulty != -1) game_.SetDifficulty(options_.difficulty);
    if (options_.cache_reset && !game_.ResetDraws()) {
      start_ = GameStart::Of(*options_.game, options_.mode, options_.difficulty);
    }
  }

  bool IsDone() { return done_; }
  bool IsTerminalState() const { return options_.life_loss_info && lost_; }

  void Reset() {
    StartGame();
    StartEpisode(true);
  }

  /// Continues the game with the next life.
  bool Continue() {
    if (options_.LifeEndsGame() || game_.game_over()) return false;
    StartEpisode(false);
    return true;
  }

  void Step(const Action& action) {
    const int reward = PlayStep(MoveOf(action), FramesOfStep());
    const int lives = game_.lives();
    lost_ = lives < lives_ && (lives > 0 || options_.LifeEndsGame());
    done_ = game_.game_over() || (options_.episodic_life && lost_);
    const bool discounts = options_.zero_discount_on_life_loss && lives != lives_;
    lives_ = lives;
    Write(reward, discounts ? 0 : 1, false);
  }

  std::pair<int, int> RenderSize(int width, int height) const {
    return drawer_.RenderSize(width, height);
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) {
    drawer_.Render(game_.screen(), width, height, rgb);
  }

  void SaveState(envpool::StateWriter& out) const {
    envpool::StateWriter game;
    game_.SaveState(game);
    game.Write(noops_, lives_);
    const std::string& bytes = game.bytes();
    out.Write(static_cast<std::uint32_t>(bytes.size()), EncodeRepeats(bytes, kAlike));
    stack_.SaveState(out);
  }
  void LoadState(envpool::StateReader& in) {
    std::uint32_t size = 0;
    std::string code;
    in.Read(size, code);
    if (size > kMostBytes) throw std::out_of_range("a saved game is too long");
    std::string bytes(size, 0);
    DecodeRepeats(code, bytes, kAlike);
    envpool::StateReader game(bytes.data(), bytes.size());
    game_.LoadState(game);
    game.Read(noops_, lives_);
    if (game.left() != 0) throw std::out_of_range("a saved game is too long");
    stack_.LoadState(in);
  }

 private:
  /// A saved game holds the console three times, one frame apart, and many zeros.
  static constexpr UsualDistances kAlike = {.near = Console::kMomentSize, .far = 1};
  static constexpr std::uint32_t kMostBytes = 1 << 17;

  /// Gymnasium derives two seeds from one: a seed for its own draws and a seed for ALE.
  std::uint32_t SeedOfGame() {
    const auto seed = static_cast<std::uint64_t>(this->seed_);
    if (options_.preset != Preset::kGymnasium) return static_cast<std::uint32_t>(seed);
    const auto words = envpool::SeedSequence(seed).GenerateState<2>();
    this->gen_ = envpool::NumpyRandom(words[0]);
    return words[1];
  }

  Move MoveOf(const Action& action) const {
    const auto& value = action["action"_];
    if constexpr (std::is_same_v<Description, AtariContinuousSpec>) {
      return FromJoystick(value(0, 0), value(0, 1), value(0, 2),
                          options_.continuous_action_threshold);
    } else {
      return {.action = actions_[static_cast<std::size_t>(static_cast<int>(value[0]))]};
    }
  }

  int FramesOfStep() {
    if (options_.frame_skip_high == 0) return options_.frame_skip;
    return static_cast<int>(this->gen_.Integers(options_.frame_skip, options_.frame_skip_high));
  }

  /// Plays up to `frames` frames and returns their reward.
  int PlayStep(const Move& move, int frames);
  /// Draws the number of no-op frames before an episode.
  int DrawNoops();
  /// Begins an episode: in a new game if `new_game`, else in the current game.
  void StartEpisode(bool new_game);
  void StartGame();
  /// Plays a frame before an episode. `is_last`: the observation shows this frame. Returns true if
  /// the game ended and a new game was started.
  bool PlayBefore(int action, bool is_last);
  /// Writes the result of a step or a reset. `fills`: every screen of the stack becomes this one.
  void Write(int reward, float discount, bool fills);

  Options options_;
  std::vector<int> actions_;
  bool fires_;
  NoopDraws noops_;
  Game game_;
  ScreenStack stack_;
  FrameDrawer drawer_;
  std::shared_ptr<const GameStart> start_;  ///< null if every game starts with a reset
  int lives_ = 0;
  bool lost_ = false;  ///< a life was lost in the last step
  bool done_ = false;
  int frames_ = 0;  ///< number of frames of the last step
};

template <typename D>
int AtariEnv<D>::PlayStep(const Move& move, int frames) {
  const bool stops = options_.episodic_life && options_.LifeEndsGame();
  const int shown = options_.Pools() ? 2 : options_.Watches() ? 1 : 0;
  int reward = 0;
  frames_ = 0;
  while (frames_ < frames) {
    reward += game_.Act(move.action, move.strength, frames - frames_ <= shown);
    ++frames_;
    if (!game_.game_over() && !(stops && game_.lives() < lives_)) continue;
    // Gymnasium's environment then plays no frame but draws random numbers. Its wrapper, which
    // makes the screens, does not even draw.
    if (options_.preset != Preset::kGymnasium || options_.obs_type == ObsType::kScreen) break;
  }
  return reward;
}

template <typename D>
void AtariEnv<D>::StartGame() {
  if (start_ == nullptr) {
    game_.Reset();
  } else {
    start_->Restore(game_);
  }
  frames_ = 0;
}

template <typename D>
bool AtariEnv<D>::PlayBefore(int action, bool is_last) {
  game_.Act(action, 1, is_last && options_.Watches());
  frames_ = 1;
  const bool over = action == kNoop && game_.game_over();
  if (over) StartGame();
  return over;
}

template <typename D>
int AtariEnv<D>::DrawNoops() {
  if (options_.noop_max == 0) return 0;
  if (options_.preset == Preset::kGymnasium) {
    return static_cast<int>(this->gen_.Integers(1, options_.noop_max + 1));
  }
  const bool fewer = fires_ || options_.preset == Preset::kAle;
  return noops_.Below(options_.noop_max) + (fewer ? 0 : 1);
}

template <typename D>
void AtariEnv<D>::StartEpisode(bool new_game) {
  int noops = DrawNoops();
  if (fires_ && options_.preset == Preset::kAle) PlayBefore(kFire, --noops <= 0);
  const bool fire_follows = fires_ && options_.preset != Preset::kAle;
  for (; noops > 0; --noops) new_game |= PlayBefore(kNoop, noops == 1 && !fire_follows);
  if (fire_follows) PlayBefore(kFire, true);
  lives_ = game_.lives();
  lost_ = done_ = false;
  Write(0, 1, /*fills=*/new_game);
}

template <typename D>
void AtariEnv<D>::Write(int reward, float discount, bool fills) {
  State state = this->Allocate();
  state["reward"_] = options_.reward_clip ? (reward > 0) - (reward < 0) : reward;
  state["discount"_] = discount;
  state["info:lives"_] = lives_;
  state["info:reward"_] = reward;
  state["info:terminated"_] = game_.game_over() ? 1 : 0;
  std::memcpy(state["info:ram"_].data(), game_.ram().data(), kRamSize);
  state["info:frame_number"_] = game_.frame_number();
  state["info:episode_frame_number"_] = game_.episode_frame_number();
  std::uint8_t* observation = state["obs"_].data();
  switch (options_.obs_type) {
    case ObsType::kRam:
      std::memcpy(observation, game_.ram().data(), kRamSize);
      return;
    case ObsType::kRgb:
    case ObsType::kGray:
      drawer_.Draw(game_.screen(), nullptr, observation);
      return;
    case ObsType::kScreen:
      break;
  }
  const bool pools = options_.Pools() && frames_ > 1;
  const std::uint8_t* before = pools ? game_.screen_before() : nullptr;
  drawer_.Draw(game_.screen(), before, stack_.Next(observation));
  if (!fills) {
    stack_.Push(observation);
  } else if (options_.preset == Preset::kAle) {
    stack_.Clear();
    stack_.Push(observation);
  } else {
    stack_.Fill(observation);
  }
}

}  // namespace envpool::atari
