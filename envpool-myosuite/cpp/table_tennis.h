// SPDX-License-Identifier: Apache-2.0
// Return a ball to the other half of the table. TableTennisEnvV0 of myosuite 2.12.2.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/numpy_math.h"
#include "joint_list.h"
#include "muscle_env.h"
#include "rally.h"
#include "table_tennis_model.h"
#include "three_between.h"
#include "touches.h"

namespace envpool::myosuite {

struct TableTennisSpec : MuscleSpec<TableTennisSpec> {
  static constexpr Motors kMotors = Motors::kOfRange;

  static auto DefaultConfig() {
    return MuscleOptions("envs/myo/assets/arm/myoarm_tabletennis.xml", 10) +
           Dict{"ball_xyz_low"_ = std::vector<double>{},
                "ball_xyz_high"_ = std::vector<double>{},
                "ball_friction_low"_ = std::vector<double>{},
                "ball_friction_high"_ = std::vector<double>{},
                "paddle_mass_range"_ = std::vector<double>{},
                "ball_qvel"_ = false};
  }
  static SharedModel Model(const auto& config) {
    return WithCondition(ModelStore::Built(mujoco::ModelIn(config), "table tennis", MakePlayer),
                         ConditionOf(config["muscle_condition"_]));
  }
  static auto StateSpec(const auto& config) {
    CheckThree("ball_xyz", config["ball_xyz_low"_], config["ball_xyz_high"_], true);
    CheckThree("ball_friction", config["ball_friction_low"_], config["ball_friction_high"_], true,
               0);
    const std::vector<double>&mass = config["paddle_mass_range"_], &low = config["ball_xyz_low"_];
    if (!mass.empty()) CheckRange("paddle_mass_range", mass, kLeastMass);
    if (config["ball_qvel"_] && (low.empty() || low[2] < kLowestStart)) {
      throw OptionError("ball_qvel", "true, and a ball that begins no higher than the table",
                        "true with a height in ball_xyz_low of " + std::to_string(kLowestStart) +
                            " or more, or false",
                        "pass ball_xyz_low and ball_xyz_high");
    }
    const SharedModel model = Model(config);
    if (model->nkey < 1) {
      throw OptionError("xml_file", "a model without a keyframe", "one that has some",
                        "pass such a model");
    }
    const int joints = Joints(*model).size();
    return MuscleState(config, model, 2 * joints + 28);
  }
  static auto ActionSpec(const auto& config) { return MuscleActions(*Model(config)); }
  /// The player's joints.
  static JointList Joints(const mjModel& model) {
    return JointList(model, [](std::string_view name) {
      return !name.starts_with("ping") && name != "paddle_freejoint";
    });
  }

 private:
  static constexpr double kLowestStart = 0.8;  // in m; the table is below
};

class TableTennis final : public MuscleEnv<TableTennisSpec> {
 public:
  TableTennis(const Spec& spec, int env_id)
      : MuscleEnv(spec, env_id),
        place_{spec.config["ball_xyz_low"_], spec.config["ball_xyz_high"_]},
        friction_{spec.config["ball_friction_low"_], spec.config["ball_friction_high"_]},
        mass_(spec.config["paddle_mass_range"_]),
        draws_velocity_(spec.config["ball_qvel"_]),
        joints_(TableTennisSpec::Joints(model())),
        pelvis_(mujoco::SiteOf(model(), "pelvis")),
        ball_site_(mujoco::SiteOf(model(), "pingpong")),
        paddle_site_(mujoco::SiteOf(model(), "paddle")),
        palm_(mujoco::SiteOf(model(), "S_grasp")),
        ball_(mujoco::BodyOf(model(), "pingpong")),
        paddle_(mujoco::BodyOf(model(), "paddle")),
        ball_geom_(GeomOf("pingpong")),
        touched_{GeomOf("pad"), GeomOf("coll_own_half"), GeomOf("coll_opponent_half"),
                 GeomOf("coll_net"), GeomOf("ground")},
        ball_place_(mujoco::PlaceOf(model(), "pingpong_freejoint")),
        ball_speed_(mujoco::VelocityOf(model(), "pingpong_freejoint")),
        bend_(mujoco::PlaceOf(model(), "flex_extension")),
        ball_sensor_(SensorPlace("pingpong_vel_sensor")),
        paddle_sensor_(SensorPlace("paddle_vel_sensor")),
        places_(OwnBodies(&mjModel::body_pos, 3)),
        masses_(OwnBodies(&mjModel::body_mass, 1)),
        frictions_(OwnGeoms(&mjModel::geom_friction, 3)) {}

