// SPDX-License-Identifier: Apache-2.0
// FrankaKitchen: an arm with up to seven tasks in a kitchen. KitchenEnv and FrankaRobot of
// gymnasium_robotics.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "envpool/numpy_math.h"
#include "robot_env.h"

namespace envpool::robotics {

/// One of the seven tasks: its indices in qpos, and their goals.
struct KitchenTask {
  const char* name;
  int begin;
  std::vector<double> goal;
  int size() const { return static_cast<int>(goal.size()); }
};

/// All tasks, in the order of the option's default.
inline const std::vector<KitchenTask>& KitchenTasks() {
  static const std::vector<KitchenTask> tasks = {
      {"bottom burner", 11, {-0.88, -0.01}},
      {"top burner", 15, {-0.92, -0.01}},
      {"light switch", 17, {-0.69, -0.05}},
      {"slide cabinet", 19, {0.37}},
      {"hinge cabinet", 20, {0.0, 1.45}},
      {"microwave", 22, {-0.75}},
      {"kettle", 23, {-0.23, 0.75, 1.62, 0.99, 0.0, 0.0, -0.06}}};
  return tasks;
}
inline std::vector<std::string> KitchenNames() {
  std::vector<std::string> names;
  for (const KitchenTask& task : KitchenTasks()) names.emplace_back(task.name);
  return names;
}
/// The tasks that the option `tasks_to_complete` names. Throws OptionError.
inline std::vector<KitchenTask> ChosenTasks(const std::vector<std::string>& names) {
  std::vector<KitchenTask> chosen;
  for (const std::string& name : names) {
    Chosen("tasks_to_complete", name, KitchenNames());
    for (const KitchenTask& known : chosen) {
      if (known.name != name) continue;
      throw OptionError("tasks_to_complete", "'" + name + "' twice", "each task once",
                        "name it once");
    }
    for (const KitchenTask& task : KitchenTasks()) {
      if (task.name == name) chosen.push_back(task);
    }
  }
  if (chosen.empty()) {
    throw OptionError("tasks_to_complete", "none", "some of the seven tasks", "name one");
  }
  return chosen;
}

struct KitchenSpec : RobotSpec {
  static auto DefaultConfig() {
    return RobotOptions("kitchen_franka/kitchen_assets/kitchen_env_model.xml", 40) +
           Dict{"tasks_to_complete"_ = KitchenNames(), "terminate_on_tasks_completed"_ = true,
                "remove_task_when_completed"_ = true, "robot_noise_ratio"_ = 0.01,
                "object_noise_ratio"_ = 0.0005};
  }
  static auto StateSpec(const auto& config) {
    CheckOptions(config);
    const int stack = config["frame_stack"_];
    const auto tasks = ChosenTasks(config["tasks_to_complete"_]);
    SpecMap<double> observations;
    observations.Add("observation", Spec<double>(Stacked(59, stack)));
    for (const std::string kind : {"achieved_goal.", "desired_goal."}) {
      for (const KitchenTask& task : tasks) {
        observations.Add(kind + task.name, Spec<double>(Stacked(task.size(), stack)));
      }
    }
    const Spec<int> mask({static_cast<int>(tasks.size())}, {0, 1});
    return Dict{"info:model"_ = mujoco::FieldInfos(config, TaskModel(config)),
                "obs"_ = std::move(observations), "info:tasks_to_complete"_ = mask,
                "info:step_task_completions"_ = mask, "info:episode_task_completions"_ = mask};
  }
  static auto ActionSpec(const auto&) {
    return Dict{"action"_ = Spec<double>({kPlayers, 9}, std::tuple(-1.0, 1.0))};
  }
};

class Kitchen final : public RobotEnv<KitchenSpec> {
 public:
  Kitchen(const Spec& spec, int env_id)
      : RobotEnv(spec, env_id, TaskModel(spec.config)),
        tasks_(ChosenTasks(spec.config["tasks_to_complete"_])),
        left_(tasks_.size(), 1),
        done_now_(tasks_.size()),
        done_(tasks_.size()),
        stack_(spec.config["frame_stack"_]),
        seen_(static_cast<std::size_t>(stack_ * RowSize())),
        frames_(stack_, static_cast<std::size_t>(RowSize())) {
    if (nq() == kPositions && nv() == kPositions - 1 && nu() == kRobot) return;
    throw OptionError("xml_file",
                      "a model with " + std::to_string(nq()) + " positions and " +
                          std::to_string(nu()) + " actuators",
                      "the kitchen, with 30 and 9", "pass a model of it");
  }

