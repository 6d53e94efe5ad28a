// SPDX-License-Identifier: Apache-2.0
// dog: stand, walk, trot or run on four legs, or fetch a ball.
#include <array>
#include <cmath>
#include <numbers>

#include "dm_control/tasks.h"
#include "dm_control/vectors.h"

namespace envpool::mujoco {
namespace {

class Stand : public Task {
 public:
  explicit Stand(const mjModel& model)
      : Task(model),
        torso_(Names(model).body("torso")),
        pelvis_(Names(model).body("pelvis")),
        skull_(Names(model).body("skull")),
        root_(Names(model).qpos("root")),
        velocity_(Names(model).sensor("torso_linvel")) {
    const Names names(model);
    for (int joint = 0; joint < model.njnt; ++joint) {
      if (model.jnt_type[joint] == mjJNT_HINGE) hinges_.push_back(joint);
    }
    for (const char* name : {"accelerometer", "velocimeter", "gyro"}) {
      inertial_.push_back(names.sensor(name));
    }
    for (const char* name : {"foot_L", "foot_R", "hand_L", "hand_R"}) {
      forces_.push_back(names.sensor(name));
    }
    for (const char* name : {"palm_L", "palm_R", "sole_L", "sole_R"}) {
      touch_.push_back(names.sensor(name));
    }
  }

  Layout Observations() const override {
    const int hinges = static_cast<int>(hinges_.size());
    return {{"joint_angles", {hinges}}, {"joint_velocites", {hinges}}, {"torso_pelvis_height", {2}},
            {"z_projection", {9}},      {"torso_com_velocity", {3}},   {"inertial_sensors", {9}},
            {"foot_forces", {12}},      {"touch_sensors", {4}},        {"actuator_state", {na()}}};
  }
  Simulation::Sensors sensors() const final { return Simulation::Sensors::kAll; }
  bool SameWithoutMidphase() const final { return false; }

  void Start(Physics& physics) override {
    // At the height of its default pose.
    physics.Forward();
    torso_height_ = physics.xpos(torso_)[kZ] * 0.9;
    pelvis_height_ = physics.xpos(pelvis_)[kZ] * 0.9;
    auto& random = physics.random();
    mjData& data = physics.data();
    const double azimuth = random.Uniform(0, 2 * std::numbers::pi);
    const std::array<double, 4> rotation = {std::cos(azimuth / 2), 0, 0, std::sin(azimuth / 2)};
    std::ranges::copy(rotation, data.qpos + root_ + 3);
    for (const int dof : {0, 1, 5}) data.qvel[dof] = 2 * random.Randn();
    for (int i = 0; i < nu(); ++i) {
      const mjtNum* range = physics.model().actuator_ctrlrange + 2 * i;
      data.act[i] = random.Uniform(range[0], range[1]);
    }
  }

  double* Observe(const Physics& physics, double* out) const override {
    const mjModel& model = physics.model();
    const mjData& data = physics.data();
    for (const int hinge : hinges_) *out++ = data.qpos[model.jnt_qposadr[hinge]];
    for (const int hinge : hinges_) *out++ = data.qvel[model.jnt_dofadr[hinge]];
    for (const int body : {torso_, pelvis_}) *out++ = physics.xpos(body)[kZ];
    for (const int body : {skull_, torso_, pelvis_}) {
      for (const int column : {kX, kY, kZ}) *out++ = physics.axis(body, kZ, column);
    }
    for (const double x : TorsoVelocity(physics)) *out++ = x;
    for (const int sensor : inertial_) out = Copy(data.sensordata + sensor, 3, out);
    for (const int sensor : forces_) out = Copy(data.sensordata + sensor, 3, out);
    for (const int sensor : touch_) *out++ = data.sensordata[sensor];
    return Copy(data.act, na(), out);
  }

  double Reward(const Physics& physics) const override { return StandReward(physics); }

  void Save(envpool::StateWriter& out) const final { out.Write(torso_height_, pelvis_height_); }
  void Load(envpool::StateReader& in) final { in.Read(torso_height_, pelvis_height_); }

 protected:
  /// Velocity of the center of mass in the torso's frame.
  Vec3 TorsoVelocity(const Physics& physics) const {
    return TimesMatrix(physics.data().sensordata + velocity_, physics.xmat(torso_));
  }

  double StandReward(const Physics& physics) const {
    const auto high = [&](int body, double enough) {
      return Tolerance(physics.xpos(body)[kZ],
                       {.lower = enough, .upper = kInfinity, .margin = enough});
    };
    static const double within_30_degrees = std::cos(30 * (std::numbers::pi / 180));
    double reward = high(torso_, torso_height_) * high(pelvis_, pelvis_height_);
    for (const int body : {skull_, torso_, pelvis_}) {
      reward *= Tolerance(physics.axis(body, kZ, kZ), {.lower = within_30_degrees,
                                                       .upper = kInfinity,
                                                       .margin = within_30_degrees + 1,
                                                       .shape = Shape::kLinear,
                                                       .at_margin = 0});
    }
    // Its feet carry its weight.
    const mjModel& model = physics.model();
    const double weight = -model.opt.gravity[kZ] * model.body_subtreemass[torso_];
    const auto force = [&](int i) {
      return physics.data().sensordata[touch_[static_cast<std::size_t>(i)]];
    };
    return reward * Tolerance(numpy::PairwiseSum(force, 0, static_cast<int>(touch_.size())),
                              {.lower = weight,
                               .upper = kInfinity,
                               .margin = weight,
                               .shape = Shape::kLinear,
                               .at_margin = 0.9});
  }

