// SPDX-License-Identifier: Apache-2.0
// Shoot a ball into a goal with a whole body without arms. SoccerEnvV0 of myosuite 2.12.2.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "envpool/numpy_math.h"
#include "goalkeeper.h"
#include "joint_list.h"
#include "muscle_env.h"

namespace envpool::myosuite {

struct SoccerSpec : MuscleSpec<SoccerSpec> {
  static auto DefaultConfig() {
    return MuscleOptions("envs/myo/assets/leg_soccer/myolegs_soccer.xml", 10) +
           Dict{"reset_type"_ = "none",
                "goalkeeper_probabilities"_ = std::vector<double>{0.0, 0.0, 1.0},
                "max_time_sec"_ = 10.0};
  }
  static SharedModel Model(const auto& config) { return TaskModel(config); }
  static auto StateSpec(const auto& config) {
    const SharedModel model = Model(config);
    if (model->nkey < 1 || model->na == 0) {
      throw OptionError("xml_file", "a model without muscles or keyframes",
                        "one that has both, as the task's own", "pass such a model");
    }
    Chosen("reset_type", config["reset_type"_], {"none", "random"});
    CheckChanges("goalkeeper_probabilities", config["goalkeeper_probabilities"_], 3);
    CheckNotNegative("max_time_sec", config["max_time_sec"_]);
    const int joints = static_cast<int>(Joints(*model).size());
    return MuscleState(config, model, 2 * joints + 24 + 3 * static_cast<int>(model->nu));
  }
  static auto ActionSpec(const auto& config) { return MuscleActions(*Model(config)); }
  /// All hinges and slides, ordered by name.
  static std::vector<std::string> Joints(const mjModel& model) {
    std::vector<std::string> names;
    for (int i = 0; i < model.njnt; ++i) {
      const char* const name = mj_id2name(&model, mjOBJ_JOINT, i);
      const bool simple = model.jnt_type[i] == mjJNT_HINGE || model.jnt_type[i] == mjJNT_SLIDE;
      if (simple && name != nullptr) names.emplace_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

class Soccer final : public MuscleEnv<SoccerSpec> {
 public:
  Soccer(const Spec& spec, int env_id)
      : MuscleEnv(spec, env_id),
        draws_start_(std::string(spec.config["reset_type"_]) == "random"),
        time_(spec.config["max_time_sec"_]),
        joints_(model(), SoccerSpec::Joints(model())),
        root_place_(mujoco::PlaceOf(model(), "root")),
        root_speed_(mujoco::VelocityOf(model(), "root")),
        pelvis_(mujoco::BodyOf(model(), "pelvis")),
        torso_(mujoco::BodyOf(model(), "torso")),
        ball_(mujoco::BodyOf(model(), "soccer_ball")),
        body_(mujoco::BodyOf(model(), "goalkeeper")),
        forces_{SensorPlace("r_foot"), SensorPlace("r_toes"), SensorPlace("l_foot"),
                SensorPlace("l_toes")},
        keeper_(spec.config["goalkeeper_probabilities"_], gen_) {
    for (const char* joint :
         {"hip_adduction_l", "hip_adduction_r", "hip_flexion_l", "hip_flexion_r", "hip_rotation_l",
          "hip_rotation_r", "knee_angle_l", "knee_angle_l_rotation2", "knee_angle_l_rotation3",
          "mtp_angle_l", "ankle_angle_l", "subtalar_angle_l"}) {
      hurting_.push_back(mujoco::VelocityOf(model(), joint));
    }
    for (int i = 0; i < simulation().sizes().nu; ++i) muscles_.push_back(i);
    const int terrain = mujoco::NumberOf(model(), mjOBJ_GEOM, "terrain");
    const double place[] = {0, 0, -10};
    std::copy_n(place, 3, OwnGeoms(&mjModel::geom_pos, 3) + 3 * terrain);
    // Like the reference's constructor, in which the goalkeeper makes a move.
    AtTheBeginning([&] { keeper_.Move(0.01, data().xpos[3 * ball_ + 1], gen_); });
    Show();
  }

 private:
  void Start() override {
    std::copy_n(model().key_qpos, nq(), position().begin());
    std::copy_n(model().key_qvel, simulation().sizes().nv, velocity().begin());
    if (!draws_start_) return;
    for (const int place : joints_.positions) {
      position()[static_cast<std::size_t>(place)] += gen_.Uniform(-0.02, 0.02);
    }
    double* const root = position().data() + root_place_;
    root[0] += gen_.Uniform(-1.0, 0);
    root[1] += gen_.Uniform(-1.0, 1.0);
  }
  void AfterReset() override {
    keeper_.Begin(gen_);
    Show();
  }
  void BeforeStep() override {
    keeper_.Move(dt(), seen_ball_, gen_);
    Show();
  }
  /// Moves the goalkeeper's body to its observed place.
  void Show() {
    SeenPlace(body_)[0] = Goalkeeper::kLine;
    SeenPlace(body_)[1] = keeper_.y();
  }
  void Look(bool placed) override {
    if (!placed) SeeAll();
    seen_ball_ = data().xpos[3 * ball_ + 1];
    pain_ = Pain();
  }
  double* Observe(double* out) const override {
    out = joints_.WritePositions(data(), out);
    out = joints_.WriteVelocities(data(), dt(), out);
    for (const int force : forces_) *out++ = data().sensordata[force];
    out = std::copy_n(data().xquat + 4 * torso_, 4, out);
    out = std::copy_n(data().xpos + 3 * ball_, 3, out);
    out = std::copy_n(data().qpos + root_place_, 7, out);
    out = std::copy_n(data().qvel + root_speed_, 6, out);
    return WriteActuators(muscles_, out);
  }
  Verdict Judge(const double* /*end*/, double /*effort*/) const override {
    const double* const ball = data().xpos + 3 * ball_;
    const bool goal = ball[0] >= Goalkeeper::kLine && -Goalkeeper::kPost <= ball[1] &&
                      ball[1] <= Goalkeeper::kPost && 0 <= ball[2] && ball[2] <= 2.2;
    const bool done = goal || data().time >= time_ || data().xpos[3 * pelvis_ + 2] < 0.2;
    const int na = simulation().sizes().na;
    const double effort = numpy::SumOfSquares(data().act, na) / na;
    const double sum = ((1000.0 * goal + -0.01 * data().time) + -100 * effort) + -10 * pain_;
    return {sum, static_cast<double>(done), goal, done};
  }
  /// The pain of joints at their limits: mean of forces in kN, at most 1 each.
  double Pain() {
    const mujoco::LibraryCall call;
    mjData& now = data();
    const int nv = simulation().sizes().nv;
    mj_markStack(&now);
    mjtNum* const forces = mj_stackAllocNum(&now, static_cast<std::size_t>(nv));
    mjtNum* const limits = mj_stackAllocNum(&now, static_cast<std::size_t>(now.nefc) + 1);
    for (int i = 0; i < now.nefc; ++i) {
      limits[i] = now.efc_type[i] == mjCNSTR_LIMIT_JOINT ? now.efc_force[i] : 0;
    }
    std::fill_n(forces, nv, 0.0);
    mj_mulJacTVec(&model(), &now, forces, limits);
    double sum = 0;
    for (const int joint : hurting_) {
      sum += std::abs(std::clamp(forces[joint], -1000.0, 1000.0)) / 1000;
    }
    mj_freeStack(&now);
    return sum / static_cast<double>(hurting_.size());
  }
  void SaveTask(StateWriter& out) const override {
    out.Write(seen_ball_);
    keeper_.SaveState(out);
  }
  void LoadTask(StateReader& in) override {
    in.Read(seen_ball_);
    keeper_.LoadState(in);
  }

  const bool draws_start_;
  const double time_;  // duration of an episode, in s
  const JointList joints_;
  const int root_place_, root_speed_, pelvis_, torso_, ball_, body_;
  const std::array<int, 4> forces_;
  Goalkeeper keeper_;
  std::vector<int> hurting_, muscles_;
  double seen_ball_ = 0, pain_ = 0;
};

}  // namespace envpool::myosuite
