// SPDX-License-Identifier: Apache-2.0
// A scenario as an environment of a pool.
//
//   AddScenarios({HighwayScenario()});
//   envpool::Register<HighwayEnv>(m, "Highway");
//
// Observation, action and reward are the package's, each in its own file. Several agents are the
// players of an environment, one row each. Info: speed and crashed of the first agent, terms of the
// reward, is_success if the task has it, each agent's reward and end of episode, and the decisions
// that would have an effect.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actions.h"
#include "envpool/drawing/frame_size.h"
#include "envpool/drawing/scale.h"
#include "envpool/env.h"
#include "frame.h"
#include "observations/all.h"
#include "scenario.h"

namespace envpool::highway {

struct HighwaySpec {
  // Options of frames only. A grey observation has its own options, which Python fills in from
  // these.
  static constexpr std::string_view kNotInStates[] = {"screen_width", "screen_height", "scaling",
                                                      "centering_position"};

  static auto DefaultConfig() { return DefaultOptions(); }

  static auto StateSpec(const auto& config) {
    const Options options = OptionsOf(config);
    const Scenario& scenario = ScenarioOf(options);
    Check(options, scenario, config["max_num_players"_]);
    const bool players = options["multi_agent"_];
    envpool::SpecList info;
    const auto add = [&]<typename T>(std::string name, const envpool::Spec<T>& array) {
      info.arrays.push_back(MakeArraySpec("info:" + std::move(name), array));
    };
    for (const RewardTerm& term : scenario.terms) {
      add("rewards." + std::string(term.name), envpool::Spec<double>({}));
    }
    add("speed", envpool::Spec<double>({}));
    add("crashed", envpool::Spec<bool>({}));
    add("exact_reward", envpool::Spec<double>({}));
    add("agents_rewards", envpool::Spec<double>(Rows(players)));
    add("agents_terminated", envpool::Spec<bool>(Rows(players)));
    if (scenario.success != nullptr) add("is_success", envpool::Spec<bool>(Rows(players)));
    const Actions actions(options);
    if (actions.meta()) {
      std::vector<int> shape = Rows(players);
      shape.push_back(actions.count());
      add("available_actions", envpool::Spec<bool>(shape));
    }
    return envpool::Dict{"obs"_ = envpool::SpecList{MakeObserver(options)->Specs(players)},
                         "info"_ = info};
  }
  static auto ActionSpec(const auto& config) {
    return envpool::Dict{"action"_ = envpool::SpecList{{Actions(OptionsOf(config)).Spec()}}};
  }

 private:
  // The shape of an info with a value per agent.
  static std::vector<int> Rows(bool players) {
    return players ? std::vector<int>{kPlayers} : std::vector<int>{};
  }
  static void Check(const Options& o, const Scenario& scenario, int max_num_players) {
    CheckRange("simulation_frequency", o["simulation_frequency"_], 0.01, 10000);
    CheckRange("policy_frequency", o["policy_frequency"_], 0.01, o["simulation_frequency"_]);
    CheckRange("duration", o["duration"_], 0, 1e9);
    CheckRange("screen_width", o["screen_width"_], 1, 1 << 14);
    CheckRange("screen_height", o["screen_height"_], 1, 1 << 14);
    CheckRange("scaling", o["scaling"_], 0.01, 1000);
    CheckLength("centering_position", o["centering_position"_], 2);
    CheckBounds("reward_speed_range", o["reward_speed_range"_]);
    CheckRange("controlled_vehicles", o["controlled_vehicles"_], 1, 1000);
    if (o["multi_agent"_] && max_num_players != o["controlled_vehicles"_]) {
      CheckRange("max_num_players", max_num_players, o["controlled_vehicles"_],
                 o["controlled_vehicles"_]);
    }
    DriversOf(o["other_vehicles_type"_]);
    if (scenario.check != nullptr) scenario.check(o);
  }
};

class HighwayEnv final : public envpool::Env<HighwaySpec, envpool::NumpyRandom> {
 public:
  HighwayEnv(const Spec& spec, int env_id)
      : Env(spec, env_id),
        options_(OptionsOf(spec.config)),
        scenario_(ScenarioOf(options_)),
        actions_(options_),
        scene_(options_, gen_),
        num_agents_(options_["multi_agent"_]
                        ? static_cast<std::size_t>(options_["controlled_vehicles"_])
                        : 1) {
    scene_.agent_kind = actions_.kind();
    scene_.road.target_speeds = options_["action_target_speeds"_];
    scene_.road.connected_lanes = options_["neighbour_vehicles_connected_lanes"_];
    scene_.road.drivers = DriversOf(options_["other_vehicles_type"_]);
    scene_.road.network = scenario_.network(options_, gen_);
    for (std::size_t i = 0; i < num_agents_; ++i) observers_.push_back(MakeObserver(options_));
    values_.resize(scenario_.terms.size());
    totals_.resize(scenario_.terms.size());
    agent_rewards_.resize(num_agents_);
    pointers_.resize(observers_.front()->Specs(false).size());
  }

