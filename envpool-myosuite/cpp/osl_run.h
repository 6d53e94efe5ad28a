// SPDX-License-Identifier: Apache-2.0
// Run along a track with a leg prosthesis. RunTrack of myosuite 2.12.2.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "joint_list.h"
#include "muscle_env.h"
#include "prosthesis.h"
#include "track_ground.h"

namespace envpool::myosuite {

struct OslRunSpec : MuscleSpec<OslRunSpec> {
  static constexpr Motors kMotors = Motors::kByTask;

  static auto DefaultConfig() {
    return MuscleOptions("envs/myo/assets/leg/myoosl_runtrack.xml", 10) +
           Dict{"terrain"_ = "flat",
                "hills_difficulties"_ = std::vector<double>{0.0},
                "rough_difficulties"_ = std::vector<double>{0.0},
                "stairs_difficulties"_ = std::vector<double>{0.0},
                "start_pos"_ = 14.0,
                "end_pos"_ = -15.0,
                "lost_steps"_ = 1000};
  }
  static SharedModel Model(const auto& config) { return TaskModel(config); }
  static auto StateSpec(const auto& config) {
    const SharedModel model = Model(config);
    const bool fits = model->njnt > 0 && model->jnt_type[0] == mjJNT_FREE && model->nkey >= 3 &&
                      model->nhfield > 0 && model->nu == model->na + 2;
    if (!fits) {
      throw OptionError("xml_file", "a model of other legs",
                        "one that begins with a free joint, and has 3 keyframes, a ground of "
                        "heights, and two motors beside muscles",
                        "pass such a model");
    }
    Chosen("terrain", config["terrain"_], {"flat", "random"});
    const auto check = [&](const char* option, const std::vector<double>& difficulties) {
      const auto count = static_cast<int>(difficulties.size()), rows = model->hfield_nrow[0] / 6;
      if (count < 1 || count > rows) {
        throw OptionError(option, std::to_string(count) + " numbers",
                          "1 to " + std::to_string(rows), "pass one for each patch of the track");
      }
      for (const double difficulty : difficulties) CheckNotNegative(option, difficulty);
    };
    check("hills_difficulties", config["hills_difficulties"_]);
    check("rough_difficulties", config["rough_difficulties"_]);
    check("stairs_difficulties", config["stairs_difficulties"_]);
    CheckAtLeast("lost_steps", config["lost_steps"_], 0);
    return MuscleState(
        config, model,
        2 * static_cast<int>(Joints().size()) + 10 + 3 * static_cast<int>(model->na));
  }
  static auto ActionSpec(const auto& config) {
    const int count = static_cast<int>(Model(config)->na);
    return Dict{"action"_ = Spec<float>({kPlayers, count}, std::tuple(-1.0f, 1.0f))};
  }
  /// The observed joints.
  static std::vector<std::string> Joints() {
    return {"hip_adduction_l",
            "hip_flexion_l",
            "hip_rotation_l",
            "hip_adduction_r",
            "hip_flexion_r",
            "hip_rotation_r",
            "knee_angle_l",
            "knee_angle_l_beta_rotation1",
            "knee_angle_l_beta_translation1",
            "knee_angle_l_beta_translation2",
            "knee_angle_l_rotation2",
            "knee_angle_l_rotation3",
            "knee_angle_l_translation1",
            "knee_angle_l_translation2",
            "mtp_angle_l",
            "ankle_angle_l",
            "subtalar_angle_l"};
  }
};

class OslRun final : public MuscleEnv<OslRunSpec> {
 public:
  OslRun(const Spec& spec, int env_id)
      : MuscleEnv(spec, env_id),
        is_flat_(std::string(spec.config["terrain"_]) == "flat"),
        hills_(spec.config["hills_difficulties"_]),
        rough_(spec.config["rough_difficulties"_]),
        stairs_(spec.config["stairs_difficulties"_]),
        start_y_(spec.config["start_pos"_]),
        end_y_(spec.config["end_pos"_]),
        lost_time_(dt() * static_cast<int>(spec.config["lost_steps"_])),
        joints_(model(), OslRunSpec::Joints()),
        leg_(model()),
        pelvis_(mujoco::BodyOf(model(), "pelvis")),
        head_(mujoco::SiteOf(model(), "head")),
        feet_{mujoco::BodyOf(model(), "talus_l"), mujoco::BodyOf(model(), "osl_foot_assembly")},
        soles_{mujoco::SiteOf(model(), "r_heel_btm"), mujoco::SiteOf(model(), "r_toe_btm"),
               mujoco::SiteOf(model(), "l_heel_btm"), mujoco::SiteOf(model(), "l_toe_btm")},
        forces_{SensorPlace("l_foot"), SensorPlace("l_toes")},
        load_place_(SensorPlace("r_osl_load") + 1),
        ground_(simulation().Own(&mjModel::hfield_data, static_cast<int>(model().nhfielddata)),
                model().hfield_nrow[0], model().hfield_ncol[0]) {
    const int terrain = mujoco::NumberOf(model(), mjOBJ_GEOM, "terrain");
    const double place[] = {0, 0, 0.005};
    std::copy_n(place, 3, OwnGeoms(&mjModel::geom_pos, 3) + 3 * terrain);
    for (int i = 0; i < simulation().sizes().nu; ++i) {
      if (model().actuator_dyntype[i] == mjDYN_MUSCLE) muscles_.push_back(i);
    }
    const auto name = [&](int i) { return std::string(mj_id2name(&model(), mjOBJ_ACTUATOR, i)); };
    std::sort(muscles_.begin(), muscles_.end(), [&](int a, int b) { return name(a) < name(b); });
  }

