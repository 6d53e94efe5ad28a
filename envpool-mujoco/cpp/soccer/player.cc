// SPDX-License-Identifier: Apache-2.0
#include "soccer/player.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>
#include <utility>

#include "dm_control/names.h"
#include "dm_control/vectors.h"
#include "envpool/numpy_math.h"

namespace envpool::mujoco {
namespace {

const PlayerAnatomy kBoxHead = {"head_body", {"head_body"}, true};
const PlayerAnatomy kAnt = {
    "torso", {"front_left_foot", "front_right_foot", "back_right_foot", "back_left_foot"}, false};

const char* const kGoalNames[] = {"team_goal_back_right",      "team_goal_mid",
                                  "team_goal_front_left",      "field_front_left",
                                  "opponent_goal_back_left",   "opponent_goal_mid",
                                  "opponent_goal_front_right", "field_back_right"};
const char* const kStatistics[] = {"stats_vel_to_ball",
                                   "stats_closest_vel_to_ball",
                                   "stats_veloc_forward",
                                   "stats_vel_ball_to_goal",
                                   "stats_home_avg_teammate_dist",
                                   "stats_teammate_spread_out",
                                   "stats_home_score",
                                   "stats_away_score"};

std::string NameOf(Team team, int number) {
  return (team == Team::kHome ? "home" : "away") + std::to_string(number) + "/";
}

/// v.dot(xmat[:2, :2]).
double* InFrame2(const double* v, const mjtNum* m, double* out) {
  for (int i = 0; i < 2; ++i) {
    *out++ = numpy::AddProduct(v[1], m[3 + i], numpy::AddProduct(v[0], m[i], 0)) + 0.0;
  }
  return out;
}

}  // namespace

Player::Player(const mjModel& model, const PlayerAnatomy& anatomy, std::string name, Team team,
               int team_size, int number)
    : name_(std::move(name)),
      team_(team),
      root_(Names(model).body(name_ + anatomy.root)),
      ball_(Names(model).geom("soccer_ball/geom")),
      ball_velocity_(Names(model).sensor("soccer_ball/linear_velocity")),
      rolls_(anatomy.rolls) {
  const Names names(model);
  const auto is_mine = [&](mjtObj type, int id) {
    const char* found = mj_id2name(&model, type, id);
    return found != nullptr && std::string_view(found).starts_with(name_);
  };
  for (int i = 0; i < model.ngeom; ++i) {
    if (!is_mine(mjOBJ_GEOM, i)) continue;
    if (end_geom_ == 0) first_geom_ = i;
    end_geom_ = i + 1;
  }
  for (int i = 0; i < model.nu; ++i) {
    if (!is_mine(mjOBJ_ACTUATOR, i)) continue;
    if (controls_++ == 0) first_control_ = i;
    const int joint = model.actuator_trnid[2 * i];
    if (anatomy.rolls && joint != names.joint(name_ + "kick")) continue;
    qpos_.push_back(model.jnt_qposadr[joint]);
    qvel_.push_back(model.jnt_dofadr[joint]);
  }
  if (anatomy.rolls) {
    for (const char* joint : {"root_x/", "root_y/", "steer"}) {
      starts_.push_back(names.qpos(name_ + joint));
    }
  } else {
    starts_.push_back(names.qpos(name_));
  }

  std::vector<std::string> effectors;
  for (const char* one : anatomy.end_effectors) effectors.push_back(one);
  const auto with = [](std::vector<std::string> of, const std::string& end) {
    for (std::string& one : of) one += end;
    return of;
  };
  if (!anatomy.rolls) {
    std::vector<std::string> bodies;
    for (int i = 0; i < model.nbody; ++i) {
      const char* body = mj_id2name(&model, mjOBJ_BODY, i);
      if (is_mine(mjOBJ_BODY, i) && name_ != body) bodies.push_back(body + name_.size());
    }
    Sense(model, "appendages_pos", with(effectors, "_appendage"));
    Sense(model, "bodies_pos", with(bodies, "_ego_body_pos"));
    Sense(model, "bodies_quats", with(bodies, "_ego_body_quat"));
  }
  Sense(model, "end_effectors_pos", with(effectors, "_end_effector"));
  for (const auto& [observation, type] : {std::pair("sensors_accelerometer", mjSENS_ACCELEROMETER),
                                          std::pair("sensors_gyro", mjSENS_GYRO),
                                          std::pair("sensors_velocimeter", mjSENS_VELOCIMETER)}) {
    std::vector<std::string> sensors;
    for (int i = 0; i < model.nsensor; ++i) {
      if (model.sensor_type[i] != type || !is_mine(mjOBJ_SENSOR, i)) continue;
      sensors.push_back(mj_id2name(&model, mjOBJ_SENSOR, i) + name_.size());
    }
    Sense(model, observation, sensors);
    velocimeter_ = sensed_.back().places.at(0).first;  // of the last one
  }
  Sense(model, "ball_ego_angular_velocity", {"ball_ego_angvel"});
  Sense(model, "ball_ego_position", {"ball_ego_pos"});
  Sense(model, "ball_ego_linear_velocity", {"ball_ego_linvel"});
  for (const Team other : {team_, team_ == Team::kHome ? Team::kAway : Team::kHome}) {
    int seen = 0;
    for (int i = 0; i < team_size; ++i) {
      if (other == team_ && i == number) continue;
      const char* const kind = other == team_ ? "teammate_" : "opponent_";
      SenseOther(model, anatomy, NameOf(other, i), kind + std::to_string(seen++));
    }
  }
}

void Player::Sense(const mjModel& model, const std::string& observation,
                   const std::vector<std::string>& sensors) {
  Sensed sensed{observation, {}, 0};
  for (const std::string& sensor : sensors) {
    const std::string name = sensor.find('/') == sensor.npos ? name_ + sensor : sensor;
    const int id = mj_name2id(&model, mjOBJ_SENSOR, name.c_str());
    if (id < 0) throw MujocoError("the model has no sensor '" + name + "'");
    sensed.places.emplace_back(model.sensor_adr[id], model.sensor_dim[id]);
    sensed.size += model.sensor_dim[id];
  }
  sensed_.push_back(std::move(sensed));
}

void Player::SenseOther(const mjModel& model, const PlayerAnatomy& anatomy, const std::string& name,
                        const std::string& seen_as) {
  std::vector<std::string> ends, own_ends, axes;
  for (const char* effector : anatomy.end_effectors) {
    ends.push_back(effector + ("_" + seen_as) + "_end_effector");
    own_ends.push_back(name + effector + "_end_effector");
  }
  for (const char* axis : {"_x", "_y", "_z"}) axes.push_back(seen_as + "_ego_orientation" + axis);
  Sense(model, seen_as + "_ego_end_effectors_pos", ends);
  Sense(model, seen_as + "_ego_linear_velocity", {seen_as + "_ego_linear_velocity"});
  Sense(model, seen_as + "_ego_position", {seen_as + "_ego_position"});
  Sense(model, seen_as + "_ego_orientation", axes);
  // As the other one feels them.
  Sense(model, seen_as + "_end_effectors_pos", own_ends);
}

void Player::Start(Physics& physics, const std::array<double, 2>& range) const {
  mjtNum* qpos = physics.data().qpos;
  const double x = physics.random().Uniform(-range[0], range[0]);
  const double y = physics.random().Uniform(-range[1], range[1]);
  const double angle = physics.random().Uniform(-std::numbers::pi, std::numbers::pi);
  const double c = std::cos(angle / 2), s = std::sin(angle / 2);
  if (rolls_) {
    qpos[starts_[0]] = x;
    qpos[starts_[1]] = y;
    // From the quaternion, as its set_pose has it.
    qpos[starts_[2]] = std::atan2(2 * (c * s), 1 - 2 * numpy::Square(s));
    return;
  }
  mjtNum* pose = qpos + starts_[0];
  pose[kX] = x;
  pose[kY] = y;
  pose[kZ] = 0;
  std::array<double, 4> turned = {c, 0, 0, s};
  Normalize(turned);
  std::ranges::copy(turned, pose + 3);
}

Layout Player::Observations() const {
  const auto joints = static_cast<int>(qpos_.size());
  Layout layout = {{"body_height", {}},
                   {"joints_pos", {joints}},
                   {"joints_vel", {joints}},
                   {"prev_action", {controls_}},
                   {"world_zaxis", {3}}};
  for (const Sensed& sensed : sensed_) layout.push_back({sensed.name, {sensed.size}});
  for (const char* name : kGoalNames) {
    layout.push_back({name, {std::string_view(name).ends_with("mid") ? 3 : 2}});
  }
  for (const char* name : kStatistics) layout.push_back({name, {}});
  return layout;
}

double* Player::Observe(const Physics& physics, const Pitch& pitch,
                        const std::vector<Player>& players, std::optional<Team> scored,
                        double* out) const {
  const mjData& data = physics.data();
  *out++ = physics.xpos(root_)[kZ];
  for (const int i : qpos_) *out++ = data.qpos[i];
  for (const int i : qvel_) *out++ = data.qvel[i];
  out = std::copy_n(data.ctrl + first_control_, controls_, out);
  out = std::copy_n(physics.xmat(root_) + 6, 3, out);
  for (const Sensed& sensed : sensed_) {
    for (const auto& [place, count] : sensed.places) {
      out = std::copy_n(data.sensordata + place, count, out);
    }
  }
  out = ObserveGoals(physics, pitch, out);
  return ObserveStatistics(physics, pitch, players, scored, out);
}

double* Player::ObserveGoals(const Physics& physics, const Pitch& pitch, double* out) const {
  const mjtNum *root = physics.xpos(root_), *frame = physics.xmat(root_);
  const auto corner = [&](const Vec3& place) {
    const double away[2] = {place[0] - root[0], place[1] - root[1]};
    out = InFrame2(away, frame, out);
  };
  const auto whole = [&](const Vec3& place) {
    const Vec3 away = Difference(place.data(), root);
    for (const double x : TimesMatrix(away.data(), frame)) *out++ = x;
  };
  // From right to left in its own goal, then along the field and around.
  const bool home = team_ == Team::kHome;
  for (const bool own : {true, false}) {
    const bool is_home = home == own;
    const Zone& goal = pitch.goal(is_home ? Team::kHome : Team::kAway);
    corner(is_home ? goal.lower : goal.upper);
    whole(goal.middle());
    corner(is_home ? goal.upper : goal.lower);
    corner(is_home ? pitch.field().upper : pitch.field().lower);
  }
  return out;
}

double Player::SpeedToBall(const Physics& physics) const {
  const Vec3 away = Difference(physics.geom_xpos(ball_), physics.xpos(root_));
  const double norm = numpy::Norm(away.data(), 2) + 1e-7;
  const double way[2] = {away[0] / norm, away[1] / norm};
  return numpy::Dot(way, physics.data().cvel + 6 * root_ + 3, 2);
}

double* Player::ObserveStatistics(const Physics& physics, const Pitch& pitch,
                                  const std::vector<Player>& players, std::optional<Team> scored,
                                  double* out) const {
  const mjtNum* ball = physics.geom_xpos(ball_);
  const double speed = SpeedToBall(physics);
  const Player* closest = nullptr;
  double nearest = std::numeric_limits<double>::infinity();
  double distances[16];
  int mates = 0;
  for (const Player& other : players) {
    if (other.team_ != team_) continue;
    const double to_ball = Distance(ball, physics.xpos(other.root_));
    if (to_ball < nearest) {
      nearest = to_ball;
      closest = &other;
    }
    if (other.root_ == root_) continue;
    distances[mates++] = Distance(physics.xpos(root_), physics.xpos(other.root_));
  }
  *out++ = speed;
  *out++ = closest != nullptr && closest->root_ == root_ ? speed : 0;
  *out++ = physics.data().sensordata[velocimeter_];
  const Vec3 goal = pitch.goal(team_ == Team::kHome ? Team::kAway : Team::kHome).middle();
  Vec3 way = Difference(goal.data(), ball);
  const double norm = numpy::Norm(way.data(), 3);
  for (double& x : way) x = norm != 0 ? x / norm : x;
  *out++ = numpy::Dot(way.data(), physics.data().sensordata + ball_velocity_, 3);
  const double mean = mates > 0 ? numpy::Sum(distances, mates) / mates : 0;
  *out++ = mean;
  *out++ = mean > 5 ? 1 : 0;
  *out++ = scored == team_ ? 1 : 0;
  *out++ = scored && *scored != team_ ? 1 : 0;
  return out;
}

std::vector<Player> Players(const mjModel& model, const std::string& kind, int team_size) {
  const PlayerAnatomy& anatomy = kind == "ant" ? kAnt : kBoxHead;
  std::vector<Player> players;
  for (const Team team : {Team::kHome, Team::kAway}) {
    for (int i = 0; i < team_size; ++i) {
      players.emplace_back(model, anatomy, NameOf(team, i), team, team_size, i);
    }
  }
  return players;
}

}  // namespace envpool::mujoco
