// SPDX-License-Identifier: Apache-2.0
// Two legs play tag with an opponent: they chase it or evade it. ChaseTagEnvV0 of myosuite 2.12.2.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "muscle_env.h"
#include "opponent.h"
#include "patchy_ground.h"

namespace envpool::myosuite {

struct ChaseTagSpec : MuscleSpec<ChaseTagSpec> {
  static auto DefaultConfig() {
    return MuscleOptions("envs/myo/assets/leg/myolegs_chasetag.xml", 10) +
           Dict{"win_distance"_ = 0.5,
                "min_spawn_distance"_ = 2.0,
                "reset_type"_ = "init",
                "terrain"_ = "FLAT",
                "task_choice"_ = "CHASE",
                "hills_range"_ = std::vector<double>{0.0, 0.0},
                "rough_range"_ = std::vector<double>{0.0, 0.0},
                "relief_range"_ = std::vector<double>{0.0, 0.0},
                "relief"_ = std::vector<double>{},
                "repeller_opponent"_ = false,
                "chase_vel_range"_ = std::vector<double>{1.0, 1.0},
                "random_vel_range"_ = std::vector<double>{1.0, 1.0},
                "repeller_vel_range"_ = std::vector<double>{1.0, 1.0},
                "opponent_probabilities"_ = std::vector<double>{0.1, 0.45, 0.45}};
  }
  static SharedModel Model(const auto& config) { return TaskModel(config); }
  static auto StateSpec(const auto& config) {
    const SharedModel model = Model(config);
    const bool fits = model->njnt > 0 && model->jnt_type[0] == mjJNT_FREE && model->nq == 35 &&
                      model->nv == 34 && model->nkey >= 4 &&
                      model->nhfielddata == PatchyGround::kSide * PatchyGround::kSide;
    if (!fits) {
      throw OptionError("xml_file", "a model of other legs",
                        "one of a free joint and 28 others, with 4 keyframes and a ground of 100 x "
                        "100 heights",
                        "pass such a model");
    }
    Chosen("reset_type", config["reset_type"_], {"init", "random", "none"});
    Chosen("task_choice", config["task_choice"_], {"CHASE", "EVADE", "random"});
    CheckNotNegative("win_distance", config["win_distance"_]);
    // With more than 5 m the draw of a place might never end.
    const double distance = config["min_spawn_distance"_];
    if (!(distance >= 0 && distance <= 5)) {
      throw OptionError("min_spawn_distance", std::to_string(distance), "0 .. 5",
                        "pass a distance inside the field");
    }
    if (Chosen("terrain", config["terrain"_], {"FLAT", "random"}) == 1) {
      const std::vector<double>& relief = config["relief"_];
      const auto [low, high] = std::minmax_element(relief.begin(), relief.end());
      if (relief.size() != PatchyGround::kNumbers || *low == *high) {
        throw OptionError("relief", std::to_string(relief.size()) + " numbers",
                          std::to_string(PatchyGround::kNumbers) + ", not all the same",
                          "leave it out, or pass the heights of a patch");
      }
    }
    CheckRange("hills_range", config["hills_range"_]);
    CheckRange("rough_range", config["rough_range"_]);
    CheckRange("relief_range", config["relief_range"_]);
    CheckRange("chase_vel_range", config["chase_vel_range"_]);
    CheckRange("random_vel_range", config["random_vel_range"_]);
    CheckRange("repeller_vel_range", config["repeller_vel_range"_]);
    const std::vector<double>& shares = config["opponent_probabilities"_];
    const std::size_t count = config["repeller_opponent"_] ? 4 : 3;
    CheckChanges("opponent_probabilities", shares, count);
    return MuscleState(config, model, 56 + 17 + 3 * static_cast<int>(model->nu));
  }
  static auto ActionSpec(const auto& config) { return MuscleActions(*Model(config)); }
};

class ChaseTag final : public MuscleEnv<ChaseTagSpec> {
 public:
  ChaseTag(const Spec& spec, int env_id)
      : MuscleEnv(spec, env_id),
        win_distance_(spec.config["win_distance"_]),
        start_(spec.config["reset_type"_]),
        task_(spec.config["task_choice"_]),
        is_flat_(std::string(spec.config["terrain"_]) == "FLAT"),
        heights_(simulation().Own(&mjModel::hfield_data, static_cast<int>(model().nhfielddata))),
        ground_(spec.config["hills_range"_], spec.config["rough_range"_],
                spec.config["relief_range"_],
                is_flat_ ? std::vector<double>(PatchyGround::kNumbers) : spec.config["relief"_]),
        pelvis_(mujoco::BodyOf(model(), "pelvis")),
        root_(mujoco::BodyOf(model(), "root")),
        head_(mujoco::SiteOf(model(), "head")),
        feet_{mujoco::BodyOf(model(), "talus_l"), mujoco::BodyOf(model(), "talus_r")},
        body_(mujoco::BodyOf(model(), "opponent")),
        forces_{SensorPlace("r_foot"), SensorPlace("r_toes"), SensorPlace("l_foot"),
                SensorPlace("l_toes")},
        opponent_(RulesAfter(spec)) {
    const int terrain = mujoco::NumberOf(model(), mjOBJ_GEOM, "terrain");
    const double place[] = {0, 0, is_flat_ ? -10.0 : 0.0};
    std::copy_n(place, 3, OwnGeoms(&mjModel::geom_pos, 3) + 3 * terrain);
    for (int i = 0; i < simulation().sizes().nu; ++i) muscles_.push_back(i);
    // Like the reference's constructor, in which the opponent makes a move.
    AtTheBeginning([&] {
      opponent_.Begin(false, At(root_), gen_);
      opponent_.Move(0.01, At(pelvis_), gen_);
    });
    Show();
  }