 private:
  void Start() override {
    std::copy_n(model().key_qpos, nq(), position().begin());
    double* const speed = velocity().data() + ball_speed_;
    const double first[] = {5.6, 1.6, 0.1};
    std::copy_n(first, 3, speed);
    if (!mass_.empty()) masses_[paddle_] = gen_.Uniform(mass_[0], mass_[1]);
    if (!friction_.low.empty()) friction_.Draw(gen_, frictions_ + 3 * ball_geom_);
    if (place_.low.empty()) return;
    double* const place = position().data() + ball_place_;
    place_.Draw(gen_, place);
    std::copy_n(place, 3, places_ + 3 * ball_);
    if (draws_velocity_) DrawVelocity(place, speed);
  }
  /// Draws a velocity with which a ball from this place lands on the own half, in m/s.
  void DrawVelocity(const double* place, double* velocity) {
    static const volatile double kHalf = 0.5;  // an exponent; pow differs from np.sqrt
    const double up = gen_.Uniform(-0.1, 0.1);
    const double a = -0.5 * 9.81, c = place[2] - 0.785;
    const double root = std::pow(numpy::Square(up) - 4 * a * c, kHalf);
    const double time = (-up - root) / (2 * a);
    const double low[] = {(0.5 - place[0]) / time, (-0.60 - place[1]) / time, up};
    const double high[] = {(1.35 - place[0]) / time, (0.70 - place[1]) / time, up};
    for (int i = 0; i < 3; ++i) velocity[i] = gen_.Uniform(low[i], high[i]);
  }
  void Look(bool placed) override {
    if (placed) {
      rally_ = {};
    } else {
      SeeAll();
    }
    touches_.fill(0);
    ForTouching(model(), data(), ball_, [&](int geom) {
      const auto found = std::find(touched_.begin(), touched_.end(), geom);
      touches_[static_cast<std::size_t>(found - touched_.begin())] = 1;
    });
    rally_.See(touches_);
  }
  double* Observe(double* out) const override {
    out = std::copy_n(Site(pelvis_), 3, out);
    out = joints_.WritePositions(data(), out);
    for (const int place : joints_.velocities) *out++ = data().qvel[place];
    out = std::copy_n(Site(ball_site_), 3, out);
    out = std::copy_n(data().sensordata + ball_sensor_, 3, out);
    out = std::copy_n(Site(paddle_site_), 3, out);
    out = std::copy_n(data().sensordata + paddle_sensor_, 3, out);
    out = std::copy_n(data().xquat + 4 * paddle_, 4, out);
    for (int i = 0; i < 3; ++i) *out++ = Site(paddle_site_)[i] - Site(ball_site_)[i];
    return std::copy(touches_.begin(), touches_.end(), out);
  }
  Verdict Judge(const double* end, double effort) const override {
    // The paddle's initial orientation.
    constexpr double kTurn[] = {0.6994450614237633, -0.10571078187807806, 0.6988882962338909,
                                0.10562663504969944};
    double palm[3], turn[4];
    for (int i = 0; i < 3; ++i) palm[i] = Site(palm_)[i] - Site(paddle_site_)[i];
    for (int i = 0; i < 4; ++i) turn[i] = data().xquat[4 * paddle_ + i] - kTurn[i];
    const bool hits = touches_[0] == 1, solved = rally_.returned();
    const bool late = data().time > 3.0, falls = Site(ball_site_)[2] < 0.3;
    const bool done = late || falls || solved;
    double sum = 1.0 * std::exp(-1.0 * mujoco::RowNorm(end - 9, 3));
    sum += 1.0 * std::exp(-5.0 * mujoco::RowNorm(palm, 3));
    sum += 2.0 * std::exp(-5 * mujoco::RowNorm(turn, 4));
    sum += 0.5 * -effort;
    sum += 2.0 * std::exp(-5 * std::abs(data().qpos[bend_]));
    sum += 100.0 * hits;
    sum += 1000.0 * solved;
    sum += -10.0 * done;
    Verdict verdict{sum, static_cast<double>(hits), solved, done};
    if (!late && falls) verdict.time = 3.0;
    return verdict;
  }
  void SaveTask(StateWriter& out) const override { out.Write(rally_, touches_); }
  void LoadTask(StateReader& in) override { in.Read(rally_, touches_); }

  int GeomOf(const char* name) const { return mujoco::NumberOf(model(), mjOBJ_GEOM, name); }
  const double* Site(int site) const { return data().site_xpos + 3 * site; }

  const ThreeBetween place_, friction_;
  const std::vector<double> mass_;
  const bool draws_velocity_;
  const JointList joints_;
  const int pelvis_, ball_site_, paddle_site_, palm_, ball_, paddle_, ball_geom_;
  const std::array<int, 5> touched_;
  const int ball_place_, ball_speed_, bend_, ball_sensor_, paddle_sensor_;
  mjtNum *const places_, *const masses_, *const frictions_;
  Rally rally_;
  BallTouches touches_{};
};

}  // namespace envpool::myosuite
