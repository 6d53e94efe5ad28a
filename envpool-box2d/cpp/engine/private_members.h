// SPDX-License-Identifier: Apache-2.0
// Box2D's private members that a saved world needs: the solver's memory from frame to frame. C++
// allows an explicit instantiation to name private members; Box2D's sources stay unchanged.
//
//   body->*MemberOf(BodySweep{}) = sweep;
#pragma once

#include <Box2D/Box2D.h>

namespace envpool::box2d {

template <typename Tag, typename Tag::type kMember>
struct Exposed {
  friend typename Tag::type MemberOf(Tag) { return kMember; }
};

#define ENVPOOL_BOX2D_EXPOSE(Tag, Class, Type, member) \
  struct Tag {                                         \
    using type = Type Class::*;                        \
    friend type MemberOf(Tag);                         \
  };                                                   \
  template struct Exposed<Tag, &Class::member>

ENVPOOL_BOX2D_EXPOSE(WorldFlags, b2World, int32, m_flags);
ENVPOOL_BOX2D_EXPOSE(WorldInverseFrame, b2World, float32, m_inv_dt0);

ENVPOOL_BOX2D_EXPOSE(BodyFlags, b2Body, uint16, m_flags);
ENVPOOL_BOX2D_EXPOSE(BodyTransform, b2Body, b2Transform, m_xf);
ENVPOOL_BOX2D_EXPOSE(BodySweep, b2Body, b2Sweep, m_sweep);
ENVPOOL_BOX2D_EXPOSE(BodyVelocity, b2Body, b2Vec2, m_linearVelocity);
ENVPOOL_BOX2D_EXPOSE(BodySpin, b2Body, float32, m_angularVelocity);
ENVPOOL_BOX2D_EXPOSE(BodyForce, b2Body, b2Vec2, m_force);
ENVPOOL_BOX2D_EXPOSE(BodyTorque, b2Body, float32, m_torque);
ENVPOOL_BOX2D_EXPOSE(BodySleepTime, b2Body, float32, m_sleepTime);

ENVPOOL_BOX2D_EXPOSE(FixtureProxies, b2Fixture, b2FixtureProxy*, m_proxies);

ENVPOOL_BOX2D_EXPOSE(ContactFlags, b2Contact, uint32, m_flags);

ENVPOOL_BOX2D_EXPOSE(HingeImpulse, b2RevoluteJoint, b2Vec3, m_impulse);
ENVPOOL_BOX2D_EXPOSE(HingeMotorImpulse, b2RevoluteJoint, float32, m_motorImpulse);
ENVPOOL_BOX2D_EXPOSE(HingeLimitState, b2RevoluteJoint, b2LimitState, m_limitState);

ENVPOOL_BOX2D_EXPOSE(HingeIndexA, b2RevoluteJoint, int32, m_indexA);
ENVPOOL_BOX2D_EXPOSE(HingeIndexB, b2RevoluteJoint, int32, m_indexB);
ENVPOOL_BOX2D_EXPOSE(HingeMassA, b2RevoluteJoint, float32, m_invMassA);
ENVPOOL_BOX2D_EXPOSE(HingeMassB, b2RevoluteJoint, float32, m_invMassB);
ENVPOOL_BOX2D_EXPOSE(HingeSpinA, b2RevoluteJoint, float32, m_invIA);
ENVPOOL_BOX2D_EXPOSE(HingeSpinB, b2RevoluteJoint, float32, m_invIB);
ENVPOOL_BOX2D_EXPOSE(HingeArmA, b2RevoluteJoint, b2Vec2, m_rA);
ENVPOOL_BOX2D_EXPOSE(HingeArmB, b2RevoluteJoint, b2Vec2, m_rB);
ENVPOOL_BOX2D_EXPOSE(HingeMatrix, b2RevoluteJoint, b2Mat33, m_mass);
ENVPOOL_BOX2D_EXPOSE(HingeMotorMass, b2RevoluteJoint, float32, m_motorMass);

ENVPOOL_BOX2D_EXPOSE(BroadPhaseTree, b2BroadPhase, b2DynamicTree, m_tree);
ENVPOOL_BOX2D_EXPOSE(BroadPhaseMoves, b2BroadPhase, int32, m_moveCount);

ENVPOOL_BOX2D_EXPOSE(TreeRoot, b2DynamicTree, int32, m_root);
ENVPOOL_BOX2D_EXPOSE(TreeNodes, b2DynamicTree, b2TreeNode*, m_nodes);
ENVPOOL_BOX2D_EXPOSE(TreeCount, b2DynamicTree, int32, m_nodeCount);
ENVPOOL_BOX2D_EXPOSE(TreeCapacity, b2DynamicTree, int32, m_nodeCapacity);
ENVPOOL_BOX2D_EXPOSE(TreeFree, b2DynamicTree, int32, m_freeList);
ENVPOOL_BOX2D_EXPOSE(TreePath, b2DynamicTree, uint32, m_path);
ENVPOOL_BOX2D_EXPOSE(TreeInsertions, b2DynamicTree, int32, m_insertionCount);

#undef ENVPOOL_BOX2D_EXPOSE

}  // namespace envpool::box2d