 private:
  static constexpr double kWidth = 1;  // half the track's width, in m

  void OnModelChange() override { leg_.Weigh(model()); }
  void Start() override {
    DrawGround();
    const auto key = static_cast<int>(gen_.Integers(0, 3));
    leg_.Begin(key == 1 ? Prosthesis::State::kEarlySwing : Prosthesis::State::kEarlyStance);
    std::copy_n(model().key_qpos + key * nq(), nq(), position().begin());
    std::copy_n(model().key_qvel + key * simulation().sizes().nv, simulation().sizes().nv,
                velocity().begin());
    position()[0] = gen_.Uniform(-kWidth * 0.8, kWidth * 0.8);
    position()[1] = start_y_ + 1;
    constexpr double kDegree = std::numbers::pi / 180.0;
    Turn(gen_.Uniform(-125 * kDegree, -60 * kDegree));
    // The lower sole is 5 mm above the ground.
    std::copy(position().begin(), position().end(), data().qpos);
    Place();
    double lowest = 100;
    for (const int sole : soles_) lowest = std::min(lowest, data().site_xpos[3 * sole + 2]);
    position()[2] = position()[2] + (0.005 - lowest);
  }
  void DrawGround() {
    ground_.Flatten();
    if (is_flat_) return;
    switch (gen_.Integers(0, 3)) {
      case 0:
        return ground_.Stairs(stairs_);
      case 1:
        return ground_.Hills(hills_);
      default:
        return ground_.Rough(rough_, gen_);
    }
  }
  /// Rotates the start to this angle about the vertical axis, in rad.
  void Turn(double yaw) {
    double* const q = position().data() + 3;
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double roll = std::atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
    const double sine = 2 * (w * y - z * x);
    const double pitch =
        std::abs(sine) >= 1 ? std::copysign(std::numbers::pi / 2, sine) : std::asin(sine);
    const double sr = std::sin(roll * 0.5), cr = std::cos(roll * 0.5);
    const double sp = std::sin(pitch * 0.5), cp = std::cos(pitch * 0.5);
    const double sy = std::sin(yaw * 0.5), cy = std::cos(yaw * 0.5);
    q[0] = cr * cp * cy + sr * sp * sy;
    q[1] = sr * cp * cy - cr * sp * sy;
    q[2] = cr * sp * cy + sr * cp * sy;
    q[3] = cr * cp * sy - sr * sp * cy;
    double* const v = velocity().data();
    const double speed = std::sqrt(v[0] * v[0] + v[1] * v[1]);
    v[0] = std::cos(yaw) * speed;
    v[1] = std::sin(yaw) * speed;
  }
  void BeforeStep() override { leg_.Control(model(), data(), load_, data().ctrl); }
  void Look(bool placed) override {
    if (!placed) SeeAll();
    load_ = -1 * data().sensordata[load_place_];
  }
  double* Observe(double* out) const override {
    out = joints_.WritePositions(data(), out);
    out = joints_.WriteVelocities(data(), dt(), out);
    for (const int force : forces_) *out++ = data().sensordata[force];
    out = std::copy_n(data().xquat + 4 * pelvis_, 4, out);
    out = std::copy_n(data().qpos, 2, out);
    out = std::copy_n(data().qvel, 2, out);
    return WriteActuators(muscles_, out);
  }
  Verdict Judge(const double* /*end*/, double /*effort*/) const override {
    const double x = data().qpos[0], y = data().qpos[1], head = data().site_xpos[3 * head_ + 2];
    const double feet = (data().xpos[3 * feet_[0] + 2] + data().xpos[3 * feet_[1] + 2]) / 2;
    const bool falls = head - feet < 0.2 || head < 0.2;
    const bool loses = x > kWidth || x < -kWidth || y > start_y_ + 2 || falls;
    const bool wins = y < end_y_;
    const double speed = -data().qvel[1];
    Verdict verdict{1 * speed + 10 * wins, speed, wins, loses || wins};
    if (loses) verdict.time = lost_time_;
    return verdict;
  }
  void SaveTask(StateWriter& out) const override {
    leg_.SaveState(out);
    out.Write(load_);
  }
  void LoadTask(StateReader& in) override {
    leg_.LoadState(in);
    in.Read(load_);
  }

  const bool is_flat_;
  const std::vector<double> hills_, rough_, stairs_;
  const double start_y_, end_y_, lost_time_;
  const JointList joints_;
  Prosthesis leg_;
  const int pelvis_, head_;
  const std::array<int, 2> feet_;
  const std::array<int, 4> soles_;
  const std::array<int, 2> forces_;
  const int load_place_;
  TrackGround ground_;
  std::vector<int> muscles_;  // ordered by name
  double load_ = 0;           // last observed load on the prosthesis, in N
};

}  // namespace envpool::myosuite
