// SPDX-License-Identifier: Apache-2.0
// b2Island, in place of Box2D's own file: the same bits in less time. It uses the rest of Box2D's
// solver. All joints of these environments are hinges, and no listener reads contact impulses. It
// saves time in three places:
//
// - Hinges are plain structs without virtual calls. Their determinants are computed once per frame,
// not 180 times.
// - If a pass leaves every velocity as it was, to the bit, later passes repeat it: only the sums of
// impulses grow. Only they are computed, until a sum is clamped or rounded otherwise than before.
// - Corrections of positions have no memory: a pass that changes nothing ends them.
//
// CMake's box2d_OWN_SOLVER=OFF compiles Box2D's file instead. tests/test_worlds.py compares both
// files; tests/test_alignment.py compares with Gymnasium, which uses Box2D's file.

#include <Box2D/Box2D.h>
#include <Box2D/Dynamics/Contacts/b2ContactSolver.h>
#include <Box2D/Dynamics/b2Island.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "engine/private_members.h"

namespace {

bool SameBits(const void* a, const void* b, std::size_t size) {
  return std::memcmp(a, b, size) == 0;
}
bool SameBits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

// A hinge during the passes over velocities, and its effect in the last pass.
struct Hinge {
  b2RevoluteJoint* joint;
  int32 a, b;
  float32 mass_a, mass_b, spin_a, spin_b;  // inverses
  b2Vec2 arm_a, arm_b;
  b2Mat33 k;
  b2Vec3 k_cross;                // of its second and third column
  float32 inverse_3, inverse_2;  // of the determinants
  float32 motor_mass, motor_speed, most_motor;
  b2LimitState limit;

  b2Vec3 impulse;
  float32 motor_impulse;

  float32 motor_asked, motor_got;  // impulses of the last pass
  b2Vec3 change;
  float32 limit_before;
  bool clamped;

  void Load(b2RevoluteJoint* from, float32 frame);
  void Solve(b2Velocity* velocities);
  bool Repeats(b2Vec3& next, float32& next_motor) const;

