// SPDX-License-Identifier: Apache-2.0
// quadruped: walk or run on four legs, escape from a bowl, or bring a ball to a target.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "dm_control/find_height.h"
#include "dm_control/randomizers.h"
#include "dm_control/tasks.h"
#include "dm_control/terrain.h"
#include "dm_control/vectors.h"

namespace envpool::mujoco {
namespace {

class Quadruped : public Task {
 public:
  explicit Quadruped(const mjModel& model)
      : Task(model),
        torso_(Names(model).body("torso")),
        root_(Names(model).qpos("root")),
        root_velocity_(Names(model).qvel("root")),
        velocity_(Names(model).sensor("velocimeter")),
        workspace_(Names(model).site("workspace")) {
    for (int joint = 0; joint < model.njnt; ++joint) {
      if (model.jnt_type[joint] == mjJNT_HINGE) hinges_.push_back(joint);
    }
    AddSensors(model, {mjSENS_ACCELEROMETER, mjSENS_GYRO}, imu_);
    AddSensors(model, {mjSENS_FORCE, mjSENS_TORQUE}, forces_);
  }

  Layout Observations() const override {
    return {{"egocentric_state", {2 * static_cast<int>(hinges_.size()) + na()}},
            {"torso_velocity", {3}},
            {"torso_upright", {}},
            {"imu", {static_cast<int>(imu_.size())}},
            {"force_torque", {static_cast<int>(forces_.size())}}};
  }
  Simulation::Sensors sensors() const override { return Simulation::Sensors::kAll; }
  bool SameWithoutMidphase() const override { return false; }

  double* Observe(const Physics& physics, double* out) const override {
    const mjModel& model = physics.model();
    const mjData& data = physics.data();
    for (const int hinge : hinges_) *out++ = data.qpos[model.jnt_qposadr[hinge]];
    for (const int hinge : hinges_) *out++ = data.qvel[model.jnt_dofadr[hinge]];
    out = Copy(data.act, na(), out);
    out = Copy(data.sensordata + velocity_, 3, out);
    *out++ = physics.axis(torso_, kZ, kZ);
    for (const int i : imu_) *out++ = data.sensordata[i];
    for (const int i : forces_) *out++ = std::asinh(data.sensordata[i]);
    return out;
  }

 protected:
  /// The numbers of all sensors of some types, in sensor order.
  static void AddSensors(const mjModel& model, std::initializer_list<mjtSensor> types,
                         std::vector<int>& numbers) {
    for (int sensor = 0; sensor < model.nsensor; ++sensor) {
      if (std::ranges::find(types, model.sensor_type[sensor]) == types.end()) continue;
      for (int i = 0; i < model.sensor_dim[sensor]; ++i) {
        numbers.push_back(model.sensor_adr[sensor] + i);
      }
    }
  }

  void FindHeight(Physics& physics, const std::array<double, 4>& rotation, double x = 0,
                  double y = 0) const {
    mujoco::FindHeight(physics, root_, rotation, x, y);
  }

  double UprightReward(const Physics& physics, double degrees = 0) const {
    const double enough = std::cos(degrees * (std::numbers::pi / 180));
    return Tolerance(physics.axis(torso_, kZ, kZ), {.lower = enough,
                                                    .upper = kInfinity,
                                                    .margin = 1 + enough,
                                                    .shape = Shape::kLinear,
                                                    .at_margin = 0});
  }
  Vec3 InTorsoFrame(const Physics& physics, const Vec3& v) const {
    return TimesMatrix(v.data(), physics.xmat(torso_));
  }

  const int torso_, root_, root_velocity_, velocity_, workspace_;

 private:
  std::vector<int> hinges_, imu_, forces_;
};

class Move final : public Quadruped {
 public:
  Move(const mjModel& model, double speed) : Quadruped(model), speed_(speed) {}

  void Start(Physics& physics) override { FindHeight(physics, RandomRotation(physics.random())); }
  double Reward(const Physics& physics) const override {
    const double moves = Tolerance(physics.data().sensordata[velocity_], {.lower = speed_,
                                                                          .upper = kInfinity,
                                                                          .margin = speed_,
                                                                          .shape = Shape::kLinear,
                                                                          .at_margin = 0.5});
    return UprightReward(physics) * moves;
  }

 private:
  const double speed_;
};

class Escape final : public Quadruped {
 public:
  explicit Escape(const mjModel& model) : Quadruped(model), bowl_(SquareRows(model), 0.04) {
    AddSensors(model, {mjSENS_RANGEFINDER}, ranges_);
  }

  Layout Observations() const override {
    Layout layout = Quadruped::Observations();
    layout.push_back({"origin", {3}});
    layout.push_back({"rangefinder", {static_cast<int>(ranges_.size())}});
    return layout;
  }

