// SPDX-License-Identifier: Apache-2.0
// Meadow: foxes hunt hares in a walled meadow, every animal a player of its own.
//
//   envpool::Register<meadow::Meadow<false>>(m, "Meadow");       // lidar
//   envpool::Register<meadow::Meadow<true>>(m, "PixelMeadow");   // lidar and an image
//
// A row is a player. Foxes come first, then hares; a hare that is caught has one last row, with
// `caught`, and is gone from the next result on. The episode ends when no hare is left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "draw_animals.h"
#include "draw_ground.h"
#include "envpool/env.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "lidar.h"
#include "physics.h"
#include "planting.h"
#include "view.h"

namespace meadow {
using namespace envpool::literals;

inline constexpr float kCatchReward = 1.0f;   ///< what a catch gives to the foxes and takes away
inline constexpr float kCloverReward = 0.1f;  ///< for a clover: ten are worth a life
inline constexpr int kBodyValues = 9;
inline constexpr double kEyeSpan = 8.0;  ///< m that a player's image shows

template <bool kImages>
struct MeadowSpec {
  static auto DefaultConfig() {
    const envpool::Dict common{"num_foxes"_ = 3,   "num_hares"_ = 3,      "num_stones"_ = 5,
                               "num_clovers"_ = 8, "width"_ = 16.0,       "height"_ = 12.0,
                               "num_rays"_ = 32,   "lidar_range"_ = 10.0, "share"_ = 0.5,
                               "show_lidar"_ = -1};
    if constexpr (kImages) {
      return common + envpool::Dict{"image_size"_ = 48};
    } else {
      return common;
    }
  }

  static auto StateSpec(const auto& config) {
    CheckConfig(config);
    const int animals = config["num_foxes"_] + config["num_hares"_];
    const std::vector<float> low{-2, -2, 0, 0, -1, -1, -1, -1, 0}, high{2, 2, 1, 1, 1, 1, 1, 1, 1};
    const envpool::Dict arrays{
        "obs:players.lidar"_ =
            envpool::Box<float>({envpool::kPlayers, config["num_rays"_], kSights}, 0, 1),
        "obs:players.body"_ = envpool::Box<float>({envpool::kPlayers, kBodyValues}, low, high),
        "info:players.id"_ = envpool::Box<int>({envpool::kPlayers}, 0, animals - 1),
        "info:players.is_hare"_ = envpool::Spec<bool>({envpool::kPlayers}),
        "info:players.caught"_ = envpool::Spec<bool>({envpool::kPlayers}),
        "info:players.caught_by"_ = envpool::Box<int>({envpool::kPlayers}, kNobody, animals - 1),
        "info:hares.left"_ = envpool::Box<int>({}, 0, config["num_hares"_]),
        "info:hares.clovers"_ = envpool::Box<int>({}, 0)};
    if constexpr (kImages) {
      const int size = config["image_size"_];
      return arrays + envpool::Dict{"obs:players.image"_ = envpool::Box<std::uint8_t>(
                                        {envpool::kPlayers, 3, size, size}, 0, 255)};
    } else {
      return arrays;
    }
  }

  static auto ActionSpec(const auto& /*config*/) {
    return envpool::Dict{"players.move"_ = envpool::Box<float>({envpool::kPlayers, 2}, -1, 1),
                         "players.leap"_ = envpool::Discrete(2)};
  }

 private:
  static void CheckConfig(const auto& config) {
    const auto require = [](bool good, const std::string& text) {
      if (!good) throw std::invalid_argument(text);
    };
    const int animals = config["num_foxes"_] + config["num_hares"_];
    require(config["num_foxes"_] >= 0 && config["num_hares"_] >= 1,
            "a meadow has at least one hare, and no fewer than 0 foxes");
    require(config["max_num_players"_] >= animals,
            "num_foxes + num_hares are " + std::to_string(animals) + ", max_num_players is " +
                std::to_string(config["max_num_players"_]) + ": pass max_num_players as well");
    require(config["num_stones"_] >= 0 && config["num_clovers"_] >= 0,
            "num_stones and num_clovers are 0 or more");
    require(config["width"_] >= 6 && config["height"_] >= 6 && config["width"_] <= 200 &&
                config["height"_] <= 200,
            "width and height are 6 to 200 m");
    require(config["num_rays"_] >= 1 && config["num_rays"_] <= 1024, "num_rays is 1 to 1024");
    require(config["lidar_range"_] > 0, "lidar_range is more than 0 m");
    require(config["share"_] >= 0 && config["share"_] <= 1, "share is 0 to 1");
    if constexpr (kImages) {
      require(config["image_size"_] >= 8 && config["image_size"_] <= 512,
              "image_size is 8 to 512 pixels");
    }
  }
};

template <bool kImages>
class Meadow final : public envpool::Env<MeadowSpec<kImages>, envpool::NumpyRandom> {
 public:
  using Base = envpool::Env<MeadowSpec<kImages>, envpool::NumpyRandom>;
  using typename Base::Action;
  using typename Base::State;