  // Box2D's Solve33 and Solve22 with a fixed matrix.
  b2Vec3 Solve3(const b2Vec3& v) const {
    return {inverse_3 * b2Dot(v, k_cross), inverse_3 * b2Dot(k.ex, b2Cross(v, k.ez)),
            inverse_3 * b2Dot(k.ex, b2Cross(k.ey, v))};
  }
  b2Vec2 Solve2(const b2Vec2& v) const {
    return {inverse_2 * (k.ey.y * v.x - k.ey.x * v.y), inverse_2 * (k.ex.x * v.y - k.ex.y * v.x)};
  }
};

void Hinge::Load(b2RevoluteJoint* from, float32 frame) {
  using namespace envpool::box2d;
  joint = from;
  a = from->*MemberOf(HingeIndexA{});
  b = from->*MemberOf(HingeIndexB{});
  mass_a = from->*MemberOf(HingeMassA{});
  mass_b = from->*MemberOf(HingeMassB{});
  spin_a = from->*MemberOf(HingeSpinA{});
  spin_b = from->*MemberOf(HingeSpinB{});
  arm_a = from->*MemberOf(HingeArmA{});
  arm_b = from->*MemberOf(HingeArmB{});
  k = from->*MemberOf(HingeMatrix{});
  k_cross = b2Cross(k.ey, k.ez);
  const auto inverse = [](float32 determinant) {
    return determinant != 0.0f ? 1.0f / determinant : determinant;
  };
  inverse_3 = inverse(b2Dot(k.ex, k_cross));
  inverse_2 = inverse(k.ex.x * k.ey.y - k.ey.x * k.ex.y);
  motor_mass = from->*MemberOf(HingeMotorMass{});
  motor_speed = from->GetMotorSpeed();
  most_motor = frame * from->GetMaxMotorTorque();
  limit = from->*MemberOf(HingeLimitState{});
  impulse = from->*MemberOf(HingeImpulse{});
  motor_impulse = from->*MemberOf(HingeMotorImpulse{});
}

void Hinge::Solve(b2Velocity* velocities) {
  b2Vec2 v_a = velocities[a].v, v_b = velocities[b].v;
  float32 w_a = velocities[a].w, w_b = velocities[b].w;

  motor_asked = -motor_mass * (w_b - w_a - motor_speed);
  const float32 motor_before = motor_impulse;
  motor_impulse = b2Clamp(motor_before + motor_asked, -most_motor, most_motor);
  motor_got = motor_impulse - motor_before;
  w_a -= spin_a * motor_got;
  w_b += spin_b * motor_got;

  const b2Vec2 slip = v_b + b2Cross(w_b, arm_b) - v_a - b2Cross(w_a, arm_a);
  b2Vec2 push;
  if (limit == e_inactiveLimit) {
    push = Solve2(-slip);
    change = {push.x, push.y, 0};
    impulse.x += push.x;
    impulse.y += push.y;
    w_a -= spin_a * b2Cross(arm_a, push);
    w_b += spin_b * b2Cross(arm_b, push);
  } else {
    change = -Solve3({slip.x, slip.y, w_b - w_a});
    limit_before = impulse.z;
    const float32 sum = impulse.z + change.z;
    clamped = limit == e_atLowerLimit ? sum < 0 : limit == e_atUpperLimit && sum > 0;
    if (clamped) {
      const b2Vec2 reduced = Solve2(-slip + impulse.z * b2Vec2(k.ez.x, k.ez.y));
      change = {reduced.x, reduced.y, -impulse.z};
      impulse.x += reduced.x;
      impulse.y += reduced.y;
      impulse.z = 0;
    } else {
      impulse += change;
    }
    push = {change.x, change.y};
    w_a -= spin_a * (b2Cross(arm_a, push) + change.z);
    w_b += spin_b * (b2Cross(arm_b, push) + change.z);
  }
  v_a -= mass_a * push;
  v_b += mass_b * push;
  velocities[a] = {v_a, w_a};
  velocities[b] = {v_b, w_b};
}

// True if a pass over the same velocities has the same effect as the last pass; `next` is the new
// sum of impulses.
bool Hinge::Repeats(b2Vec3& next, float32& next_motor) const {
  next_motor = b2Clamp(motor_impulse + motor_asked, -most_motor, most_motor);
  if (!SameBits(next_motor - motor_impulse, motor_got)) return false;
  next = impulse;
  if (limit == e_inactiveLimit) {
    next.x += change.x;
    next.y += change.y;
    return true;
  }
  if (clamped) {
    // The result depends on the impulse before, which must be the same.
    if (!SameBits(impulse.z, limit_before)) return false;
    next.x += change.x;
    next.y += change.y;
    next.z = 0;
    return true;
  }
  next += change;
  const float32 sum = next.z;
  return !(limit == e_atLowerLimit ? sum < 0 : limit == e_atUpperLimit && sum > 0);
}

// The normal and tangential impulses of all contacts.
bool SameImpulses(const b2ContactSolver& solver, std::vector<float32>& before, bool keep) {
  std::size_t at = 0;
  bool same = true;
  before.resize(4 * static_cast<std::size_t>(solver.m_count));
  for (int i = 0; i < solver.m_count; ++i) {
    for (const b2VelocityConstraintPoint& point : solver.m_velocityConstraints[i].points) {
      for (const float32 impulse : {point.normalImpulse, point.tangentImpulse}) {
        same = same && SameBits(before[at], impulse);
        if (keep) before[at] = impulse;
        ++at;
      }
    }
  }
  return same;
}

void SolveVelocities(Hinge* hinges, int32 count, b2ContactSolver& contacts, b2Velocity* velocities,
                     int32 bodies, int32 passes) {
  constexpr std::size_t kMostBodies = 16;
  std::array<b2Velocity, kMostBodies> before;
  thread_local std::vector<float32> impulses;
  // The test costs a tenth of a pass, so only every fourth pass is tested. With more bodies, as
  // with much exhaust, no pass is tested.
  constexpr int32 kWatched = 4;
  const bool few = static_cast<std::size_t>(bodies) <= kMostBodies;
  for (int32 i = 0; i < passes; ++i) {
    const bool watched = few && i % kWatched == 0;
    if (watched) std::copy_n(velocities, bodies, before.begin());
    if (watched && contacts.m_count > 0) SameImpulses(contacts, impulses, true);
    for (int32 j = 0; j < count; ++j) hinges[j].Solve(velocities);
    if (contacts.m_count > 0) contacts.SolveVelocityConstraints();
    const auto size = sizeof(b2Velocity) * static_cast<std::size_t>(bodies);
    if (!watched || !SameBits(velocities, before.data(), size)) continue;
    if (contacts.m_count > 0 && !SameImpulses(contacts, impulses, false)) continue;
    for (; i + 1 < passes; ++i) {
      std::array<b2Vec3, kMostBodies> next;
      std::array<float32, kMostBodies> next_motor;
      bool repeats = static_cast<std::size_t>(count) <= kMostBodies;
      for (int32 j = 0; j < count && repeats; ++j) {
        const auto at = static_cast<std::size_t>(j);
        repeats = hinges[j].Repeats(next[at], next_motor[at]);
      }
      if (!repeats) break;
      for (int32 j = 0; j < count; ++j) {
        hinges[j].impulse = next[static_cast<std::size_t>(j)];
        hinges[j].motor_impulse = next_motor[static_cast<std::size_t>(j)];
      }
    }
  }
}

// Moves a body by one frame, limited as Box2D limits it.
void Advance(b2Position& position, b2Velocity& velocity, float32 frame) {
  const b2Vec2 way = frame * velocity.v;
  if (b2Dot(way, way) > b2_maxTranslationSquared) velocity.v *= b2_maxTranslation / way.Length();
  const float32 turn = frame * velocity.w;
  if (turn * turn > b2_maxRotationSquared) velocity.w *= b2_maxRotation / b2Abs(turn);
  position.c += frame * velocity.v;
  position.a += frame * velocity.w;
}

}  // namespace

