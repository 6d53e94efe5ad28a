// SPDX-License-Identifier: Apache-2.0
// BipedalWalker's rules, as Gymnasium's BipedalWalker-v3 has them, without a pool around them.
//
//   BipedalWalkerGame game(/*hardcore=*/false);
//   game.Reset(random);
//   const BipedalWalkerGame::Outcome outcome = game.Step({1, 0, -1, 0.5f});
//
// Lengths are in m; a frame has 30 pixels per m. One world serves all episodes, as in Gymnasium:
// removed bodies leave traces in the order in which contacts are solved.
#pragma once

#include <array>
#include <vector>

#include "engine/world.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"

namespace envpool::box2d {

class BipedalWalkerGame {
 public:
  static constexpr double kScale = 30;  // pixels per m
  static constexpr double kWidth = 600 / kScale, kHeight = 400 / kScale;
  static constexpr double kStep = 14 / kScale;  // between two points of the ground
  static constexpr int kPoints = 200, kRays = 10;

  using Action = std::array<float, 4>;  // hip and knee of one side, then of the other
  struct Outcome {
    std::array<double, 14 + kRays> observation;
    float reward;
    bool terminated;
  };
  struct Cloud {
    std::array<Point64, 5> corners;
    double left, right;
  };
  struct Ray {
    Point64 from, to;
  };

  explicit BipedalWalkerGame(bool hardcore) : hardcore_(hardcore) {}

  /// Begins an episode with a step without torque.
  Outcome Reset(NumpyRandom& random);
  Outcome Step(const Action& action);

  void Save(StateWriter& out) const;
  void Load(StateReader& in);
  const World& world() const { return world_; }

  // For drawing:
  const std::array<double, kPoints>& ground() const { return ground_; }  // heights of the ground
  const std::array<Cloud, kPoints / 20>& clouds() const { return clouds_; }
  /// Obstacles and edges of the ground, the newest first.
  const std::vector<b2Body*>& terrain() const { return terrain_; }
  const b2Body* hull() const { return hull_; }
  const std::array<b2Body*, 4>& legs() const { return legs_; }
  const std::array<Ray, kRays>& rays() const { return rays_; }
  int frames() const { return frames_; }  // since the start of the episode
  double scroll() const { return hull_->GetPosition().x - kWidth / 5; }

 private:
  class Contacts final : public b2ContactListener {
   public:
    explicit Contacts(BipedalWalkerGame& game) : game_(game) {}
    void BeginContact(b2Contact* contact) override;
    void EndContact(b2Contact* contact) override;

   private:
    bool Touches(b2Contact* contact, const b2Body* body) const;
    BipedalWalkerGame& game_;
  };

  void Clear();
  void BuildGround(NumpyRandom& random);
  void AddBox(double left, double right, double bottom, double top);
  void PaintClouds(NumpyRandom& random);
  void BuildWalker(NumpyRandom& random);

  bool hardcore_;
  World world_{{0, -10}};
  Contacts contacts_{*this};
  std::array<double, kPoints> ground_{};
  std::array<Cloud, kPoints / 20> clouds_{};
  std::vector<b2Body*> terrain_;
  b2Body* hull_ = nullptr;
  std::array<b2Body*, 4> legs_{};  // upper, lower, upper, lower
  std::array<b2RevoluteJoint*, 4> joints_{};
  std::array<Ray, kRays> rays_{};
  std::array<bool, 2> on_ground_{};  // whether the lower legs touch the ground
  bool fallen_ = false;
  bool moved_ = false;  // true if an earlier step of the episode has a shaping
  double shaping_ = 0;
  int frames_ = 0;
};

}  // namespace envpool::box2d