  Meadow(const typename Base::Spec& spec, int env_id)
      : Base(spec, env_id), lidar_(spec.config["num_rays"_], spec.config["lidar_range"_]) {
    world_.half_size = {spec.config["width"_] / 2, spec.config["height"_] / 2};
    const auto animals =
        static_cast<std::size_t>(spec.config["num_foxes"_] + spec.config["num_hares"_]);
    commands_.resize(animals);
    rewards_.resize(animals);
    if constexpr (kImages) {
      const auto size = static_cast<std::size_t>(spec.config["image_size"_]);
      image_.resize(3 * size * size);
    }
  }

  bool IsDone() override { return HaresLeft() == 0; }

  void Reset() override {
    const auto& config = this->spec_.config;
    Plant(world_,
          {.foxes = config["num_foxes"_],
           .hares = config["num_hares"_],
           .stones = config["num_stones"_],
           .clovers = config["num_clovers"_]},
          this->gen_);
    eaten_ = 0;
    std::fill(rewards_.begin(), rewards_.end(), 0.0f);
    rows_.clear();
    FillRows();
    Write();
  }

  void Step(const Action& action) override {
    Read(action);
    FillRows();
    std::fill(rewards_.begin(), rewards_.end(), 0.0f);
    Advance(world_, commands_);
    RewardCatches();
    Graze();
    Write();
  }

  void SaveState(envpool::StateWriter& out) const {
    out.Write(world_.animals, world_.stones, world_.clovers, rows_, eaten_);
  }
  void LoadState(envpool::StateReader& in) {
    in.Read(world_.animals, world_.stones, world_.clovers, rows_, eaten_);
  }

  std::pair<int, int> RenderSize(int width, int height) const {
    return FrameSize(world_.half_size, width, height);
  }

  static constexpr bool kHasCameras = true;
  /// Camera 0 shows the whole meadow, camera i what is around animal i - 1.
  void Render(int width, int height, int camera_id, unsigned char* rgb) {
    const auto animals = world_.animals.size();
    if (camera_id > static_cast<int>(animals)) {
      throw std::invalid_argument("camera_id=" + std::to_string(camera_id) + ", there are 0 .. " +
                                  std::to_string(animals));
    }
    const bool whole = camera_id <= 0;
    const View view = whole ? WholeMeadow(world_.half_size, width, height)
                            : Around(world_.animals[static_cast<std::size_t>(camera_id - 1)],
                                     kEyeSpan, width, height);
    Draw({rgb, width, height}, view, Finish::kFull);
    if (whole) DrawTally({rgb, width, height}, view, world_);
  }

 private:
  int HaresLeft() const {
    return static_cast<int>(std::count_if(
        world_.animals.begin(), world_.animals.end(),
        [](const Animal& animal) { return animal.kind == Kind::kHare && animal.in_game(); }));
  }

  /// Players of the next result: all who are in the game when the step begins.
  void FillRows() {
    rows_.clear();
    for (std::size_t i = 0; i < world_.animals.size(); ++i) {
      if (world_.animals[i].in_game()) rows_.push_back(static_cast<int>(i));
    }
  }

  /// Action rows are those of the last result, so those of a hare that was caught are among them.
  void Read(const Action& action) {
    const auto move = action["players.move"_];
    const auto leap = action["players.leap"_];
    if (move.Shape(0) != rows_.size()) {
      throw std::invalid_argument("actions of " + std::to_string(move.Shape(0)) +
                                  " players; the last result has " + std::to_string(rows_.size()));
    }
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const auto limited = [&](std::size_t i) {
        return std::clamp(static_cast<double>(move(row, i)), -1.0, 1.0);
      };
      commands_[static_cast<std::size_t>(rows_[row])] = {
          .drive = limited(0), .turn = limited(1), .leap = leap[row] == 1};
    }
  }

