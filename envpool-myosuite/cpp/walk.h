// SPDX-License-Identifier: Apache-2.0
// Walk: two legs walk on flat and on other ground. WalkEnvV0 and TerrainEnvV0 of myosuite 2.12.2.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "envpool/numpy_math.h"
#include "envpool_mujoco/numpy_blas.h"
#include "envpool_mujoco/rotations.h"
#include "ground.h"
#include "legs.h"

namespace envpool::myosuite {

struct WalkSpec : MuscleSpec<WalkSpec> {
  static auto DefaultConfig() {
    return MuscleOptions(kLegs, 10) + Dict{"min_height"_ = 0.8,
                                           "max_rot"_ = 0.8,
                                           "hip_period"_ = 100,
                                           "reset_type"_ = "init",
                                           "target_x_vel"_ = 0.0,
                                           "target_y_vel"_ = 1.2,
                                           "target_rot"_ = std::vector<double>{},
                                           "terrain"_ = "",
                                           "variant"_ = ""};
  }
  static SharedModel Model(const auto& config) { return TaskModel(config); }
  static auto StateSpec(const auto& config) {
    const SharedModel model = Model(config);
    CheckLegs(*model, 4);
    Chosen("reset_type", config["reset_type"_], {"init", "random", "none"});
    Chosen("terrain", config["terrain"_], {"", "rough", "hilly", "stairs"});
    Chosen("variant", config["variant"_], {"", "fixed"});
    if (config["hip_period"_] < 1) {
      throw OptionError("hip_period", std::to_string(config["hip_period"_]), "1 or more",
                        "pass the steps of one cycle");
    }
    const std::vector<double>& turn = config["target_rot"_];
    if (!turn.empty() && turn.size() != 4) {
      throw OptionError("target_rot", std::to_string(turn.size()) + " numbers",
                        "a quaternion, or nothing", "pass w, x, y, z");
    }
    return MuscleState(
        config, model,
        static_cast<int>(model->nq - 2 + model->nv) + 16 + 3 * static_cast<int>(model->nu));
  }
  static auto ActionSpec(const auto& config) { return MuscleActions(*Model(config)); }
};

class Walk final : public Legs<WalkSpec> {
 public:
  Walk(const Spec& spec, int env_id)
      : Legs(spec, env_id),
        least_height_(spec.config["min_height"_]),
        most_turn_(spec.config["max_rot"_]),
        x_speed_(spec.config["target_x_vel"_]),
        y_speed_(spec.config["target_y_vel"_]),
        period_(spec.config["hip_period"_]),
        start_(spec.config["reset_type"_]),
        terrain_(spec.config["terrain"_]),
        fixed_(std::string(spec.config["variant"_]) == "fixed"),
        turn_(spec.config["target_rot"_]),
        pelvis_(mujoco::BodyOf(model(), "pelvis")),
        torso_(mujoco::BodyOf(model(), "torso")),
        left_(mujoco::BodyOf(model(), "talus_l")),
        right_(mujoco::BodyOf(model(), "talus_r")) {
    OnModelChange();
    if (turn_.empty()) turn_.assign(model().key_qpos + 3, model().key_qpos + 7);
    const auto place = [this](const char* joint) { return mujoco::PlaceOf(model(), joint); };
    hips_ = {place("hip_flexion_l"), place("hip_flexion_r")};
    straight_ = {place("hip_adduction_l"), place("hip_adduction_r"), place("hip_rotation_l"),
                 place("hip_rotation_r")};
    if (terrain_.empty()) {
      HideTerrain();
    } else {
      heights_ = ShowTerrain();
      if (terrain_ == "hilly" && fixed_) HillyGround(0.63, heights_);
      if (terrain_ == "stairs" && fixed_) Stairs(2.5, heights_);
    }
  }

