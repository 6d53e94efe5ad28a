// SPDX-License-Identifier: Apache-2.0
#include "locomotion/walker.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "dm_control/names.h"
#include "dm_control/vectors.h"

namespace envpool::mujoco {

const WalkerAnatomy kCmuHumanoid = {.root = "root",
                                    .head = "head",
                                    .end_effectors = {"rradius", "lradius", "rfoot", "lfoot"},
                                    .feet = {"lfoot", "rfoot"},
                                    .height = 0.94,
                                    .upright = {0.859, 1, 1, 0.859},
                                    .tendons = false,
                                    .touch = true};
const WalkerAnatomy kRodent = {.root = "torso",
                               .head = "skull",
                               .end_effectors = {"lower_arm_R", "lower_arm_L", "foot_R", "foot_L"},
                               .feet = {"foot_L", "foot_R", "hand_L", "hand_R", "vertebra_C1"},
                               .height = 0,
                               .upright = {1, 0, 0, 0},
                               .tendons = true,
                               .touch = true};

namespace {

constexpr double kTouchThreshold = 1e-3, kTorqueScale = 60;

std::string Own(const char* name) { return std::string("walker/") + name; }

bool IsWalkers(const mjModel& model, mjtObj type, int id) {
  const char* name = mj_id2name(&model, type, id);
  return name != nullptr && std::string_view(name).starts_with("walker/");
}

/// True if `other` is the body or a descendant of it.
bool HangsOn(const mjModel& model, int body, int other) {
  while (body > other) body = model.body_parentid[body];
  return body == other;
}

}  // namespace

Walker::Walker(const mjModel& model, const WalkerAnatomy& anatomy)
    : anatomy_(anatomy),
      root_(Names(model).body(Own(anatomy.root))),
      free_qpos_(Names(model).qpos("walker/")),
      free_qvel_(Names(model).qvel("walker/")),
      activations_(ModelSizes(model).na),
      tendons_(anatomy.tendons ? ModelSizes(model).ntendon : 0),
      accelerometer_(SensorsOf(model, mjSENS_ACCELEROMETER)),
      force_(SensorsOf(model, mjSENS_FORCE)),
      gyro_(SensorsOf(model, mjSENS_GYRO)),
      torque_(SensorsOf(model, mjSENS_TORQUE)),
      touch_(SensorsOf(model, mjSENS_TOUCH)),
      velocimeter_(SensorsOf(model, mjSENS_VELOCIMETER)) {
  const Names names(model);
  for (const char* name : anatomy.end_effectors) {
    limbs_.push_back(names.body(Own(name)));
    end_effectors_.push_back(names.sensor(Own(name) + "_end_effector"));
  }
  limbs_.push_back(names.body(Own(anatomy.head)));
  for (int i = 0; i < model.nu; ++i) {
    if (model.actuator_trntype[i] != mjTRN_JOINT) continue;
    const int joint = model.actuator_trnid[2 * i];
    qpos_.push_back(model.jnt_qposadr[joint]);
    qvel_.push_back(model.jnt_dofadr[joint]);
  }
  std::vector<int> feet;
  for (const char* name : anatomy.feet) feet.push_back(names.body(Own(name)));
  for (int geom = 0; geom < model.ngeom; ++geom) {
    const int body = model.geom_bodyid[geom];
    const bool foot = std::ranges::any_of(feet, [&](int one) { return HangsOn(model, body, one); });
    no_foot_.push_back(!foot && IsWalkers(model, mjOBJ_GEOM, geom));
  }
}

Walker::Sensors Walker::SensorsOf(const mjModel& model, mjtSensor type) const {
  Sensors found{0, 0};
  for (int i = 0; i < model.nsensor; ++i) {
    if (model.sensor_type[i] != type || !IsWalkers(model, mjOBJ_SENSOR, i)) continue;
    if (found.count == 0) found.address = model.sensor_adr[i];
    if (model.sensor_adr[i] != found.address + found.count) {
      throw MujocoError("the model has sensors of a kind that are not side by side");
    }
    found.count += model.sensor_dim[i];
  }
  return found;
}

Layout Walker::Observations() const {
  const auto joints = static_cast<int>(qpos_.size());
  Layout layout = {{"walker.actuator_activation", {activations_}},
                   {"walker.appendages_pos", {15}},
                   {"walker.body_height", {}},
                   {"walker.end_effectors_pos", {12}},
                   {"walker.joints_pos", {joints}},
                   {"walker.joints_vel", {joints}},
                   {"walker.sensors_accelerometer", {accelerometer_.count}},
                   {"walker.sensors_force", {force_.count}},
                   {"walker.sensors_gyro", {gyro_.count}},
                   {"walker.sensors_torque", {torque_.count}},
                   {"walker.sensors_touch", {touch_.count}},
                   {"walker.sensors_velocimeter", {velocimeter_.count}}};
  if (anatomy_.tendons) {
    layout.push_back({"walker.tendons_pos", {tendons_}});
    layout.push_back({"walker.tendons_vel", {tendons_}});
  }
  layout.push_back({"walker.world_zaxis", {3}});
  return layout;
}

double* Walker::Observe(const Physics& physics, double* out) const {
  const mjData& data = physics.data();
  const auto sensors = [&](const Sensors& some, const auto& seen) {
    for (int i = 0; i < some.count; ++i) *out++ = seen(data.sensordata[some.address + i]);
  };
  const auto plain = [](double x) { return x; };
  out = std::copy_n(data.act, activations_, out);
  for (const int limb : limbs_) {
    const Vec3 away = Difference(physics.xpos(limb), physics.xpos(root_));
    for (const double x : RowTimesMatrix(away.data(), physics.xmat(root_))) *out++ = x;
  }
  *out++ = physics.xpos(root_)[kZ];
  for (const int sensor : end_effectors_) out = std::copy_n(data.sensordata + sensor, 3, out);
  for (const int i : qpos_) *out++ = data.qpos[i];
  for (const int i : qvel_) *out++ = data.qvel[i];
  sensors(accelerometer_, plain);
  sensors(force_, plain);
  sensors(gyro_, plain);
  sensors(torque_, [](double x) { return std::tanh(2 * x / kTorqueScale); });
  sensors(touch_, [](double x) { return x > kTouchThreshold ? 1.0 : 0.0; });
  sensors(velocimeter_, plain);
  out = std::copy_n(data.ten_length, tendons_, out);
  out = std::copy_n(data.ten_velocity, tendons_, out);
  return std::copy_n(physics.xmat(root_) + 6, 3, out);
}

void Walker::Stand(Physics& physics) const {
  // Other values are the model's, since the reset.
  mjtNum* pose = physics.data().qpos + free_qpos_;
  pose[kX] = pose[kY] = 0;
  pose[kZ] = anatomy_.height;
  std::array<double, 4> upright = anatomy_.upright;
  Normalize(upright);
  std::ranges::copy(upright, pose + 3);
}

void Walker::Shift(Physics& physics, double x, double y, double z) const {
  mjtNum* pose = physics.data().qpos + free_qpos_;
  pose[kX] += x;
  pose[kY] += y;
  pose[kZ] += z;
}

void Walker::Turn(Physics& physics, double angle) const {
  mjtNum* pose = physics.data().qpos + free_qpos_;
  const mjtNum turn[4] = {std::cos(angle / 2), 0, 0, std::sin(angle / 2)};
  std::array<double, 4> turned;
  mju_mulQuat(turned.data(), turn, pose + 3);
  Normalize(turned);
  std::ranges::copy(turned, pose + 3);
}

}  // namespace envpool::mujoco