 private:
  const int torso_, pelvis_, skull_, root_, velocity_;
  std::vector<int> hinges_, inertial_, forces_, touch_;
  double torso_height_ = 0, pelvis_height_ = 0;  // heights above which it stands
};

class Move final : public Stand {
 public:
  Move(const mjModel& model, double speed) : Stand(model), speed_(speed) {}

  double Reward(const Physics& physics) const override {
    const double forward = Tolerance(TorsoVelocity(physics)[kX], {.lower = speed_,
                                                                  .upper = 2 * speed_,
                                                                  .margin = std::max(1.0, speed_),
                                                                  .shape = Shape::kLinear,
                                                                  .at_margin = 0});
    return StandReward(physics) * ((4 * forward + 1) / 5);
  }

 private:
  const double speed_;
};

class Fetch final : public Stand {
 public:
  explicit Fetch(const mjModel& model)
      : Stand(model),
        floor_(Names(model).geom("floor")),
        ball_(Names(model).geom("ball")),
        target_(Names(model).geom("target")),
        head_(Names(model).site("head")),
        upper_bite_(Names(model).site("upper_bite")),
        lower_bite_(Names(model).site("lower_bite")),
        ball_position_(Names(model).qpos("ball_root")),
        ball_velocity_(Names(model).qvel("ball_root")) {}

  Layout Observations() const override {
    Layout layout = Stand::Observations();
    layout.push_back({"ball_state", {6}});
    layout.push_back({"target_position", {3}});
    return layout;
  }

  // The ball flies towards the middle.
  void Start(Physics& physics) override {
    Stand::Start(physics);
    auto& random = physics.random();
    mjtNum* position = physics.data().qpos + ball_position_;
    mjtNum* velocity = physics.data().qvel + ball_velocity_;
    const double radius = 0.75 * FloorSize(physics);
    const double azimuth = random.Uniform(0, 2 * std::numbers::pi);
    position[kX] = radius * std::sin(azimuth);
    position[kY] = radius * std::cos(azimuth);
    position[kZ] = 0.05;
    const double height = random.Uniform(0, 3);
    velocity[kZ] = std::sqrt(2 * -physics.model().opt.gravity[kZ] * height);
    const double speed = random.Uniform(0, 5);
    velocity[kX] = speed * (-std::sin(azimuth) + 0.05 * random.Randn());
    velocity[kY] = speed * (-std::cos(azimuth) + 0.05 * random.Randn());
  }

  double* Observe(const Physics& physics, double* out) const override {
    out = Stand::Observe(physics, out);
    const mjtNum* head = physics.site_xpos(head_);
    const Vec3 head_velocity = VelocityOf(physics, mjOBJ_SITE, head_);
    const Vec3 ball_velocity = VelocityOf(physics, mjOBJ_GEOM, ball_);
    for (const Vec3& v : {Difference(physics.geom_xpos(ball_), head),
                          Difference(ball_velocity.data(), head_velocity.data()),
                          Difference(physics.geom_xpos(target_), head)}) {
      for (const double x : TimesMatrix(v.data(), physics.data().site_xmat + 9 * head_)) {
        *out++ = x;
      }
    }
    return out;
  }

  double Reward(const Physics& physics) const override {
    const mjModel& model = physics.model();
    const mjtNum* ball = physics.geom_xpos(ball_);
    const double to_mouth = 0.5 * (Distance(ball, physics.site_xpos(upper_bite_)) +
                                   Distance(ball, physics.site_xpos(lower_bite_)));
    const double to_target = Distance(ball, physics.geom_xpos(target_));
    const double target_radius = model.geom_size[3 * target_];
    const double at_mouth = Tolerance(
        to_mouth,
        {.upper = model.site_size[3 * upper_bite_], .margin = 2, .shape = Shape::kReciprocal});
    const double at_target = Tolerance(
        to_target,
        {.upper = target_radius, .margin = FloorSize(physics), .shape = Shape::kReciprocal});
    // The dog may let the ball go at the target.
    const double reach = to_target < 2 * target_radius ? 1 : (6 * at_mouth + 1) / 7;
    return StandReward(physics) * reach * ((at_target + 1) / 2);
  }

 private:
  double FloorSize(const Physics& physics) const { return physics.model().geom_size[3 * floor_]; }
  static Vec3 VelocityOf(const Physics& physics, mjtObj type, int id) {
    mjtNum velocity[6];  // the angular velocity first
    mj_objectVelocity(&physics.model(), &physics.data(), type, id, velocity, 0);
    return {velocity[3], velocity[4], velocity[5]};
  }

  const int floor_, ball_, target_, head_, upper_bite_, lower_bite_;
  const int ball_position_, ball_velocity_;
};

}  // namespace

std::unique_ptr<Task> MakeDog(const std::string& task, const mjModel& model) {
  if (task == "stand") return std::make_unique<Stand>(model);
  if (task == "walk") return std::make_unique<Move>(model, 1);
  if (task == "trot") return std::make_unique<Move>(model, 3);
  if (task == "run") return std::make_unique<Move>(model, 9);
  if (task == "fetch") return std::make_unique<Fetch>(model);
  return nullptr;
}

}  // namespace envpool::mujoco