 private:
  void OnModelChange() override { mass_ = numpy::Sum(model().body_mass, nbody()); }
  void Start() override {
    steps_ = 0;
    if (terrain_ == "rough") RoughGround(gen_, heights_);
    if (terrain_ == "hilly" && !fixed_) HillyGround(gen_.Uniform(0.53, 0.73), heights_);
    if (terrain_ == "stairs" && !fixed_) Stairs(gen_.Uniform(1.5, 3.5), heights_);
    if (start_ != "random") return BeginAt(start_ == "init" ? 2 : 0);
    BeginAt(gen_.Uniform(0, 1) < 0.5 ? 2 : 3);
    const double height = position()[2];
    for (double& value : position()) value += gen_.Normal(0, 0.02);
    position()[2] = height;
  }
  void Look(bool placed) override {
    if (placed) return;
    simulation().Forward();
    ++steps_;
  }
  double* Observe(double* out) const override {
    out = std::copy_n(data().qpos + 2, nq() - 2, out);
    const int nv = simulation().sizes().nv, nu = simulation().sizes().nu;
    for (int i = 0; i < nv; ++i) *out++ = data().qvel[i] * dt();
    out = std::copy_n(Speed().begin(), 2, out);
    out = std::copy_n(data().xquat + 4 * torso_, 4, out);
    for (const int foot : {left_, right_}) *out++ = data().xpos[3 * foot + 2];
    *out++ = Height();
    for (const int foot : {left_, right_}) {
      for (int i = 0; i < 3; ++i) *out++ = data().xpos[3 * foot + i] - data().xpos[3 * pelvis_ + i];
    }
    *out++ = Phase();
    out = std::copy_n(data().actuator_length, nu, out);
    for (int i = 0; i < nu; ++i) *out++ = std::clamp(data().actuator_velocity[i], -100.0, 100.0);
    for (int i = 0; i < nu; ++i) {
      *out++ = std::clamp(data().actuator_force[i] / 1000, -100.0, 100.0);
    }
    return out;
  }
  Verdict Judge(const double* /*end*/, double /*effort*/) const override {
    const std::array<double, 2> speed = Speed();
    const double forward = y_speed_ - speed[1], aside = x_speed_ - speed[0];
    const double pace = std::exp(-(forward * forward)) + std::exp(-(aside * aside));
    constexpr double kPi = std::numbers::pi;
    const double phase = Phase() * 2 * kPi;
    // The hips' goal angles are float32.
    const std::array<float, 2> wanted = {static_cast<float>(0.8 * std::cos(phase + kPi)),
                                         static_cast<float>(0.8 * std::cos(phase))};
    std::array<double, 2> hips;
    for (std::size_t i = 0; i < 2; ++i) hips[i] = wanted[i] - data().qpos[hips_[i]];
    std::array<double, 4> turned, straight;
    for (std::size_t i = 0; i < 4; ++i) {
      turned[i] = 5.0 * (data().qpos[3 + i] - turn_[i]);
      straight[i] = std::abs(data().qpos[straight_[i]]);
    }
    const double upright = std::exp(-mujoco::LongNorm(turned.data(), 4));
    const double narrow = std::exp(-5 * (numpy::Sum(straight.data(), 4) / 4));
    const bool done = Falls();
    const double cycle = mujoco::LongNorm(hips.data(), 2);
    const double sum =
        (((5.0 * pace + -100.0 * done) + -10 * cycle) + 10.0 * upright) + 5.0 * narrow;
    return {sum, pace, pace >= 1.0, done};
  }
  void SaveTask(StateWriter& out) const override { out.Write(steps_); }
  void LoadTask(StateReader& in) override { in.Read(steps_); }

  /// Velocity of the center of mass: x and y, in m/s.
  std::array<double, 2> Speed() const {
    std::array<double, 2> sums = {};
    for (int body = 0; body < simulation().sizes().nbody; ++body) {
      for (std::size_t i = 0; i < 2; ++i) {
        sums[i] += model().body_mass[body] * -data().cvel[6 * body + 3 + i];
      }
    }
    return {sums[0] / mass_, sums[1] / mass_};
  }
  /// Height of the center of mass, in m.
  double Height() const {
    double sum = 0;
    for (int body = 0; body < simulation().sizes().nbody; ++body) {
      sum += model().body_mass[body] * data().xipos[3 * body + 2];
    }
    return sum / mass_;
  }
  /// The finished share of a cycle. The reference counts a step after it has read the phase.
  double Phase() const {
    return std::fmod(static_cast<double>(std::max(steps_ - 1, 0)) / period_, 1.0);
  }
  bool Falls() const {
    const double height = Height();
    if (height < least_height_) return true;
    mujoco::Quaternion turn;
    std::copy_n(data().qpos + 3, 4, turn.begin());
    if (std::abs(mujoco::MatrixOf(turn)[0]) > most_turn_) return true;
    // On uneven ground it has also fallen if it is on its knees.
    const double feet = (data().xpos[3 * left_ + 2] + data().xpos[3 * right_ + 2]) / 2;
    return !terrain_.empty() && height - feet < 0.61;
  }

  const double least_height_, most_turn_, x_speed_, y_speed_;
  const int period_;
  const std::string start_, terrain_;
  const bool fixed_;
  std::vector<double> turn_;
  const int pelvis_, torso_, left_, right_;
  double mass_ = 0;  // total mass in kg
  std::array<int, 2> hips_;
  std::array<int, 4> straight_;
  float* heights_ = nullptr;
  int steps_ = 0;
};

}  // namespace envpool::myosuite