 private:
  static constexpr int kRobot = 9, kPositions = 30;

  void StartEpisode() override {
    // The demonstrations' initial positions, in rad and metres.
    static constexpr double kStart[kPositions] = {
        1.48388023e-01,  -1.76848573e00,  1.84390296e00,   -2.47685760e00,  2.60252026e-01,
        7.12533105e-01,  1.59515394e00,   4.79267505e-02,  3.71350919e-02,  -2.66279850e-04,
        -5.18043486e-05, 3.12877220e-05,  -4.51199853e-05, -3.90842156e-06, -4.22629655e-05,
        6.28065475e-05,  4.04984708e-05,  4.62730939e-04,  -2.26906415e-04, -4.65501369e-04,
        -6.44129196e-03, -1.77048263e-03, 1.08009684e-03,  -2.69397440e-01, 3.50383255e-01,
        1.61944683e00,   1.00618764e00,   4.06395120e-03,  -6.62095997e-03, -2.68278933e-04};
    simulation().Reset();
    std::copy_n(kStart, kPositions, data().qpos);
    simulation().Forward();
    std::fill(left_.begin(), left_.end(), 1);
    std::fill(done_.begin(), done_.end(), 0);
    std::fill(done_now_.begin(), done_now_.end(), 0);
    Measure(true);
  }

  double Advance(const Action& action) override {
    // pos_bound and vel_bound of franka_config.xml, in rad, metres and their rates.
    static constexpr double kLow[] = {-2.9, -1.8, -2.9, -3.1, -2.9, 0.0, -2.9, 0.0, 0.0};
    static constexpr double kHigh[] = {2.9, 1.8, 2.9, 0.0, 2.9, 3.8, 2.9, 0.04, 0.04};
    constexpr double kFastest = 10, kRange = 2;
    const double* a = action["action"_].data();
    for (std::size_t i = 0; i < kRobot; ++i) {
      const double speed =
          std::clamp(0.0 + std::clamp(a[i], -1.0, 1.0) * kRange, -kFastest, kFastest);
      data().ctrl[i] = std::clamp(noisy_[i] + speed * dt(), kLow[i], kHigh[i]);
    }
    simulation().Step(frame_skip());
    Measure(false);
    return Judge();
  }

  double Judge() {
    constexpr double kNear = 0.3;
    int count = 0, ever = 0;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const KitchenTask& task = tasks_[i];
      double away[kPositions];
      for (int k = 0; k < task.size(); ++k) {
        away[k] = data().qpos[task.begin + k] - task.goal[static_cast<std::size_t>(k)];
      }
      done_now_[i] = left_[i] && numpy::Norm(away, task.size()) < kNear;
      if (done_now_[i]) done_[i] = 1;
      if (done_now_[i] && spec_.config["remove_task_when_completed"_]) left_[i] = 0;
      count += done_now_[i];
      ever += done_[i];
    }
    Terminate(spec_.config["terminate_on_tasks_completed"_] &&
              ever == static_cast<int>(tasks_.size()));
    return count;
  }

