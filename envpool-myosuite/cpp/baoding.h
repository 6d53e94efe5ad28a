// SPDX-License-Identifier: Apache-2.0
// Let two balls circle around each other in the palm. BaodingEnvV1 of myosuite 2.12.2.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "held_object.h"
#include "muscle_env.h"

namespace envpool::myosuite {

struct BaodingSpec : MuscleSpec<BaodingSpec> {
  static auto DefaultConfig() {
    return MuscleOptions("envs/myo/assets/hand/myohand_baoding.xml", 10) +
           Dict{"goal_time_period"_ = std::vector<double>{5.0, 5.0},
                "goal_xrange"_ = std::vector<double>{0.025, 0.025},
                "goal_yrange"_ = std::vector<double>{0.028, 0.028},
                "obj_size_range"_ = std::vector<double>{},
                "obj_mass_range"_ = std::vector<double>{},
                "obj_friction_change"_ = std::vector<double>{},
                "task_choice"_ = "fixed"};
  }
  static SharedModel Model(const auto& config) { return TaskModel(config); }
  static auto StateSpec(const auto& config) {
    const SharedModel model = Model(config);
    CheckObjects(*model, 2);
    CheckRange("goal_time_period", config["goal_time_period"_], 1e-3);
    CheckRange("goal_xrange", config["goal_xrange"_]);
    CheckRange("goal_yrange", config["goal_yrange"_]);
    const std::vector<double>&size = config["obj_size_range"_], &mass = config["obj_mass_range"_],
          &friction = config["obj_friction_change"_];
    if (!size.empty()) CheckRange("obj_size_range", size, 1e-6);
    if (!mass.empty()) CheckRange("obj_mass_range", mass, kLeastMass);
    if (!friction.empty()) CheckChanges("obj_friction_change", friction, 3);
    Chosen("task_choice", config["task_choice"_], {"fixed", "random"});
    return MuscleState(config, model, static_cast<int>(model->nq) - 14 + 24);
  }
  static auto ActionSpec(const auto& config) { return MuscleActions(*Model(config)); }
};

class Baoding final : public MuscleEnv<BaodingSpec> {
 public:
  Baoding(const Spec& spec, int env_id)
      : MuscleEnv(spec, env_id),
        periods_(spec.config["goal_time_period"_]),
        x_range_(spec.config["goal_xrange"_]),
        y_range_(spec.config["goal_yrange"_]),
        size_range_(spec.config["obj_size_range"_]),
        mass_range_(spec.config["obj_mass_range"_]),
        friction_change_(spec.config["obj_friction_change"_]),
        draws_task_(std::string(spec.config["task_choice"_]) == "random"),
        bodies_{mujoco::BodyOf(model(), "ball1"), mujoco::BodyOf(model(), "ball2")},
        geoms_{mujoco::NumberOf(model(), mjOBJ_GEOM, "ball1"),
               mujoco::NumberOf(model(), mjOBJ_GEOM, "ball2")},
        balls_{mujoco::SiteOf(model(), "ball1_site"), mujoco::SiteOf(model(), "ball2_site")},
        goals_{mujoco::SiteOf(model(), "target1_site"), mujoco::SiteOf(model(), "target2_site")},
        masses_(OwnBodies(&mjModel::body_mass, 1)),
        frictions_(OwnGeoms(&mjModel::geom_friction, 3)),
        sizes_(OwnGeoms(&mjModel::geom_size, 3)) {
    // Like the reference's constructor, which also takes a step.
    DrawWay();
    MoveGoals();
  }

 private:
  enum class Way : int { kHold, kClockwise, kCounterclockwise };

