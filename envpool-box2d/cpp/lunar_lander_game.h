// SPDX-License-Identifier: Apache-2.0
// LunarLander's rules, as Gymnasium's LunarLander-v3 has them, without a pool around them.
//
//   LunarLanderGame game({.gravity = -10});
//   game.Reset(random);
//   const LunarLanderGame::Outcome outcome = game.Step({.main = 1}, random);
//
// Lengths are in m. The field has 20 m x 13.33 m; a frame has 30 pixels per m.
#pragma once

#include <array>
#include <deque>

#include "engine/world.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"

namespace envpool::box2d {

class LunarLanderGame {
 public:
  static constexpr double kScale = 30;  // pixels per m
  static constexpr double kWidth = 600 / kScale, kHeight = 400 / kScale;
  static constexpr int kPoints = 11;  // number of points of the ground

  struct Options {
    double gravity = -10;  // m/s^2
    bool wind = false;
    double wind_power = 15, turbulence_power = 1.5;  // N, N m at most
    bool particles = false;  // exhaust of the engines: it is drawn and has no other effect
  };
  /// The engines' state: `main` and `side` are powers, 0 or 0.5 ... 1; `direction` is the side
  /// engine's, -1 or 1.
  struct Engines {
    double main = 0, side = 0, direction = 0;
  };
  struct Outcome {
    std::array<double, 8> observation;
    double reward;
    bool terminated;
  };
  /// A piece of exhaust.
  struct Particle {
    b2Body* body;
    double life;
  };

  explicit LunarLanderGame(const Options& options);

  /// Begins an episode with a step without engines.
  Outcome Reset(NumpyRandom& random);
  Outcome Step(const Engines& engines, NumpyRandom& random);

  void Save(StateWriter& out) const;
  void Load(StateReader& in);
  const World& world() const { return world_; }

  // For drawing:
  const std::array<double, kPoints>& ground() const { return ground_; }  // heights of the ground
  const b2Body* lander() const { return lander_; }
  const std::array<b2Body*, 2>& legs() const { return legs_; }
  const std::deque<Particle>& particles() const { return particles_; }

 private:
  class Contacts final : public b2ContactListener {
   public:
    explicit Contacts(LunarLanderGame& game) : game_(game) {}
    void BeginContact(b2Contact* contact) override;
    void EndContact(b2Contact* contact) override;

   private:
    LunarLanderGame& game_;
  };

  void BuildGround(NumpyRandom& random);
  void BuildLander(NumpyRandom& random);
  void Blow();
  void Fire(Point64 impulse, Point64 at, double density, double life);

  Options options_;
  World world_;
  Contacts contacts_{*this};
  std::array<double, kPoints> ground_{};
  b2Body* lander_ = nullptr;
  std::array<b2Body*, 2> legs_{};
  std::deque<Particle> particles_;  // the oldest first
  std::array<bool, 2> on_ground_{};
  bool crashed_ = false;
  bool moved_ = false;  // true if an earlier step of the episode has a shaping
  double shaping_ = 0;
  std::int64_t wind_index_ = 0, torque_index_ = 0;
};

}  // namespace envpool::box2d
