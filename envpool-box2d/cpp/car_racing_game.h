// SPDX-License-Identifier: Apache-2.0
// CarRacing's rules, as Gymnasium's CarRacing-v3 has them, without a pool and without pictures.
//
//   CarRacingGame game({});
//   game.Reset(random, true);
//   game.Move(CarRacingGame::Controls{.steer = 0.1, .gas = 1});  // a picture after Move ...
//   const CarRacingGame::Outcome outcome = game.Judge();         // ... lacks Judge's result
//
// Lengths are in m. One world serves all episodes, as in Gymnasium.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "car_racing_track.h"
#include "engine/world.h"
#include "envpool/drawing/canvas.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"

namespace envpool::box2d {

class CarRacingGame {
 public:
  static constexpr double kField = 2000 / 6.0;  // from the middle to the end of the field
  static constexpr double kSize = 0.02;         // m for each unit of the car's drawing
  static constexpr double kWheelRadius = 27, kWheelWidth = 14;  // units

  struct Options {
    double lap_complete_percent = 0.95;
    bool domain_randomize = false;
  };
  struct Controls {
    double steer = 0;  // to the left, from -1 to 1
    double gas = 0, brake = 0;
  };
  struct Outcome {
    double reward = 0;
    bool terminated = false, lap_finished = false;
  };
  /// A piece of the road or of its border.
  struct Quad {
    std::array<Point64, 4> corners;
    drawing::Rgb color;
    std::array<uint8_t, 5> none{};  // padding; without it a saved state would have arbitrary bytes
  };
  struct Wheel {
    b2Body* body = nullptr;
    b2RevoluteJoint* joint = nullptr;
    double gas = 0, brake = 0, steer = 0;
    double phase = 0, omega = 0;  // rad, rad/s
    int tiles = 0;                // number of tiles that the wheel touches
    // The skid mark:
    bool slips = false;     // true after a step of slipping without a mark
    std::int64_t mark = 0;  // the mark's number, 0 for none
    int mark_points = 0;
    bool mark_on_grass = false;
  };
  /// A skid mark of a wheel.
  struct Mark {
    std::int64_t number;
    bool on_grass;
    std::vector<Point64> points;
  };

  /// The colors of an episode. The next episode may keep them.
  struct Colors {
    std::array<double, 3> road{102, 102, 102};
    drawing::Rgb background{102, 204, 102}, grass{102, 230, 102};
  };

  explicit CarRacingGame(const Options& options) : options_(options) {}

  /// Begins an episode with a frame without controls; `new_colors` is for domain_randomize.
  void Reset(NumpyRandom& random, bool new_colors);
  /// Simulates a frame of the car and of the world.
  void Move(const std::optional<Controls>& controls);
  /// Computes the frame's reward and the end of the episode.
  Outcome Judge();

  void Save(StateWriter& out) const;
  void Load(StateReader& in);
  const Colors& colors() const { return colors_; }
  void SetColors(const Colors& colors) { colors_ = colors; }
  const World& world() const { return world_; }

  // For drawing:
  drawing::Rgb background() const { return colors_.background; }
  drawing::Rgb grass() const { return colors_.grass; }
  const std::vector<Quad>& road() const { return road_; }  // in the order of drawing
  const b2Body* hull() const { return hull_; }
  const std::array<Wheel, 4>& wheels() const { return wheels_; }
  const std::deque<Mark>& marks() const { return marks_; }
  double time() const { return time_; }    // s since the start
  double score() const { return score_; }  // sum of the rewards, without the last frame's cost

 private:
  class Contacts final : public b2ContactListener {
   public:
    explicit Contacts(CarRacingGame& game) : game_(game) {}
    void BeginContact(b2Contact* contact) override { Touch(contact, true); }
    void EndContact(b2Contact* contact) override { Touch(contact, false); }

   private:
    void Touch(b2Contact* contact, bool begins);
    CarRacingGame& game_;
  };

  void Clear();
  void PickColors(NumpyRandom& random);
  void BuildRoad(const std::vector<TrackPoint>& track);
  void BuildCar(const TrackPoint& start);
  void NameBodies();
  void Drive(Wheel& wheel);
  void LeaveMark(Wheel& wheel, bool on_grass);

  Options options_;
  World world_{{0, 0}};
  Contacts contacts_{*this};
  Colors colors_;
  TrackMaker tracks_;
  std::vector<Quad> road_;
  std::vector<b2Body*> tiles_;
  std::vector<std::int32_t> quad_of_tile_;
  std::vector<bool> visited_;
  b2Body* hull_ = nullptr;
  std::array<Wheel, 4> wheels_{};
  std::deque<Mark> marks_;
  std::int64_t last_mark_ = 0;
  double time_ = 0, score_ = 0, score_before_ = 0;
  std::int32_t visited_count_ = 0;
  bool lap_done_ = false;
};

}  // namespace envpool::box2d
