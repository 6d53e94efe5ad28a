// SPDX-License-Identifier: Apache-2.0
#include "engine/world.h"

#include "engine/private_members.h"

namespace envpool::box2d {
namespace {

// Box2D fills global tables when the first world and the first contact are made. This does it once,
// before several threads could do it at the same time.
bool FillTables() {
  b2World world(b2Vec2(0, 0));
  b2BodyDef definition;
  b2Body* ground = world.CreateBody(&definition);
  definition.type = b2_dynamicBody;
  b2Body* body = world.CreateBody(&definition);
  const b2PolygonShape box = BoxShape(1, 1);
  ground->CreateFixture(&box, 0);
  body->CreateFixture(&box, 1);
  world.Step(0.01f, 1, 1);
  return true;
}

// Receives the fixtures that a ray meets; each fixture on ground shortens the ray to it.
class NearestGround final : public b2RayCastCallback {
 public:
  explicit NearestGround(Point64 to) : sight{1, to} {}
  float32 ReportFixture(b2Fixture* fixture, const b2Vec2& point, const b2Vec2& /*normal*/,
                        float32 share) override {
    if ((fixture->GetFilterData().categoryBits & kGround) == 0) return -1;  // continues unchanged
    sight = {share, {point.x, point.y}};
    return share;
  }
  World::Sight sight;
};

}  // namespace

b2EdgeShape EdgeShape(const b2Vec2& from, const b2Vec2& to) {
  b2EdgeShape shape;
  shape.Set(from, to);
  return shape;
}

b2PolygonShape PolygonShape(std::span<const b2Vec2> vertices) {
  b2PolygonShape shape;
  shape.Set(vertices.data(), static_cast<int32>(vertices.size()));
  return shape;
}

b2PolygonShape BoxShape(double width, double height) {
  b2PolygonShape shape;
  shape.SetAsBox(static_cast<float>(width), static_cast<float>(height));
  return shape;
}

World::World(Point64 gravity) {
  [[maybe_unused]] static const bool filled = FillTables();
  Renew(gravity);
}

void World::Renew(Point64 gravity) {
  const Arena::Use use(arena_);
  world_.emplace(gravity);
}

b2Body* World::AddStatic() {
  const Arena::Use use(arena_);
  // Box2D's loops end at the first static body, see cmake/box2d.cmake. Its list begins with the
  // newest body.
  const b2Body* newest = world_->GetBodyList();
  b2Assert(newest == nullptr || newest->GetType() == b2_staticBody);
  const b2BodyDef definition;
  return world_->CreateBody(&definition);
}

b2Body* World::AddDynamic(Point64 position, double angle) {
  const Arena::Use use(arena_);
  b2BodyDef definition;
  definition.type = b2_dynamicBody;
  definition.position = position;
  definition.angle = static_cast<float>(angle);
  return world_->CreateBody(&definition);
}

b2Fixture* World::AddFixture(b2Body* body, const b2Shape& shape, const Material& material) {
  const Arena::Use use(arena_);
  b2FixtureDef definition;
  definition.shape = &shape;
  definition.density = static_cast<float>(material.density);
  definition.friction = static_cast<float>(material.friction);
  definition.restitution = static_cast<float>(material.restitution);
  definition.filter.categoryBits = material.category;
  definition.filter.maskBits = material.mask;
  definition.isSensor = material.sensor;
  return body->CreateFixture(&definition);
}

b2RevoluteJoint* World::AddHinge(const Hinge& hinge) {
  const Arena::Use use(arena_);
  b2RevoluteJointDef definition;
  definition.bodyA = hinge.a;
  definition.bodyB = hinge.b;
  definition.localAnchorA = hinge.anchor_a;
  definition.localAnchorB = hinge.anchor_b;
  // pybox2d subtracts in double precision, as Python does.
  definition.referenceAngle = static_cast<float>(static_cast<double>(hinge.b->GetAngle()) -
                                                 static_cast<double>(hinge.a->GetAngle()));
  definition.enableMotor = true;
  definition.enableLimit = true;
  definition.maxMotorTorque = static_cast<float>(hinge.torque);
  definition.motorSpeed = static_cast<float>(hinge.speed);
  definition.lowerAngle = static_cast<float>(hinge.lower);
  definition.upperAngle = static_cast<float>(hinge.upper);
  return static_cast<b2RevoluteJoint*>(world_->CreateJoint(&definition));
}

void World::Remove(b2Body* body) { world_->DestroyBody(body); }

void World::Listen(b2ContactListener* listener) { world_->SetContactListener(listener); }

void World::Step() {
  const Arena::Use use(arena_);
  world_->Step(static_cast<float>(kFrame), 6 * 30, 2 * 30);
  // A frame begins with static bodies at the beginning of their motion. Only bodies with contacts
  // may have moved on.
  for (b2Contact* contact = world_->GetContactList(); contact != nullptr;
       contact = contact->GetNext()) {
    for (b2Body* body : {contact->GetFixtureA()->GetBody(), contact->GetFixtureB()->GetBody()}) {
      if (body->GetType() == b2_staticBody) (body->*MemberOf(BodySweep{})).alpha0 = 0;
    }
  }
}

World::Sight World::Look(const b2Vec2& from, Point64 to) const {
  NearestGround nearest(to);
  world_->RayCast(&nearest, from, to);
  return nearest.sight;
}

}  // namespace envpool::box2d
