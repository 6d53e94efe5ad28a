// SPDX-License-Identifier: Apache-2.0
// Tabletop: the table with the robot and the objects of a task, as resets and rewards see it.
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>

#include "envpool/state_io.h"
#include "envpool_mujoco/simulation.h"
#include "task_definition.h"
#include "vec.h"

namespace envpool::metaworld {

class Tabletop {
 public:
  /// Throws OptionError if the model lacks an object of the task.
  Tabletop(mujoco::Simulation& simulation, const TaskDefinition& definition, int frame_skip);

  /// The hand, clipped, and the objects in the last observation.
  Vec hand, object, second;
  /// The gripper's opening, from 0, closed, to 1, open.
  double opening = 0;
  /// The object's rotation.
  double quat[4] = {};
  /// The action's last number, which closes the gripper.
  float grip = 0;

  /// Values of the episode's start: the middle of the fingers and, in some tasks, another position,
  /// a length, and a distance that the first step measures.
  Vec init_tcp, reset_pos;
  double reset_length = 0;
  double first_distance = kUnmeasured;
  static constexpr double kUnmeasured = std::numeric_limits<double>::infinity();

  /// The object's position at the start, and its goal.
  Vec obj_init_pos() const {
    return definition_.obj_init_pos_object.name == nullptr ? obj_init_pos_
                                                           : Of(obj_init_pos_object_);
  }
  Vec target_pos() const {
    return definition_.target_pos_object.name == nullptr ? target_pos_ : Of(target_pos_object_);
  }
  void SetObjInitPos(const Vec& to) { obj_init_pos_ = to; }
  void SetTargetPos(const Vec& to) { target_pos_ = to; }

  /// Positions as last computed.
  Vec tcp() const;
  Vec left_pad() const { return Of(left_pad_); }
  Vec right_pad() const { return Of(right_pad_); }
  /// The position of the task's object of this number.
  Vec At(std::size_t thing) const { return Of(things_[thing]); }
  /// The position of the observed object, as it is observed.
  Vec ObjectAt() const;
  /// The position of the task's joint.
  double JointAt() const;
  /// True if both pads press the object.
  bool Touched() const;
  const TaskDefinition& definition() const { return definition_; }

  /// Moves the task's body and the goal's site, in the model.
  void MoveBody(const Vec& to) { Move(body_pos_, body_, to); }
  void MoveGoal(const Vec& to) { Move(site_pos_, goal_, to); }
  /// The position of the goal's site in its body, in the model.
  Vec GoalInModel() const { return Vec::Of(site_pos_ + 3 * goal_); }
  /// Sets positions from qpos `first` on, sets `count` velocities from qvel `stopped` on to 0, and
  /// computes everything that depends on them.
  void Set(int first, std::initializer_list<double> positions, int stopped, int count);
  /// The same for an object that moves freely.
  void SetFree(const Vec& at) { Set(kFirst, {at[0], at[1], at[2]}, kFirst, 6); }
  /// The same for one joint.
  void SetJoint(double position) { Set(kFirst, {position}, kFirst, 1); }
  /// Sets the position of the task's joint, and computes nothing.
  void SetJointOnly(double position);
  void Forward() { simulation_.Forward(); }
  /// Lets the time of one action pass.
  void Wait() { simulation_.Step(frame_skip_); }

  /// Writes the observation: hand, opening, objects and rotations, 18 numbers.
  void Observe(double* out) const;
  /// Reads an observation, for rewards.
  void See(const double* observation);

  void SaveState(StateWriter& out) const {
    out.Write(hand, object, second, opening, quat, grip, init_tcp, reset_pos, reset_length,
              first_distance, obj_init_pos_, target_pos_);
  }
  void LoadState(StateReader& in) {
    in.Read(hand, object, second, opening, quat, grip, init_tcp, reset_pos, reset_length,
            first_distance, obj_init_pos_, target_pos_);
  }

  static constexpr int kObserved = 18;

 private:
  /// The robot has the first positions and velocities; in all models but the coffee machine's the
  /// object's are next.
  static constexpr int kFirst = 9;
  struct Thing {
    ModelObject::Kind kind = ModelObject::Kind::kBody;
    int id = -1;
  };

  static Thing Find(const mjModel& model, const ModelObject& place);
  const mjData& data() const { return simulation_.data(); }
  Vec Of(const Thing& thing) const;
  void WriteQuaternion(QuaternionOrder quat, const Thing& of, double* out) const;
  static void Move(double* positions, int id, const Vec& to) {
    std::copy_n(to.at, 3, positions + 3 * id);
  }

  mujoco::Simulation& simulation_;
  const TaskDefinition& definition_;
  const int frame_skip_;
  Thing hand_, right_finger_, left_finger_, right_claw_, left_claw_, right_pad_, left_pad_;
  Thing object_, quat_of_, second_, obj_init_pos_object_, target_pos_object_;
  std::array<Thing, 5> things_;
  int body_ = -1, goal_ = -1, joint_ = -1, touched_ = -1, right_pad_geom_ = -1, left_pad_geom_ = -1;
  double *body_pos_, *site_pos_;
  Vec obj_init_pos_, target_pos_;
};

}  // namespace envpool::metaworld