b2Island::b2Island(int32 bodyCapacity, int32 contactCapacity, int32 jointCapacity,
                   b2StackAllocator* allocator, b2ContactListener* listener)
    : m_allocator(allocator),
      m_listener(listener),
      m_bodyCount(0),
      m_jointCount(0),
      m_contactCount(0),
      m_bodyCapacity(bodyCapacity),
      m_contactCapacity(contactCapacity),
      m_jointCapacity(jointCapacity) {
  const auto take = [allocator]<typename T>(T*& items, int32 count) {
    items = static_cast<T*>(allocator->Allocate(count * static_cast<int32>(sizeof(T))));
  };
  take(m_bodies, bodyCapacity);
  take(m_contacts, contactCapacity);
  take(m_joints, jointCapacity);
  take(m_velocities, bodyCapacity);
  take(m_positions, bodyCapacity);
}

b2Island::~b2Island() {
  for (void* items : {static_cast<void*>(m_positions), static_cast<void*>(m_velocities),
                      static_cast<void*>(m_joints), static_cast<void*>(m_contacts),
                      static_cast<void*>(m_bodies)}) {
    m_allocator->Free(items);
  }
}

void b2Island::Solve(b2Profile* profile, const b2TimeStep& step, const b2Vec2& gravity,
                     bool allowSleep) {
  profile->solveInit = profile->solveVelocity = profile->solvePosition = 0;
  const float32 h = step.dt;
  for (int32 i = 0; i < m_bodyCount; ++i) {
    b2Body& body = *m_bodies[i];
    body.m_sweep.c0 = body.m_sweep.c;
    body.m_sweep.a0 = body.m_sweep.a;
    b2Vec2 v = body.m_linearVelocity;
    float32 w = body.m_angularVelocity;
    if (body.m_type == b2_dynamicBody) {
      v += h * (body.m_gravityScale * gravity + body.m_invMass * body.m_force);
      w += h * body.m_invI * body.m_torque;
      v *= b2Clamp(1.0f - h * body.m_linearDamping, 0.0f, 1.0f);
      w *= b2Clamp(1.0f - h * body.m_angularDamping, 0.0f, 1.0f);
    }
    m_positions[i] = {body.m_sweep.c, body.m_sweep.a};
    m_velocities[i] = {v, w};
  }

  b2SolverData data;
  data.step = step;
  data.positions = m_positions;
  data.velocities = m_velocities;
  b2ContactSolverDef definition;
  definition.step = step;
  definition.contacts = m_contacts;
  definition.count = m_contactCount;
  definition.positions = m_positions;
  definition.velocities = m_velocities;
  definition.allocator = m_allocator;
  b2ContactSolver contacts(&definition);
  contacts.InitializeVelocityConstraints();
  if (step.warmStarting) contacts.WarmStart();
  for (int32 i = 0; i < m_jointCount; ++i) m_joints[i]->InitVelocityConstraints(data);

  auto* hinges =
      static_cast<Hinge*>(m_allocator->Allocate(m_jointCount * static_cast<int32>(sizeof(Hinge))));
  for (int32 i = 0; i < m_jointCount; ++i) {
    hinges[i].Load(static_cast<b2RevoluteJoint*>(m_joints[i]), h);
  }
  SolveVelocities(hinges, m_jointCount, contacts, m_velocities, m_bodyCount,
                  step.velocityIterations);
  for (int32 i = 0; i < m_jointCount; ++i) {
    using namespace envpool::box2d;
    hinges[i].joint->*MemberOf(HingeImpulse{}) = hinges[i].impulse;
    hinges[i].joint->*MemberOf(HingeMotorImpulse{}) = hinges[i].motor_impulse;
  }
  m_allocator->Free(hinges);
  contacts.StoreImpulses();

  for (int32 i = 0; i < m_bodyCount; ++i) Advance(m_positions[i], m_velocities[i], h);
  bool solved = false;
  thread_local std::vector<b2Position> before;
  for (int32 i = 0; i < step.positionIterations; ++i) {
    before.assign(m_positions, m_positions + m_bodyCount);
    solved = contacts.SolvePositionConstraints();
    for (int32 j = 0; j < m_jointCount; ++j) {
      solved = m_joints[j]->SolvePositionConstraints(data) && solved;
    }
    if (solved || SameBits(before.data(), m_positions, sizeof(b2Position) * before.size())) break;
  }

  float32 slept = b2_maxFloat;
  for (int32 i = 0; i < m_bodyCount; ++i) {
    b2Body& body = *m_bodies[i];
    body.m_sweep.c = m_positions[i].c;
    body.m_sweep.a = m_positions[i].a;
    body.m_linearVelocity = m_velocities[i].v;
    body.m_angularVelocity = m_velocities[i].w;
    body.SynchronizeTransform();
    if (!allowSleep || body.m_type == b2_staticBody) continue;
    const bool moves = (body.m_flags & b2Body::e_autoSleepFlag) == 0 ||
                       body.m_angularVelocity * body.m_angularVelocity >
                           b2_angularSleepTolerance * b2_angularSleepTolerance ||
                       b2Dot(body.m_linearVelocity, body.m_linearVelocity) >
                           b2_linearSleepTolerance * b2_linearSleepTolerance;
    body.m_sleepTime = moves ? 0.0f : body.m_sleepTime + h;
    slept = b2Min(slept, body.m_sleepTime);
  }
  if (!allowSleep || !(slept >= b2_timeToSleep && solved)) return;
  for (int32 i = 0; i < m_bodyCount; ++i) m_bodies[i]->SetAwake(false);
}