  void Start() override {
    StretchOut(14);
    position()[0] = -1.57;
    DrawWay(true);
    period_ = gen_.Uniform(periods_[0], periods_[1]);
    if (!mass_range_.empty()) {
      for (const int body : bodies_) masses_[body] = gen_.Uniform(mass_range_[0], mass_range_[1]);
    }
    if (!friction_change_.empty()) {
      const mjModel& file = *simulation().shared();
      for (const int geom : geoms_) {
        DrawAround(file.geom_friction + 3 * geom, friction_change_, frictions_ + 3 * geom);
      }
    }
    if (size_range_.empty()) return;
    for (const int geom : geoms_) {
      std::fill_n(sizes_ + 3 * geom, 3, gen_.Uniform(size_range_[0], size_range_[1]));
    }
  }
  /// Draws the goals' direction, first angle and radii.
  void DrawWay(bool from_anywhere = false) {
    if (draws_task_) way_ = static_cast<Way>(gen_.Integers(0, 3));
    if (draws_task_ && from_anywhere) first_ = gen_.Uniform(0, 2 * std::numbers::pi);
    steps_ = 0;
    x_radius_ = gen_.Uniform(x_range_[0], x_range_[1]);
    y_radius_ = gen_.Uniform(y_range_[0], y_range_[1]);
  }
  /// Moves the goals to their places of this step. A reset leaves them unchanged.
  void MoveGoals() {
    constexpr double kTurn = 2 * std::numbers::pi;
    const int sign = way_ == Way::kHold ? 0 : way_ == Way::kClockwise ? -1 : 1;
    const double turned = sign * kTurn * (steps_ * dt() / period_);
    const double second = first_ - std::numbers::pi;
    for (std::size_t i = 0; i < 2; ++i) {
      const double angle = turned + (i == 0 ? first_ : second);
      double* const place = site_pos() + 3 * goals_[i];
      place[0] = x_radius_ * std::cos(angle) + -0.0125;
      place[1] = y_radius_ * std::sin(angle) + -0.07;
    }
    ++steps_;
  }
  void BeforeStep() override { MoveGoals(); }
  void Look(bool placed) override {
    if (!placed) Place();
  }
  double* Observe(double* out) const override {
    out = std::copy_n(data().qpos, nq() - 14, out);
    const double* const velocity = data().qvel + simulation().sizes().nv - 12;
    for (std::size_t i = 0; i < 2; ++i) {
      out = std::copy_n(At(balls_[i]), 3, out);
      for (int k = 0; k < 3; ++k) *out++ = velocity[6 * static_cast<int>(i) + k] * dt();
    }
    for (const int goal : goals_) out = std::copy_n(At(goal), 3, out);
    for (std::size_t i = 0; i < 2; ++i) {
      for (int k = 0; k < 3; ++k) *out++ = At(goals_[i])[k] - At(balls_[i])[k];
    }
    return out;
  }
  Verdict Judge(const double* end, double /*effort*/) const override {
    const double first = mujoco::RowNorm(end - 6, 3), second = mujoco::RowNorm(end - 3, 3);
    const bool falls = At(balls_[0])[2] < 1.25 || At(balls_[1])[2] < 1.25;
    const bool solved = first < 0.015 && second < 0.015 && !falls;
    return {5.0 * -first + 5.0 * -second, -(first + second), solved, falls};
  }
  void SaveTask(StateWriter& out) const override {
    out.Write(way_, steps_, first_, period_, x_radius_, y_radius_);
  }
  void LoadTask(StateReader& in) override {
    in.Read(way_, steps_, first_, period_, x_radius_, y_radius_);
  }
  const double* At(int site) const { return data().site_xpos + 3 * site; }

  const std::vector<double> periods_, x_range_, y_range_, size_range_, mass_range_,
      friction_change_;
  const bool draws_task_;
  const std::array<int, 2> bodies_, geoms_, balls_, goals_;
  mjtNum *const masses_, *const frictions_, *const sizes_;
  Way way_ = Way::kCounterclockwise;
  int steps_ = 0;
  double first_ = std::numbers::pi / 4, period_ = 6;  // an angle, and seconds per round
  double x_radius_ = 0, y_radius_ = 0;                // in m
};

}  // namespace envpool::myosuite