  void Prepare(Physics& physics) override {
    terrain_ = physics.Own(&mjModel::hfield_data, physics.model().nhfielddata);
  }
  void Start(Physics& physics) override {
    const mjModel& model = physics.model();
    const auto bumps = static_cast<std::size_t>(2 * model.hfield_size[0] / 2);
    bowl_.Fill(physics.random(), bumps, 0.15, terrain_);
    FindHeight(physics, RandomRotation(physics.random()));
  }

  double* Observe(const Physics& physics, double* out) const override {
    out = Quadruped::Observe(physics, out);
    const mjtNum* torso = physics.xpos(torso_);
    for (const double x : InTorsoFrame(physics, {torso[kX], torso[kY], torso[kZ]})) *out++ = -x;
    for (const int i : ranges_) {
      const double range = physics.data().sensordata[i];
      *out++ = range == -1 ? 1 : std::tanh(range);  // -1: the ray hit nothing
    }
    return out;
  }
  double Reward(const Physics& physics) const override {
    const double radius = physics.model().hfield_size[0];
    const double escape =
        Tolerance(numpy::Norm(physics.site_xpos(workspace_), 3), {.lower = radius,
                                                                  .upper = kInfinity,
                                                                  .margin = radius,
                                                                  .shape = Shape::kLinear,
                                                                  .at_margin = 0});
    return UprightReward(physics, 20) * escape;
  }

 private:
  const Bowl bowl_;
  std::vector<int> ranges_;
  float* terrain_ = nullptr;
};

class Fetch final : public Quadruped {
 public:
  explicit Fetch(const mjModel& model)
      : Quadruped(model),
        floor_(Names(model).geom("floor")),
        ball_(Names(model).body("ball")),
        ball_geom_(Names(model).geom("ball")),
        ball_position_(Names(model).qpos("ball_root")),
        ball_velocity_(Names(model).qvel("ball_root")),
        target_(Names(model).site("target")) {}

  Layout Observations() const override {
    Layout layout = Quadruped::Observations();
    layout.push_back({"ball_state", {9}});
    layout.push_back({"target_position", {3}});
    return layout;
  }

  void Start(Physics& physics) override {
    auto& random = physics.random();
    const double azimuth = random.Uniform(0, 2 * std::numbers::pi);
    const double radius = 0.9 * FloorSize(physics);
    const double x = random.Uniform(-radius, radius);
    const double y = random.Uniform(-radius, radius);
    FindHeight(physics, {std::cos(azimuth / 2), 0, 0, std::sin(azimuth / 2)}, x, y);
    mjtNum* ball = physics.data().qpos + ball_position_;
    for (const int i : {kX, kY}) ball[i] = random.Uniform(-radius, radius);
    ball[kZ] = 2;
    for (const int i : {kX, kY}) physics.data().qvel[ball_velocity_ + i] = 5 * random.Randn();
  }

  double* Observe(const Physics& physics, double* out) const override {
    out = Quadruped::Observe(physics, out);
    const mjtNum* ball_velocity = physics.data().qvel + ball_velocity_;
    const Vec3 rotation = {ball_velocity[3], ball_velocity[4], ball_velocity[5]};
    for (const Vec3& v :
         {Difference(physics.xpos(ball_), physics.xpos(torso_)),
          Difference(ball_velocity, physics.data().qvel + root_velocity_), rotation}) {
      for (const double x : RowTimesMatrix(v.data(), physics.xmat(torso_))) *out++ = x;
    }
    const Vec3 to_target = Difference(physics.site_xpos(target_), physics.xpos(torso_));
    return std::ranges::copy(InTorsoFrame(physics, to_target), out).out;
  }
  double Reward(const Physics& physics) const override {
    const mjModel& model = physics.model();
    const double arena = FloorSize(physics) * std::sqrt(2.0);
    const auto near = [&](int site, double within) {
      const Vec3 away = Difference(physics.site_xpos(site), physics.xpos(ball_));
      return Tolerance(numpy::Norm(away.data(), 2),
                       {.upper = within, .margin = arena, .shape = Shape::kLinear, .at_margin = 0});
    };
    const double reach =
        near(workspace_, model.site_size[3 * workspace_] + model.geom_size[3 * ball_geom_]);
    const double fetch = near(target_, model.site_size[3 * target_]);
    return UprightReward(physics) * (reach * (0.5 + 0.5 * fetch));
  }

 private:
  double FloorSize(const Physics& physics) const { return physics.model().geom_size[3 * floor_]; }

  const int floor_, ball_, ball_geom_, ball_position_, ball_velocity_, target_;
};

}  // namespace

std::unique_ptr<Task> MakeQuadruped(const std::string& task, const mjModel& model) {
  if (task == "walk") return std::make_unique<Move>(model, 0.5);
  if (task == "run") return std::make_unique<Move>(model, 5);
  if (task == "escape") return std::make_unique<Escape>(model);
  if (task == "fetch") return std::make_unique<Fetch>(model);
  return nullptr;
}

}  // namespace envpool::mujoco
