// SPDX-License-Identifier: Apache-2.0
// A Box2D world in the memory of one environment, and the few calls that the environments make.
//
//   World world({0, -10});
//   b2Body* ground = world.AddStatic();
//   world.AddFixture(ground, EdgeShape({0, 0}, {20, 0}), {.friction = 0.1});
//   world.Listen(&contacts);
//   world.Step();
#pragma once

#include <Box2D/Box2D.h>

#include <optional>
#include <span>
#include <vector>

#include "engine/memory.h"
#include "envpool/state_io.h"

namespace envpool::box2d {

/// A point or a vector in Python's precision, rounded where it enters Box2D.
struct Point64 {
  double x, y;
  operator b2Vec2() const { return {static_cast<float>(x), static_cast<float>(y)}; }
};

/// What a fixture has beside its shape; the defaults are Box2D's.
struct Material {
  double density = 0;  // kg/m^2
  double friction = 0.2;
  double restitution = 0;
  uint16 category = 0x0001;  // bits of what it is
  uint16 mask = 0xffff;      // and of what it collides with
  bool sensor = false;
};

/// What ground is, and what collides with nothing but that.
inline constexpr uint16 kGround = 0x0001;

b2EdgeShape EdgeShape(const b2Vec2& from, const b2Vec2& to);
/// The convex hull of some points, in the order that Box2D gives them.
b2PolygonShape PolygonShape(std::span<const b2Vec2> vertices);
/// `width` and `height` are halves.
b2PolygonShape BoxShape(double width, double height);

/// A hinge with a motor and limits; its angle is 0 where the bodies have the angles they have now.
struct Hinge {
  b2Body* a;
  b2Body* b;
  b2Vec2 anchor_a, anchor_b;  // in the bodies' coordinates
  double lower, upper;        // rad
  double torque, speed;       // N m at most, rad/s
};

/// Box2D keeps pointers to it: it stays where it is.
class World {
 public:
  static constexpr double kFrame = 1.0 / 50;  // s

  explicit World(Point64 gravity);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Throws everything away, and begins as a new world does, in the same memory.
  void Renew(Point64 gravity);

  b2Body* AddStatic();
  b2Body* AddDynamic(Point64 position, double angle);
  b2Fixture* AddFixture(b2Body* body, const b2Shape& shape, const Material& material);
  b2RevoluteJoint* AddHinge(const Hinge& hinge);
  void Remove(b2Body* body);

  /// Who hears of contacts; nullptr for nobody.
  void Listen(b2ContactListener* listener);

  /// One frame, with Gymnasium's 180 and 60 iterations.
  void Step();

  /// How far one can see from `from` towards `to`: the nearest point on ground, or `to`.
  struct Sight {
    float share = 1;  // of the way
    Point64 end;
  };
  Sight Look(const b2Vec2& from, Point64 to) const;

  /// All of it, between two frames, so that a loaded world goes on bit for bit. Whoever loads has
  /// to call Listen, and to look up bodies, again.
  void Save(StateWriter& out) const;
  void Load(StateReader& in);

  /// All of them, the oldest first.
  std::vector<b2Body*> Bodies();
  std::vector<b2RevoluteJoint*> Hinges();

  const Arena& arena() const { return arena_; }

 private:
  Arena arena_;
  std::optional<b2World> world_;
};

}  // namespace envpool::box2d
