// SPDX-License-Identifier: Apache-2.0
// A world is saved as the definitions from which it is built again, in the same order, and then the
// solver's memory. The order of bodies, joints and contacts, and the numbers of the nodes in the
// broad phase's tree, decide the order in which contacts are found and solved, and so the bits.

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "engine/private_members.h"
#include "engine/world.h"

namespace envpool::box2d {
namespace {

[[noreturn]] void Damaged() { throw std::out_of_range("the saved state is damaged"); }

// Box2D's lists begin with the newest item.
template <typename Item>
std::vector<Item*> OldestFirst(Item* newest) {
  std::vector<Item*> items;
  for (Item* item = newest; item != nullptr; item = item->GetNext()) items.push_back(item);
  std::reverse(items.begin(), items.end());
  return items;
}

// The proxies in the order in which fixtures are saved. Every shape here has one proxy.
std::vector<b2FixtureProxy*> Proxies(b2World& world) {
  std::vector<b2FixtureProxy*> proxies;
  for (b2Body* body : OldestFirst(world.GetBodyList())) {
    for (b2Fixture* fixture : OldestFirst(body->GetFixtureList())) {
      proxies.push_back(fixture->*MemberOf(FixtureProxies{}));
    }
  }
  return proxies;
}

// The index of each node's proxy in that order.
std::vector<std::int32_t> PlacesByNode(const std::vector<b2FixtureProxy*>& proxies, int32 nodes) {
  std::vector<std::int32_t> places(static_cast<std::size_t>(nodes), -1);
  for (std::size_t i = 0; i < proxies.size(); ++i) {
    places[static_cast<std::size_t>(proxies[i]->proxyId)] = static_cast<std::int32_t>(i);
  }
  return places;
}

void SaveFixture(StateWriter& out, const b2Fixture* fixture) {
  const b2Filter& filter = fixture->GetFilterData();
  out.Write(static_cast<std::uint8_t>(fixture->GetType()),
            static_cast<std::uint8_t>(fixture->IsSensor()), filter.categoryBits, filter.maskBits,
            fixture->GetDensity(), fixture->GetFriction(), fixture->GetRestitution());
  if (const auto* edge = dynamic_cast<const b2EdgeShape*>(fixture->GetShape())) {
    out.Write(edge->m_vertex1, edge->m_vertex2);
  } else if (const auto* circle = dynamic_cast<const b2CircleShape*>(fixture->GetShape())) {
    out.Write(circle->m_p, circle->m_radius);
  } else if (const auto* polygon = dynamic_cast<const b2PolygonShape*>(fixture->GetShape())) {
    out.Write(polygon->m_centroid, static_cast<std::int32_t>(polygon->m_count));
    for (int32 i = 0; i < polygon->m_count; ++i) {
      out.Write(polygon->m_vertices[i], polygon->m_normals[i]);
    }
  }
}

void LoadFixture(StateReader& in, b2Body* body) {
  std::uint8_t type = 0, sensor = 0;
  b2FixtureDef definition;
  in.Read(type, sensor, definition.filter.categoryBits, definition.filter.maskBits,
          definition.density, definition.friction, definition.restitution);
  definition.isSensor = sensor != 0;
  b2EdgeShape edge;
  b2CircleShape circle;
  b2PolygonShape polygon;
  if (type == b2Shape::e_edge) {
    in.Read(edge.m_vertex1, edge.m_vertex2);
    definition.shape = &edge;
  } else if (type == b2Shape::e_circle) {
    in.Read(circle.m_p, circle.m_radius);
    definition.shape = &circle;
  } else if (type == b2Shape::e_polygon) {
    // Unchanged: the convex hull of a hull may begin with another corner.
    std::int32_t count = 0;
    in.Read(polygon.m_centroid, count);
    if (count < 3 || count > b2_maxPolygonVertices) Damaged();
    polygon.m_count = count;
    for (int32 i = 0; i < count; ++i) in.Read(polygon.m_vertices[i], polygon.m_normals[i]);
    definition.shape = &polygon;
  } else {
    Damaged();
  }
  body->CreateFixture(&definition);
}

template <typename Stream, typename Body>
void BodyMembers(Stream&& stream, Body* body) {
  stream(body->*MemberOf(BodyFlags{}), body->*MemberOf(BodyTransform{}),
         body->*MemberOf(BodySweep{}), body->*MemberOf(BodyVelocity{}), body->*MemberOf(BodySpin{}),
         body->*MemberOf(BodyForce{}), body->*MemberOf(BodyTorque{}),
         body->*MemberOf(BodySleepTime{}));
}

template <typename Stream, typename Joint>
void HingeMembers(Stream&& stream, Joint* hinge) {
  stream(hinge->*MemberOf(HingeImpulse{}), hinge->*MemberOf(HingeMotorImpulse{}),
         hinge->*MemberOf(HingeLimitState{}));
}

void SaveContact(StateWriter& out, b2Contact* contact) {
  out.Write(contact->*MemberOf(ContactFlags{}));
  const b2Manifold& manifold = *contact->GetManifold();
  out.Write(static_cast<std::int32_t>(manifold.pointCount));
  if (manifold.pointCount == 0) return;  // the rest is uninitialized
  out.Write(manifold.type, manifold.localNormal, manifold.localPoint);
  for (int32 i = 0; i < manifold.pointCount; ++i) out.Write(manifold.points[i]);
}

void LoadContact(StateReader& in, b2Contact* contact) {
  in.Read(contact->*MemberOf(ContactFlags{}));
  b2Manifold& manifold = *contact->GetManifold();
  std::int32_t points = 0;
  in.Read(points);
  if (points < 0 || points > b2_maxManifoldPoints) Damaged();
  manifold.pointCount = points;
  if (points == 0) return;
  in.Read(manifold.type, manifold.localNormal, manifold.localPoint);
  for (int32 i = 0; i < points; ++i) in.Read(manifold.points[i]);
}

void SaveTree(StateWriter& out, const b2DynamicTree& tree,
              const std::vector<std::int32_t>& places) {
  const int32 capacity = tree.*MemberOf(TreeCapacity{});
  out.Write(capacity, tree.*MemberOf(TreeRoot{}), tree.*MemberOf(TreeCount{}),
            tree.*MemberOf(TreeFree{}), tree.*MemberOf(TreePath{}),
            tree.*MemberOf(TreeInsertions{}));
  for (int32 i = 0; i < capacity; ++i) {
    const b2TreeNode& node = (tree.*MemberOf(TreeNodes{}))[i];
    out.Write(node.height, node.parent);  // for a free node, the next free node
    if (node.height < 0) continue;
    out.Write(node.aabb, node.child1, node.child2);
    if (node.IsLeaf()) out.Write(places[static_cast<std::size_t>(i)]);
  }
}

void LoadTree(StateReader& in, b2DynamicTree& tree, const std::vector<b2FixtureProxy*>& proxies) {
  int32 capacity = 0;
  in.Read(capacity, tree.*MemberOf(TreeRoot{}), tree.*MemberOf(TreeCount{}),
          tree.*MemberOf(TreeFree{}), tree.*MemberOf(TreePath{}), tree.*MemberOf(TreeInsertions{}));
  // A node takes 8 bytes at least.
  if (capacity < 1 || static_cast<std::size_t>(capacity) > in.left() / 8) Damaged();
  const auto index = [capacity](int32 i) {
    if (i < b2_nullNode || i >= capacity) Damaged();
  };
  b2TreeNode*& nodes = tree.*MemberOf(TreeNodes{});
  if (capacity != tree.*MemberOf(TreeCapacity{})) {
    b2Free(nodes);
    nodes = static_cast<b2TreeNode*>(b2Alloc(capacity * static_cast<int32>(sizeof(b2TreeNode))));
    tree.*MemberOf(TreeCapacity{}) = capacity;
  }
  index(tree.*MemberOf(TreeRoot{}));
  index(tree.*MemberOf(TreeFree{}));
  std::memset(nodes, 0, static_cast<std::size_t>(capacity) * sizeof(b2TreeNode));
  for (int32 i = 0; i < capacity; ++i) {
    b2TreeNode& node = nodes[i];
    in.Read(node.height, node.parent);
    index(node.parent);
    if (node.height < 0) continue;
    in.Read(node.aabb, node.child1, node.child2);
    index(node.child1);
    index(node.child2);
    if (!node.IsLeaf()) continue;
    std::int32_t place = 0;
    in.Read(place);
    if (place < 0 || static_cast<std::size_t>(place) >= proxies.size()) Damaged();
    b2FixtureProxy* proxy = proxies[static_cast<std::size_t>(place)];
    proxy->proxyId = i;
    node.userData = proxy;
  }
}

}  // namespace

std::vector<b2Body*> World::Bodies() { return OldestFirst(world_->GetBodyList()); }

std::vector<b2RevoluteJoint*> World::Hinges() {
  std::vector<b2RevoluteJoint*> hinges;
  for (b2Joint* joint : OldestFirst(world_->GetJointList())) {
    hinges.push_back(static_cast<b2RevoluteJoint*>(joint));
  }
  return hinges;
}

void World::Save(StateWriter& out) const {
  auto& world = const_cast<b2World&>(*world_);  // Nothing is changed; Box2D's lists are not const.
  const auto write = [&out](const auto&... values) { out.Write(values...); };
  out.Write(world.GetGravity(), world.*MemberOf(WorldFlags{}),
            world.*MemberOf(WorldInverseFrame{}));

  const std::vector<b2Body*> bodies = OldestFirst(world.GetBodyList());
  out.Write(static_cast<std::int32_t>(bodies.size()));
  for (b2Body* body : bodies) {
    const std::vector<b2Fixture*> fixtures = OldestFirst(body->GetFixtureList());
    out.Write(static_cast<std::uint8_t>(body->GetType()),
              static_cast<std::int32_t>(fixtures.size()));
    for (const b2Fixture* fixture : fixtures) SaveFixture(out, fixture);
    BodyMembers(write, body);
  }
  const std::vector<b2Joint*> joints = OldestFirst(world.GetJointList());
  out.Write(static_cast<std::int32_t>(joints.size()));
  for (b2Joint* joint : joints) {
    auto* hinge = static_cast<b2RevoluteJoint*>(joint);
    const auto number = [&bodies](const b2Body* body) {
      return static_cast<std::int32_t>(std::find(bodies.begin(), bodies.end(), body) -
                                       bodies.begin());
    };
    out.Write(number(hinge->GetBodyA()), number(hinge->GetBodyB()), hinge->GetLocalAnchorA(),
              hinge->GetLocalAnchorB(), hinge->GetReferenceAngle(), hinge->GetLowerLimit(),
              hinge->GetUpperLimit(), hinge->GetMaxMotorTorque(), hinge->GetMotorSpeed());
    HingeMembers(write, hinge);
  }
  const b2BroadPhase& broad_phase = world.GetContactManager().m_broadPhase;
  const b2DynamicTree& tree = broad_phase.*MemberOf(BroadPhaseTree{});
  const auto places = PlacesByNode(Proxies(world), tree.*MemberOf(TreeCapacity{}));
  const std::vector<b2Contact*> contacts = OldestFirst(world.GetContactList());
  out.Write(static_cast<std::int32_t>(contacts.size()));
  for (b2Contact* contact : contacts) {
    for (b2Fixture* fixture : {contact->GetFixtureA(), contact->GetFixtureB()}) {
      const b2FixtureProxy* proxy = fixture->*MemberOf(FixtureProxies{});
      out.Write(places[static_cast<std::size_t>(proxy->proxyId)]);
    }
    SaveContact(out, contact);
  }
  SaveTree(out, tree, places);
}

void World::Load(StateReader& in) {
  b2Vec2 gravity;
  int32 flags = 0;
  float32 inverse_frame = 0;
  in.Read(gravity, flags, inverse_frame);
  Renew({gravity.x, gravity.y});
  const Arena::Use use(arena_);
  b2World& world = *world_;
  const auto read = [&in](auto&... values) { in.Read(values...); };

  std::int32_t count = 0;
  in.Read(count);
  std::vector<std::pair<b2Body*, StateReader>> members;  // set last, because building changes them
  for (std::int32_t i = 0; i < count; ++i) {
    std::uint8_t type = 0;
    std::int32_t fixtures = 0;
    in.Read(type, fixtures);
    b2BodyDef definition;
    definition.type = type == b2_staticBody ? b2_staticBody : b2_dynamicBody;
    b2Body* body = world.CreateBody(&definition);
    for (std::int32_t j = 0; j < fixtures; ++j) LoadFixture(in, body);
    members.emplace_back(body, in);
    BodyMembers(read, body);
  }
  in.Read(count);
  for (std::int32_t i = 0; i < count; ++i) {
    std::int32_t a = 0, b = 0;
    b2RevoluteJointDef definition;
    in.Read(a, b, definition.localAnchorA, definition.localAnchorB, definition.referenceAngle,
            definition.lowerAngle, definition.upperAngle, definition.maxMotorTorque,
            definition.motorSpeed);
    for (const std::int32_t number : {a, b}) {
      if (number < 0 || static_cast<std::size_t>(number) >= members.size()) Damaged();
    }
    definition.bodyA = members[static_cast<std::size_t>(a)].first;
    definition.bodyB = members[static_cast<std::size_t>(b)].first;
    definition.enableMotor = definition.enableLimit = true;
    HingeMembers(read, static_cast<b2RevoluteJoint*>(world.CreateJoint(&definition)));
  }
  auto& manager = const_cast<b2ContactManager&>(world.GetContactManager());
  const std::vector<b2FixtureProxy*> proxies = Proxies(world);
  in.Read(count);
  for (std::int32_t i = 0; i < count; ++i) {
    std::int32_t a = 0, b = 0;
    in.Read(a, b);
    for (const std::int32_t place : {a, b}) {
      if (place < 0 || static_cast<std::size_t>(place) >= proxies.size()) Damaged();
    }
    const int32 before = manager.m_contactCount;
    manager.AddPair(proxies[static_cast<std::size_t>(a)], proxies[static_cast<std::size_t>(b)]);
    if (manager.m_contactCount != before + 1) Damaged();
    LoadContact(in, manager.m_contactList);
  }
  LoadTree(in, manager.m_broadPhase.*MemberOf(BroadPhaseTree{}), proxies);
  manager.m_broadPhase.*MemberOf(BroadPhaseMoves{}) = 0;
  for (auto& [body, state] : members) {
    BodyMembers([&reader = state](auto&... values) { reader.Read(values...); }, body);
  }
  world.*MemberOf(WorldFlags{}) = flags;
  world.*MemberOf(WorldInverseFrame{}) = inverse_frame;
}

}  // namespace envpool::box2d