 private:
  static constexpr double kTime = 20;  // duration of an episode in s

  /// The opponent's settings; the reference draws a ground before it makes the opponent.
  Opponent RulesAfter(const Spec& spec) {
    if (!is_flat_) ground_.Draw(gen_, heights_);
    return Opponent({.probabilities = spec.config["opponent_probabilities"_],
                     .flees = spec.config["repeller_opponent"_],
                     .distance = spec.config["min_spawn_distance"_],
                     .chase = spec.config["chase_vel_range"_],
                     .random = spec.config["random_vel_range"_],
                     .repel = spec.config["repeller_vel_range"_]},
                    gen_);
  }

  void Start() override {
    if (!is_flat_) ground_.Draw(gen_, heights_);
    chases_ = task_ == "random" ? gen_.Integers(0, 2) == 0 : task_ == "CHASE";
    if (start_ == "random") {
      DrawStart();
    } else {
      BeginAtKey(start_ == "init" ? 2 : 0);
    }
    if (!is_flat_) ground_.Flatten(position()[0], position()[1], heights_);
  }
  void BeginAtKey(int key) {
    const int nv = simulation().sizes().nv;
    std::copy_n(model().key_qpos + key * nq(), nq(), position().begin());
    std::copy_n(model().key_qvel + key * nv, nv, velocity().begin());
  }
  /// Draws a pose with one leg before the other, with noise, at any place and angle.
  void DrawStart() {
    BeginAtKey(gen_.Random() < 0.5 ? 2 : 3);
    const double height = position()[2];
    for (double& value : position()) value = value + gen_.Normal(0, 0.02);
    position()[2] = height;
    position()[0] = gen_.Uniform(-5, 5);
    position()[1] = gen_.Uniform(-5, 5);
    const double angle = gen_.Uniform(0, 2 * std::numbers::pi);
    mujoco::Quaternion turn;
    std::copy_n(position().begin() + 3, 4, turn.begin());
    mujoco::Euler euler = mujoco::EulerOf(turn);
    euler[2] = angle;
    turn = mujoco::QuaternionOf(euler);
    std::copy(turn.begin(), turn.end(), position().begin() + 3);
    double* const v = velocity().data();
    const double speed = std::sqrt(v[0] * v[0] + v[1] * v[1]);
    v[0] = std::cos(angle) * speed;
    v[1] = std::sin(angle) * speed;
  }
  /// A reset observes the last episode's opponent, which moves afterwards.
  void AfterReset() override {
    opponent_.DrawNoise(gen_);
    opponent_.Begin(!chases_, At(root_), gen_);
    Show();
  }
  void BeforeStep() override {
    opponent_.Move(dt(), seen_pelvis_, gen_);
    Show();
  }
  /// Moves the opponent's body to its observed place.
  void Show() {
    double* const place = SeenPlace(body_);
    place[0] = opponent_.x();
    place[1] = opponent_.y();
    std::copy(opponent_.turn().begin(), opponent_.turn().end(), SeenTurn(body_));
  }
  void Look(bool placed) override {
    if (!placed) SeeAll();
    LookAgain();
    shown_ = {opponent_.x(), opponent_.y(), opponent_.angle(), opponent_.velocity()[0],
              opponent_.velocity()[1]};
  }
  void LookAgain() override { seen_pelvis_ = At(pelvis_); }
  double* Observe(double* out) const override {
    out = std::copy_n(data().qpos + 7, 28, out);
    for (int i = 6; i < 34; ++i) *out++ = data().qvel[i] * dt();
    for (const int force : forces_) *out++ = data().sensordata[force];
    out = std::copy_n(data().xquat + 4 * pelvis_, 4, out);
    out = std::copy(shown_.begin(), shown_.end(), out);
    out = std::copy_n(data().qpos, 2, out);
    out = std::copy_n(data().qvel, 2, out);
    return WriteActuators(muscles_, out);
  }
  Verdict Judge(const double* /*end*/, double /*effort*/) const override {
    const double* const pelvis = data().xpos + 3 * pelvis_;
    const bool near = Distance(pelvis) <= win_distance_, late = data().time >= kTime;
    const bool out = std::abs(pelvis[0]) > 6.5 || std::abs(pelvis[1]) > 6.5;
    const double share = std::nearbyint(data().time * 100) / 100 / kTime;
    Verdict verdict;
    bool loses = false;
    if (chases_) {
      loses = Falls() || late || out;
      verdict.solved = near;
      if (near) verdict.sparse = 1 - share;
      if (loses) verdict.time = kTime;
    } else {
      loses = near || out;
      verdict.solved = late;
      if (loses || late) verdict.sparse = share;
    }
    verdict.done = loses || verdict.solved;
    verdict.dense = -0.1 * Distance(data().qpos) + -1000.0 * loses;
    return verdict;
  }
  bool Falls() const {
    if (is_flat_) return data().xpos[3 * pelvis_ + 2] < 0.5;
    const double feet = (data().xpos[3 * feet_[0] + 2] + data().xpos[3 * feet_[1] + 2]) / 2;
    return data().site_xpos[3 * head_ + 2] - feet < 0.2;
  }
  /// The distance to the opponent, in m.
  double Distance(const double* place) const {
    const double x = place[0] - opponent_.x(), y = place[1] - opponent_.y();
    return std::sqrt(x * x + y * y);
  }
  Opponent::Place At(int body) const { return {data().xpos[3 * body], data().xpos[3 * body + 1]}; }
  void SaveTask(StateWriter& out) const override {
    out.Write(chases_, seen_pelvis_);
    opponent_.SaveState(out);
  }
  void LoadTask(StateReader& in) override {
    in.Read(chases_, seen_pelvis_);
    opponent_.LoadState(in);
  }

  const double win_distance_;
  const std::string start_, task_;
  const bool is_flat_;
  float* const heights_;
  PatchyGround ground_;
  const int pelvis_, root_, head_;
  const std::array<int, 2> feet_;
  const int body_;
  const std::array<int, 4> forces_;
  Opponent opponent_;
  std::vector<int> muscles_;
  bool chases_ = true;
  Opponent::Place seen_pelvis_ = {};
  std::array<double, 5> shown_{};  // of the opponent: x, y, angle and both velocities
};

}  // namespace envpool::myosuite
