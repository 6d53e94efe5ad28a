// SPDX-License-Identifier: Apache-2.0
// A Box2D world in the memory of one environment, with the few calls that the environments need.
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

/// A point or a vector in double precision, as in Python; Box2D rounds it to float.
struct Point64 {
  double x, y;
  operator b2Vec2() const { return {static_cast<float>(x), static_cast<float>(y)}; }
};

/// A fixture's properties beside its shape; the defaults are Box2D's.
struct Material {
  double density = 0;  // kg/m^2
  double friction = 0.2;
  double restitution = 0;
  uint16 category = 0x0001;  // bits of the fixture's own categories
  uint16 mask = 0xffff;      // bits of the categories it collides with
  bool sensor = false;
};

/// The category of ground. Bodies with this mask collide with ground only.
inline constexpr uint16 kGround = 0x0001;

b2EdgeShape EdgeShape(const b2Vec2& from, const b2Vec2& to);
/// The convex hull of some points, in Box2D's order.
b2PolygonShape PolygonShape(std::span<const b2Vec2> vertices);
/// A box of half `width` and half `height`.
b2PolygonShape BoxShape(double width, double height);

/// A hinge with a motor and limits. Its angle is 0 at the bodies' current angles.
struct Hinge {
  b2Body* a;
  b2Body* b;
  b2Vec2 anchor_a, anchor_b;  // in the bodies' coordinates
  double lower, upper;        // rad
  double torque, speed;       // maximum N m, rad/s
};

/// Not movable: Box2D keeps pointers to it.
class World {
 public:
  static constexpr double kFrame = 1.0 / 50;  // s

  explicit World(Point64 gravity);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Removes everything and begins as a new world does, in the same memory.
  void Renew(Point64 gravity);

  b2Body* AddStatic();
  b2Body* AddDynamic(Point64 position, double angle);
  b2Fixture* AddFixture(b2Body* body, const b2Shape& shape, const Material& material);
  b2RevoluteJoint* AddHinge(const Hinge& hinge);
  void Remove(b2Body* body);

  /// Sets the listener to contacts; nullptr for none.
  void Listen(b2ContactListener* listener);

  /// Simulates one frame, with Gymnasium's 180 and 60 iterations.
  void Step();

  /// The free sight from a place towards another: the nearest point on ground, or the other place.
  struct Sight {
    float share = 1;  // share of the way that is free
    Point64 end;
  };
  Sight Look(const b2Vec2& from, Point64 to) const;

  /// Saves or loads the whole world, between two frames: a loaded world continues bit for bit.
  /// After loading, the caller must call Listen and look up bodies again.
  void Save(StateWriter& out) const;
  void Load(StateReader& in);

  /// All bodies, the oldest first.
  std::vector<b2Body*> Bodies();
  std::vector<b2RevoluteJoint*> Hinges();

  const Arena& arena() const { return arena_; }

 private:
  Arena arena_;
  std::optional<b2World> world_;
};

}  // namespace envpool::box2d
