// SPDX-License-Identifier: Apache-2.0
// DummyEnv: an environment in the spelling of the EnvPool documentation that uses all that its page
// names: several players whose number changes, 0 among them; arrays of dynamic shape; nested
// observations; info; an action of several keys; CHECK, LOG and ENVPOOL_TEST. What it writes is a
// function of environment, step and action, so that a test can foretell it.
#pragma once

#include <memory>
#include <string>

#include "envpool/core/async_envpool.h"
#include "envpool/core/env.h"

namespace documented {

class DummyEnvFns {
 public:
  static decltype(auto) DefaultConfig() {
    return MakeDict("state_num"_.Bind(3), "action_num"_.Bind(6), "length"_.Bind(5),
                    "path"_.Bind(std::string("init_path")), "check"_.Bind(true));
  }
  template <typename Config>
  static decltype(auto) StateSpec(const Config& conf) {
    return MakeDict(
        "obs:raw"_.Bind(Spec<int>({-1, conf["state_num"_]})),
        "obs:dyn"_.Bind(Spec<Container<int>>({-1}, Spec<int>({-1, conf["state_num"_]}))),
        "obs:obs_a.obs_b"_.Bind(Spec<int>({})),
        "obs:obs_a.obs_c"_.Bind(Spec<double>({2, 3}, {{0, 1, 2, 3, 4, 5}, {9, 9, 9, 9, 9, 9}})),
        "info:players.health"_.Bind(Spec<int>({-1})), "info:players.done"_.Bind(Spec<bool>({-1})),
        "info:player_num"_.Bind(Spec<int>({})), "info:bla"_.Bind(Spec<float>({2, 3, 3})),
        "info:list"_.Bind(Spec<Container<float>>({2})),
        "info:path_size"_.Bind(Spec<std::size_t>({})));
  }
  template <typename Config>
  static decltype(auto) ActionSpec(const Config& conf) {
    return MakeDict("list_action"_.Bind(Spec<double>({conf["action_num"_]})),
                    "players.action"_.Bind(Spec<int>({-1}, {0, 99})),
                    "players.push"_.Bind(Spec<float>({-1, 2}, {-2.0, 2.0})),
                    "level"_.Bind(Spec<int>({}, {0, 5})));
  }
};

using DummyEnvSpec = EnvSpec<DummyEnvFns>;

class DummyEnv : public Env<DummyEnvSpec> {
 public:
  DummyEnv(const Spec& spec, int env_id)
      : Env<DummyEnvSpec>(spec, env_id), length_(spec.config["length"_]) {
    if (spec.config["max_num_players"_] <= 1) players_ = 1;
  }

  void Reset() override {
    step_ = 0;
    Write(0.0, 0, 0);
  }

  void Step(const Action& action) override {
    ++step_;
    const int num = players_ > 0 ? 1 : previous_;
    if (spec_.config["check"_]) {
      CHECK_EQ(static_cast<int>(action["players.action"_].Shape(0)), num);
      CHECK_EQ(action["list_action"_].Shape(0), 6u) << "the documented length";
    }
    int sum = 0;
    for (int i = 0; i < num; ++i) {
      int act = action["players.action"_][i];
      float push = action["players.push"_](i, 1);
      sum += act + static_cast<int>(push);
    }
    const double last = action["list_action"_][5];
    int level = action["level"_];
#ifdef ENVPOOL_TEST
    if (level == 5) LOG(INFO) << "level five in env " << env_id_;
#endif
    Write(last, sum, level);
  }

  bool IsDone() override { return step_ >= length_; }

 private:
  void Write(double last, int sum, int level) {
    const int num = players_ > 0 ? 1 : (env_id_ + step_) % (max_num_players_ + 1);
    previous_ = num;
    State state = Allocate(num);
    for (int i = 0; i < num; ++i) {
      for (int j = 0; j < spec_.config["state_num"_]; ++j) state["obs:raw"_](i, j) = step_ * 10 + j;
      Container<int>& dyn = state["obs:dyn"_][i];
      auto dyn_spec = ::Spec<int>({env_id_ + 1, spec_.config["state_num"_]});
      auto* array = new TArray<int>(dyn_spec);
      for (int j = 0; j < env_id_ + 1; ++j) (*array)(j, 0) = i + 1;
      dyn.reset(array);
      state["info:players.health"_][i] = 100 * env_id_ + i;
      state["info:players.done"_][i] = i % 2 == 0;
      state["reward"_][i] = static_cast<float>(sum + i);
    }
    state["obs:obs_a.obs_b"_] = level;
    double* pointer = static_cast<double*>(state["obs:obs_a.obs_c"_].data());
    pointer[5] = last;
    state["obs:obs_a.obs_c"_][0][1] = 1;
    state["info:player_num"_] = num;
    state["info:bla"_][1][2][2] = 7;  // an int into a float array: converted, not reinterpreted
    Container<float>& list = state["info:list"_][1];
    list = std::make_unique<TArray<float>>(::Spec<float>({step_}));
    list->Fill(0.5);
    const std::string path = spec_.config["path"_];
    state["info:path_size"_] = path.size();
  }

  int length_;
  int step_ = 0;
  int players_ = 0;   // 1: always one
  int previous_ = 0;  // players in the last result
};

using DummyEnvPool = AsyncEnvPool<DummyEnv>;

}  // namespace documented