  /// A part of each catch goes to all foxes alike, the rest to the one that made it.
  void RewardCatches() {
    const auto share = static_cast<float>(this->spec_.config["share"_]);
    const int foxes = this->spec_.config["num_foxes"_];
    for (const int index : rows_) {
      const Animal& animal = world_.animals[static_cast<std::size_t>(index)];
      if (animal.in_game()) continue;
      rewards_[static_cast<std::size_t>(index)] -= kCatchReward;
      rewards_[static_cast<std::size_t>(animal.caught_by)] += (1 - share) * kCatchReward;
      for (int fox = 0; fox < foxes; ++fox) {
        rewards_[static_cast<std::size_t>(fox)] += share * kCatchReward / static_cast<float>(foxes);
      }
    }
  }

  /// Hares eat the clover that they are at; as much grows somewhere else.
  void Graze() {
    for (std::size_t i = 0; i < world_.animals.size(); ++i) {
      const Animal& animal = world_.animals[i];
      if (animal.kind != Kind::kHare || !animal.in_game() || animal.airborne()) continue;
      for (Vec& clover : world_.clovers) {
        if (Length(clover - animal.position) > kBite) continue;
        clover = NewClover(world_, this->gen_);
        rewards_[i] += kCloverReward;
        ++eaten_;
      }
    }
  }

  void Write() {
    State state = this->Allocate(static_cast<int>(rows_.size()));
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const auto index = static_cast<std::size_t>(rows_[row]);
      const Animal& animal = world_.animals[index];
      lidar_.Scan(world_, index, state["obs:players.lidar"_][row].data());
      WriteBody(animal, state["obs:players.body"_][row].data());
      if constexpr (kImages) WriteImage(animal, state["obs:players.image"_][row].data());
      state["info:players.id"_][row] = rows_[row];
      state["info:players.is_hare"_][row] = animal.kind == Kind::kHare;
      state["info:players.caught"_][row] = !animal.in_game();
      state["info:players.caught_by"_][row] = animal.caught_by;
      state["reward"_][row] = rewards_[index];
      // For a hare that is caught the game is over, whatever the others do.
      if (!animal.in_game()) state["discount"_][row] = 0;
    }
    state["info:hares.left"_] = HaresLeft();
    state["info:hares.clovers"_] = eaten_;
  }

  void WriteBody(const Animal& animal, float* out) const {
    const Vec ahead = Direction(animal.heading);
    // Beyond the range only after a collision at more than twice the top speed.
    const auto speed = [&](Vec along) {
      return std::clamp(Dot(animal.velocity, along) / animal.breed().top_speed, -2.0, 2.0);
    };
    const double values[kBodyValues] = {speed(ahead),
                                        speed(Left(ahead)),
                                        1.0 * animal.air / kLeapSubsteps,
                                        1.0 * animal.rest / kRestSubsteps,
                                        animal.position.x / world_.half_size.x,
                                        animal.position.y / world_.half_size.y,
                                        ahead.x,
                                        ahead.y,
                                        animal.kind == Kind::kHare ? 1.0 : 0.0};
    std::transform(values, values + kBodyValues, out,
                   [](double value) { return static_cast<float>(value); });
  }

  /// Channels first, as most networks want images.
  void WriteImage(const Animal& animal, std::uint8_t* out) {
    const int size = this->spec_.config["image_size"_];
    Draw({image_.data(), size, size}, Around(animal, kEyeSpan, size, size), Finish::kPlain);
    const auto pixels = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
    for (std::size_t i = 0; i < 3 * pixels; ++i) out[i % 3 * pixels + i / 3] = image_[i];
  }

  void Draw(const Canvas& canvas, const View& view, Finish finish) {
    DrawGround(canvas, view, world_, finish);
    const int seer = this->spec_.config["show_lidar"_];
    if (finish == Finish::kFull && seer >= 0 && seer < static_cast<int>(world_.animals.size())) {
      const auto index = static_cast<std::size_t>(seer);
      std::vector<float> scan(lidar_.rays() * kSights);
      lidar_.Scan(world_, index, scan.data());
      DrawRays(canvas, view, world_.animals[index], scan, this->spec_.config["lidar_range"_]);
    }
    for (const Animal& animal : world_.animals) DrawAnimal(canvas, view, animal, finish);
  }

  World world_;
  Lidar lidar_;
  std::vector<int> rows_;  // animals of the last result's rows
  int eaten_ = 0;          // clovers, in this episode
  // One for each animal.
  std::vector<Command> commands_;
  std::vector<float> rewards_;
  std::vector<std::uint8_t> image_;
};

}  // namespace meadow