  bool IsDone() override { return terminated_; }
  bool IsTruncated() {
    const double duration = options_["duration"_];
    return duration > 0 && scene_.time >= duration;
  }

  void Reset() override {
    for (const auto& observer : observers_) observer->DrawForSpace(scene_);
    if (scenario_.redraws_network != nullptr && scenario_.redraws_network(options_)) {
      scene_.road.network = scenario_.network(options_, gen_);
    }
    scene_.Begin();
    scenario_.populate(scene_);
    for (const auto& observer : observers_) {
      observer->DrawForSpace(scene_);
      observer->Begin();
    }
    terminated_ = false;
    State state = Allocate(static_cast<int>(num_agents_));
    Observe(state);
    const double reward = Reward();
    WriteInfo(state, reward);
  }

  void Step(const Action& action) override {
    if (scenario_.before_step != nullptr) scenario_.before_step(scene_);
    const Bytes bytes = action["action"_][0];
    for (std::size_t i = 0; i < num_agents_; ++i) {
      scene_.actions[i] = actions_.Read(bytes.data + i * actions_.size());
    }
    State state = Allocate(static_cast<int>(num_agents_));
    if (scenario_.observes_before_moving) {
      Take();
      Observe(state);
      Simulate();
    } else {
      scene_.time += 1 / options_["policy_frequency"_];
      Simulate();
      Observe(state);
    }
    const double reward = Reward();
    terminated_ =
        scenario_.terminated != nullptr ? scenario_.terminated(scene_) : scene_.agent(0).crashed;
    for (std::size_t i = 0; i < num_agents_; ++i) {
      state["reward"_][i] = options_["own_rewards"_] ? agent_rewards_[i] : reward;
    }
    WriteInfo(state, reward);
    if (scenario_.after_step != nullptr) scenario_.after_step(scene_);
  }

  void SaveState(envpool::StateWriter& out) const {
    scene_.Save(out);
    for (const auto& observer : observers_) observer->Save(out);
    out.Write(terminated_);
  }
  void LoadState(envpool::StateReader& in) {
    scene_.Load(in);
    for (const auto& observer : observers_) observer->Load(in);
    in.Read(terminated_);
  }

  std::pair<int, int> RenderSize(int width, int height) const {
    return drawing::FrameSize(width, height, OwnSize());
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    drawing::DrawAtSize(rgb, {width, height}, OwnSize(), [this](const drawing::Canvas& canvas) {
      const std::vector<double>& centering = options_["centering_position"_];
      const FrameView view{OwnSize(), options_["scaling"_], {centering[0], centering[1]}};
      Frame frame(canvas, view, scene_.agent(0).position);
      frame.Draw(scene_.road);
      if (options_["multi_agent"_]) return;  // the package draws the observation of one agent
      const std::vector<Vec> outline = observers_.front()->Outline();
      for (std::size_t i = 0; i < outline.size(); ++i) {
        const Vec from = outline[i], to = outline[(i + 1) % outline.size()];
        drawing::DrawLine(canvas, frame.PixelOf(from), frame.PixelOf(to), drawing::kBlack, 1);
      }
    });
  }

