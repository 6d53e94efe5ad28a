// SPDX-License-Identifier: Apache-2.0
// CartPole as the documentation's page builds it. The blocks of the page are here as they are
// printed; what it only links to, the constructor, Reset, Step and IsDone, is written after the
// equations of motion of a cart and a pole.
#ifndef ENVPOOL_CLASSIC_CONTROL_CARTPOLE_H_
#define ENVPOOL_CLASSIC_CONTROL_CARTPOLE_H_

#include <cmath>
#include <limits>
#include <random>

#include "envpool/core/async_envpool.h"
#include "envpool/core/env.h"

namespace classic_control {

// env-specific definition of config and state/action spec
class CartPoleEnvFns {
 public:
  static decltype(auto) DefaultConfig() { return MakeDict("reward_threshold"_.Bind(195.0)); }
  template <typename Config>
  static decltype(auto) StateSpec(const Config& conf) {
    float fmax = std::numeric_limits<float>::max();
    return MakeDict("obs"_.Bind(
        Spec<float>({4}, {{-4.8, -fmax, -M_PI / 7.5, -fmax}, {4.8, fmax, M_PI / 7.5, fmax}})));
  }
  template <typename Config>
  static decltype(auto) ActionSpec(const Config& conf) {
    // the last argument in Spec is for the range definition
    return MakeDict("action"_.Bind(Spec<int>({-1}, {0, 1})));
  }
};

// this line will concat common config and common state/action spec
using CartPoleEnvSpec = EnvSpec<CartPoleEnvFns>;

class CartPoleEnv : public Env<CartPoleEnvSpec> {
 public:
  CartPoleEnv(const Spec& spec, int env_id)
      : Env<CartPoleEnvSpec>(spec, env_id), max_episode_steps_(spec.config["max_episode_steps"_]) {}

  bool IsDone() override { return done_; }

  void Reset() override {
    std::uniform_real_distribution<> start(-0.05, 0.05);
    x_ = start(gen_);
    x_dot_ = start(gen_);
    theta_ = start(gen_);
    theta_dot_ = start(gen_);
    done_ = false;
    elapsed_step_ = 0;
    State state = Allocate();
    WriteObs(state, 0.0f);
  }

  void Step(const Action& action) override {
    done_ = (++elapsed_step_ >= max_episode_steps_);
    // auto convert the first element in action["action"_]
    int act = action["action"_];
    const double force = act == 1 ? 10.0 : -10.0;
    // Masses 1 and 0.1 kg, half the pole 0.5 m; a frictionless cart, forces in N, one Euler step of
    // 0.02 s.
    const double sin = std::sin(theta_);
    const double cos = std::cos(theta_);
    const double push = (force + 0.1 * 0.5 * theta_dot_ * theta_dot_ * sin) / 1.1;
    const double theta_acc = (9.8 * sin - cos * push) / (0.5 * (4.0 / 3.0 - 0.1 * cos * cos / 1.1));
    const double x_acc = push - 0.1 * 0.5 * theta_acc * cos / 1.1;
    x_ += 0.02 * x_dot_;
    x_dot_ += 0.02 * x_acc;
    theta_ += 0.02 * theta_dot_;
    theta_dot_ += 0.02 * theta_acc;
    if (std::abs(x_) > 2.4 || std::abs(theta_) > M_PI / 15) {
      done_ = true;
    }

    State state = Allocate();
    WriteObs(state, 1.0f);
  }

 private:
  void WriteObs(State& state, float reward) {
    state["obs"_][0] = static_cast<float>(x_);
    state["obs"_][1] = static_cast<float>(x_dot_);
    state["obs"_][2] = static_cast<float>(theta_);
    state["obs"_][3] = static_cast<float>(theta_dot_);
    state["reward"_] = reward;
  }

  int max_episode_steps_;
  int elapsed_step_ = 0;
  bool done_ = true;
  double x_ = 0, x_dot_ = 0, theta_ = 0, theta_dot_ = 0;
};

using CartPoleEnvPool = AsyncEnvPool<CartPoleEnv>;

}  // namespace classic_control

#endif  // ENVPOOL_CLASSIC_CONTROL_CARTPOLE_H_