void b2Island::SolveTOI(const b2TimeStep& step, int32 first, int32 second) {
  b2Assert(first < m_bodyCount && second < m_bodyCount);
  for (int32 i = 0; i < m_bodyCount; ++i) {
    const b2Body& body = *m_bodies[i];
    m_positions[i] = {body.m_sweep.c, body.m_sweep.a};
    m_velocities[i] = {body.m_linearVelocity, body.m_angularVelocity};
  }
  b2ContactSolverDef definition;
  definition.step = step;
  definition.contacts = m_contacts;
  definition.count = m_contactCount;
  definition.positions = m_positions;
  definition.velocities = m_velocities;
  definition.allocator = m_allocator;
  b2ContactSolver contacts(&definition);
  for (int32 i = 0; i < step.positionIterations; ++i) {
    if (contacts.SolveTOIPositionConstraints(first, second)) break;
  }
  // The safe places of the two bodies become the beginning of their next motion.
  for (const int32 i : {first, second}) {
    m_bodies[i]->m_sweep.c0 = m_positions[i].c;
    m_bodies[i]->m_sweep.a0 = m_positions[i].a;
  }
  contacts.InitializeVelocityConstraints();
  for (int32 i = 0; i < step.velocityIterations; ++i) contacts.SolveVelocityConstraints();
  for (int32 i = 0; i < m_bodyCount; ++i) {
    Advance(m_positions[i], m_velocities[i], step.dt);
    b2Body& body = *m_bodies[i];
    body.m_sweep.c = m_positions[i].c;
    body.m_sweep.a = m_positions[i].a;
    body.m_linearVelocity = m_velocities[i].v;
    body.m_angularVelocity = m_velocities[i].w;
    body.SynchronizeTransform();
  }
}