 private:
  drawing::Size OwnSize() const { return {options_["screen_width"_], options_["screen_height"_]}; }
  void Take() {
    for (std::size_t i = 0; i < num_agents_; ++i) {
      actions_.Take(scene_.road, scene_.agent(i), scene_.actions[i]);
    }
  }
  /// AbstractEnv._simulate: the simulation between two decisions.
  void Simulate() {
    const auto frames = static_cast<std::int64_t>(
        std::floor(options_["simulation_frequency"_] / options_["policy_frequency"_]));
    for (std::int64_t i = 0; i < frames; ++i) {
      if (scene_.steps % frames == 0) Take();
      scene_.Simulate();
      ++scene_.steps;
    }
  }
  void Observe(const State& state) {
    const auto arrays = state["obs"_];
    for (std::size_t i = 0; i < num_agents_; ++i) {
      for (std::size_t k = 0; k < arrays.size(); ++k) {
        pointers_[k] = arrays[k].data + arrays[k].size / num_agents_ * i;
      }
      observers_[i]->Observe(scene_, scene_.agent(i), pointers_);
    }
  }
  /// The package's reward. Fills the terms and rewards of all agents, or of the first.
  double Reward() {
    const std::size_t counted = scenario_.mean_of_agents ? scene_.agents.size() : 1;
    std::fill(totals_.begin(), totals_.end(), 0.0);
    double sum = 0;
    for (std::size_t i = 0; i < std::max(counted, num_agents_); ++i) {
      const Vehicle& agent = scene_.agent(i);
      for (std::size_t k = 0; k < values_.size(); ++k) {
        values_[k] = scenario_.terms[k].value(scene_, agent);
        if (i < counted) totals_[k] += values_[k];
      }
      const double reward = scenario_.reward != nullptr
                                ? scenario_.reward(scene_, agent, values_.data())
                                : WeightedSum(scenario_, options_, values_.data());
      if (i < counted) sum += reward;
      if (i < num_agents_) agent_rewards_[i] = reward;
    }
    for (double& total : totals_) total /= static_cast<double>(counted);
    return sum / static_cast<double>(counted);
  }
  void WriteInfo(const State& state, double reward) {
    const auto info = state["info"_];
    std::size_t next = 0;
    const auto numbers = [&] { return reinterpret_cast<double*>(info[next++].data); };
    const auto flags = [&] { return reinterpret_cast<bool*>(info[next++].data); };
    for (double total : totals_) *numbers() = total;
    *numbers() = scene_.agent(0).speed;
    *flags() = scene_.agent(0).crashed;
    *numbers() = reward;
    std::copy(agent_rewards_.begin(), agent_rewards_.end(), numbers());
    bool* const over = flags();
    bool* const success = scenario_.success != nullptr ? flags() : nullptr;
    bool* const available = actions_.meta() ? flags() : nullptr;
    for (std::size_t i = 0; i < num_agents_; ++i) {
      const Vehicle& agent = scene_.agent(i);
      over[i] = scenario_.agent_terminated != nullptr ? scenario_.agent_terminated(scene_, agent)
                                                      : agent.crashed;
      if (success != nullptr) success[i] = scenario_.success(scene_, agent);
      if (available != nullptr) {
        const auto count = static_cast<std::size_t>(actions_.count());
        actions_.WriteAvailable(scene_.road, agent, available + i * count);
      }
    }
  }

  const Options options_;
  const Scenario& scenario_;
  const Actions actions_;
  Scene scene_;
  std::vector<std::unique_ptr<Observer>> observers_;  // one for each agent
  const std::size_t num_agents_;
  std::vector<double> values_, totals_, agent_rewards_;
  std::vector<std::byte*> pointers_;  // to the arrays of one agent's observation
  bool terminated_ = true;
};

}  // namespace envpool::highway
