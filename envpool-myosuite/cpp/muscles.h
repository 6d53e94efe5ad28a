// SPDX-License-Identifier: Apache-2.0
// Muscles: converts an action to the controls of a model, with the muscles' conditions.
//
//   Muscles muscles(model, ConditionOf("fatigue"), dt);
//   muscles.Rest();                       // at the start of an episode
//   muscles.Excite(model, action, data.ctrl);    // numbers from -1 to 1
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "envpool/error.h"
#include "envpool/state_io.h"
#include "envpool_mujoco/model_store.h"
#include "envpool_mujoco/names.h"
#include "float_exp.h"

namespace envpool::myosuite {

/// No condition, muscles of half the force, muscles that tire, or a tendon that was transferred to
/// another muscle.
enum class Condition : unsigned char { kHealthy, kSarcopenia, kFatigue, kReafferentation };

/// The option `muscle_condition`. Throws OptionError.
inline Condition ConditionOf(const std::string& option) {
  return static_cast<Condition>(
      Chosen("muscle_condition", option, {"", "sarcopenia", "fatigue", "reafferentation"}));
}

/// The model with muscles in that condition.
inline mujoco::SharedModel WithCondition(const mujoco::SharedModel& model, Condition condition) {
  if (condition != Condition::kSarcopenia) return model;
  return mujoco::ModelStore::Edited(model, "sarcopenia", [](mjModel& edited) {
    for (int i = 0; i < edited.nu; ++i) edited.actuator_gainprm[mjNGAIN * i + 2] *= 0.5;
  });
}

/// The effect of an action on the motors of a model with muscles: it is their control, a share of
/// their range, or nothing, because the task controls them. In the last case the reference computes
/// with float64, otherwise with float32.
enum class Motors : unsigned char { kAsGiven, kOfRange, kByTask };

class Muscles {
 public:
  /// `dt`: seconds between two actions. Throws OptionError if the model lacks the two muscles of a
  /// reafferentation.
  Muscles(const mjModel& model, Condition condition, double dt, Motors motors = Motors::kAsGiven)
      : condition_(condition),
        motors_(motors),
        dt_(dt),
        shares_(static_cast<std::size_t>(model.nu)) {
    if (condition != Condition::kReafferentation) return;
    to_ = static_cast<std::size_t>(mujoco::ActuatorOf(model, "EPL"));
    from_ = static_cast<std::size_t>(mujoco::ActuatorOf(model, "EIP"));
  }

  /// Sets all muscles to inactive and rested.
  void Rest() { std::fill(shares_.begin(), shares_.end(), Shares()); }
  /// Rests, then takes a step with action 0, computed in float64.
  void StepFromRest(const mjModel& model) {
    Rest();
    for (int i = 0; i < static_cast<int>(model.nu); ++i) {
      if (model.actuator_dyntype[i] == mjDYN_MUSCLE) Tired(model, i, Wanted(0.0));
    }
  }

  /// Writes the controls. A muscle's control is a logistic function of the action, in float32 like
  /// the action; other actuators get the action itself, or scaled to their range in a model without
  /// muscles.
  void Excite(const mjModel& model, const float* action, double* ctrl) {
    const int count = static_cast<int>(model.nu);
    for (int i = 0; i < count; ++i) {
      const double low = model.actuator_ctrlrange[2 * i];
      const double high = model.actuator_ctrlrange[2 * i + 1];
      if (model.na == 0) {
        ctrl[i] = (low + high) / 2 + action[i] * (high - low) / 2;
      } else if (model.actuator_dyntype[i] != mjDYN_MUSCLE) {
        if (motors_ == Motors::kAsGiven) ctrl[i] = action[i];
        if (motors_ == Motors::kOfRange) {
          ctrl[i] = static_cast<float>((low + high) / 2 + action[i] * (high - low) / 2);
        }
      } else if (motors_ == Motors::kByTask) {
        const double wanted = Wanted(action[i]);
        ctrl[i] = condition_ == Condition::kFatigue ? Tired(model, i, wanted) : wanted;
      } else {
        const float wanted = 1.0f / (1.0f + FloatExp(-5.0f * (action[i] - 0.5f)));
        ctrl[i] = condition_ == Condition::kFatigue ? static_cast<float>(Tired(model, i, wanted))
                                                    : wanted;
      }
    }
    if (condition_ == Condition::kReafferentation) {
      ctrl[to_] = ctrl[from_];
      ctrl[from_] = 0;
    }
  }

  void SaveState(StateWriter& out) const {
    for (const Shares& one : shares_) out.Write(one.active, one.resting, one.tired);
  }
  void LoadState(StateReader& in) {
    for (Shares& one : shares_) in.Read(one.active, one.resting, one.tired);
  }

 private:
  /// The shares of a muscle's motor units; their sum is 1.
  struct Shares {
    double active = 0, resting = 1, tired = 0;
  };

  static double Wanted(double action) { return 1.0 / (1.0 + std::exp(-5.0 * (action - 0.5))); }

  /// The active share of a muscle after an action, by the three compartments of MyoSuite's
  /// CumulativeFatigue: https://doi.org/10.1145/3313831.3376701
  double Tired(const mjModel& model, int i, double wanted) {
    constexpr double kTires = 0.00912, kRecovers = 0.1 * 0.00094, kMoreAtRest = 10 * 15;
    Shares& one = shares_[static_cast<std::size_t>(i)];
    const double active = one.active, resting = one.resting, tired = one.tired;
    const mjtNum* const constants = model.actuator_dynprm + mjNDYN * i;
    const double up = 1 / constants[0] * (0.5 + 1.5 * active);
    const double down = (0.5 + 1.5 * active) / constants[1];
    const bool rises = active < wanted;
    double recruited = down * (wanted - active);
    if (rises) recruited = up * (resting > wanted - active ? wanted - active : resting);
    const double recovery = rises ? kRecovers : kMoreAtRest * kRecovers;
    const double least =
        std::max(-active / dt_ + kTires * active, (resting - 1) / dt_ + recovery * tired);
    const double most =
        std::min((1 - active) / dt_ + kTires * active, resting / dt_ + recovery * tired);
    recruited = std::min(std::max(recruited, least), most);
    one.active += (recruited - kTires * active) * dt_;
    one.resting += (-recruited + recovery * tired) * dt_;
    one.tired += (kTires * active - recovery * tired) * dt_;
    return one.active;
  }

  const Condition condition_;
  const Motors motors_;
  const double dt_;
  std::vector<Shares> shares_;
  std::size_t from_ = 0, to_ = 0;
};

}  // namespace envpool::myosuite