  // Positions and velocities are observed with noise; the next action starts from the noisy values.
  void Measure(bool first) {
    const auto observe = [this](double* out) {
      const double robot = spec_.config["robot_noise_ratio"_];
      const double object = spec_.config["object_noise_ratio"_];
      out = Noisy(data().qpos, kRobot, robot, PositionNoise().data(), out);
      std::copy_n(out - kRobot, kRobot, noisy_.begin());
      out = Noisy(data().qvel, kRobot, robot, VelocityNoise().data(), out);
      // The reference begins with the amplitude of the robot's last joint.
      out = Noisy(data().qpos + kRobot, nq() - kRobot, object, PositionNoise().data() + 8, out);
      out = Noisy(data().qvel + kRobot, nv() - kRobot, object, VelocityNoise().data() + 9, out);
      for (const KitchenTask& task : tasks_) {
        out = std::copy_n(data().qpos + task.begin, task.size(), out);
      }
      return out;
    };
    frames_.Write(first, observe, seen_.data());
  }
  double* Noisy(const double* values, int count, double ratio, const double* amplitudes,
                double* out) {
    for (int i = 0; i < count; ++i) {
      *out++ = values[i] + ratio * amplitudes[i] * gen_.Uniform(-1.0, 1.0);
    }
    return out;
  }
  /// pos_noise_amp of franka_config.xml, of positions 0 .. 28.
  static const std::array<double, 29>& PositionNoise() {
    static const auto amplitudes = Amplitudes(0.0005);
    return amplitudes;
  }
  /// vel_noise_amp.
  static const std::array<double, 29>& VelocityNoise() {
    static const auto amplitudes = Amplitudes(0.005);
    return amplitudes;
  }
  static std::array<double, 29> Amplitudes(double buttons) {
    std::array<double, 29> all;
    all.fill(0.005);
    std::fill_n(all.begin(), 9, 0.1);
    std::fill_n(all.begin() + 11, 6, buttons);
    for (const std::size_t turned : {20, 21, 22, 26, 27, 28}) all[turned] = 0.1;
    return all;
  }

  void WriteResult(State& state, bool) override {
    const double* from = seen_.data();
    const auto obs = state["obs"_];  // observation, achieved goals, desired goals
    for (int frame = 0; frame < stack_; ++frame) {
      from = Put(from, obs[0].data() + 59 * frame, 59);
      for (std::size_t i = 0; i < tasks_.size(); ++i) {
        const KitchenTask& task = tasks_[i];
        const int at = frame * task.size();
        from = Put(from, obs[1 + i].data() + at, task.size());
        Put(task.goal.data(), obs[1 + tasks_.size() + i].data() + at, task.size());
      }
    }
    state["info:tasks_to_complete"_].Assign(left_.data(), left_.size());
    state["info:step_task_completions"_].Assign(done_now_.data(), done_now_.size());
    state["info:episode_task_completions"_].Assign(done_.data(), done_.size());
  }
  static const double* Put(const double* from, double* to, int count) {
    std::copy_n(from, count, to);
    return from + count;
  }
  /// Size of one observation, without the desired goals, which never change.
  int RowSize() const {
    int size = 59;
    for (const KitchenTask& task : tasks_) size += task.size();
    return size;
  }
  CameraConfig Camera() const override {
    return {.distance = 2.2, .lookat = {{-0.2, 0.5, 2.0}}, .azimuth = 70, .elevation = -35};
  }
  void Save(StateWriter& out) const override {
    out.Write(left_, done_now_, done_, seen_, noisy_);
    frames_.SaveState(out);
  }
  void Load(StateReader& in) override {
    const auto sizes = [this] { return std::array{left_.size(), done_.size(), seen_.size()}; };
    const auto before = sizes();
    in.Read(left_, done_now_, done_, seen_, noisy_);
    if (sizes() != before) throw std::out_of_range("the saved state is of other tasks");
    frames_.LoadState(in);
  }

  const std::vector<KitchenTask> tasks_;
  std::vector<int> left_, done_now_, done_;
  const int stack_;
  std::vector<double> seen_;
  FrameStack<double> frames_;
  std::array<double, kRobot> noisy_{};  // the robot's positions as last observed
};

}  // namespace envpool::robotics
