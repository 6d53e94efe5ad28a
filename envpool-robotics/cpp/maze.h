// SPDX-License-Identifier: Apache-2.0
// Mazes: a ball or an ant goes to a place between walls. PointMazeEnv and AntMazeEnv of
// gymnasium_robotics, versions 3 to 5. Python makes the model and lists the cells.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "envpool_mujoco/numpy_blas.h"
#include "robot_env.h"

namespace envpool::robotics {

/// Options of every maze. Cells are centers in metres: x and y, cell after cell.
inline auto MazeOptions(int frame_skip) {
  return RobotOptions("", frame_skip) + Dict{"reward_type"_ = "sparse",
                                             "continuing_task"_ = true,
                                             "reset_target"_ = false,
                                             "position_noise_range"_ = 0.25,
                                             "cell_size"_ = 1.0,
                                             "least_distance"_ = 0.5,
                                             "camera_distance"_ = 0.0,
                                             "goal_cells"_ = std::vector<double>{},
                                             "start_cells"_ = std::vector<double>{},
                                             "map_rows"_ = std::vector<std::string>{}};
}

/// Throws OptionError for invalid options of a maze.
inline void CheckMazeOptions(const auto& config) {
  IsSparse(config["reward_type"_]);
  CheckNotNegative("position_noise_range", config["position_noise_range"_]);
}

/// Row and column of the start's and the goal's cells; they are drawn if not given.
inline auto MazeResetOptions() {
  return Dict{"goal_cell"_ = std::vector<int>{}, "reset_cell"_ = std::vector<int>{}};
}
/// The middle of a cell of a map, in metres.
inline std::array<double, 2> MiddleOf(const std::vector<int>& cell, const auto& config) {
  const std::vector<std::string>& rows = config["map_rows"_];
  const double size = config["cell_size"_];
  return {(cell[1] + 0.5) * size - static_cast<double>(rows[0].size()) / 2 * size,
          static_cast<double>(rows.size()) / 2 * size - (cell[0] + 0.5) * size};
}
/// Throws OptionError unless each is a free cell of the map, and unless a drawn start can differ
/// from a given goal.
inline void CheckMazeCells(const auto& options, const auto& config) {
  const std::vector<std::string>& rows = config["map_rows"_];
  const auto check = [&rows](std::string_view name, const std::vector<int>& cell) {
    if (cell.empty()) return;
    const auto inside = [](int i, std::size_t count) {
      return i >= 0 && static_cast<std::size_t>(i) < count;
    };
    if (cell.size() == 2 && inside(cell[0], rows.size()) && inside(cell[1], rows[0].size()) &&
        rows[static_cast<std::size_t>(cell[0])][static_cast<std::size_t>(cell[1])] != '#') {
      return;
    }
    std::string text;
    for (const int number : cell) text += (text.empty() ? "" : ", ") + std::to_string(number);
    const std::size_t columns = rows.empty() ? 0 : rows[0].size();
    throw OptionError(std::string(name), "[" + text + "]",
                      "row and column of a free cell, of " + std::to_string(rows.size()) + " x " +
                          std::to_string(columns),
                      "pass a cell that is no wall");
  };
  check("goal_cell", options["goal_cell"_]);
  check("reset_cell", options["reset_cell"_]);
  const std::vector<int>& goal = options["goal_cell"_];
  if (goal.empty() || !options["reset_cell"_].empty()) return;
  const auto [x, y] = MiddleOf(goal, config);
  const std::vector<double>& starts = config["start_cells"_];
  for (std::size_t i = 0; i + 1 < starts.size(); i += 2) {
    if (std::hypot(starts[i] - x, starts[i + 1] - y) > config["least_distance"_]) return;
  }
  throw OptionError("goal_cell",
                    "[" + std::to_string(goal[0]) + ", " + std::to_string(goal[1]) +
                        "], where every start of the map is",
                    "a cell away from some start, or a reset_cell beside it", "pass reset_cell");
}

/// Cells of an option: pairs of numbers. Throws OptionError if there are none.
struct Cells {
  Cells(const std::string& option, const std::vector<double>& numbers) : places(numbers) {
    if (!places.empty() && places.size() % 2 == 0) return;
    throw OptionError("maze_map", "a map without cells for its " + option,
                      "0, 'r', 'g' and 'c' for cells that are free", "mark free cells");
  }
  int count() const { return static_cast<int>(places.size() / 2); }
  const double* operator[](std::int64_t i) const { return places.data() + 2 * i; }
  const std::vector<double> places;
};

template <typename Description>
class MazeEnv : public GoalEnv<Description> {
 public:
  using Base = GoalEnv<Description>;
  using typename Base::Spec;
  using typename Base::State;

  MazeEnv(const Spec& spec, int env_id)
      : Base(spec, env_id, TaskModel(spec.config)),
        goals_("goals", spec.config["goal_cells"_]),
        starts_("starts", spec.config["start_cells"_]),
        sparse_(IsSparse(spec.config["reward_type"_])),
        target_(mujoco::SiteOf(this->model(), "target")) {}

 protected:
  static constexpr double kReached = 0.45;  // metres

  /// reset: draws a goal and the agent's start.
  void DrawPlaces(double* start) {
    const auto& config = this->spec_.config;
    const double least = config["least_distance"_];
    const auto& given = this->reset_options();
    if (const std::vector<int>& cell = given["goal_cell"_]; !cell.empty()) {
      std::copy_n(MiddleOf(cell, config).begin(), 2, this->goal().data());
      AddNoise(this->goal().data());
    } else {
      DrawGoal();
    }
    if (const std::vector<int>& cell = given["reset_cell"_]; !cell.empty()) {
      std::copy_n(MiddleOf(cell, config).begin(), 2, start);
    } else {
      for (int tries = 0;; ++tries) {
        CheckTries(tries);
        std::copy_n(starts_[this->gen_.Integers(0, starts_.count())], 2, start);
        if (!(Away(start) <= least)) break;
      }
    }
    AddNoise(start);
  }
  /// Computes success and the reward from the current observation, and perhaps draws a new goal,
  /// which the next observation shows.
  double Judge() {
    const double distance = Away(this->achieved());
    success_ = distance <= kReached;
    const auto& config = this->spec_.config;
    this->Terminate(success_ && !config["continuing_task"_]);
    if (success_ && config["continuing_task"_] && config["reset_target"_] && goals_.count() > 1) {
      for (int tries = 0; Away(this->achieved()) <= kReached; ++tries) {
        CheckTries(tries);
        DrawGoal();
      }
    }
    return sparse_ ? (success_ ? 1.0 : 0.0) : std::exp(-distance);
  }
  /// Computes success for an episode's first observation, without further effects.
  void Look() { success_ = Away(this->achieved()) <= kReached; }
  bool success() const { return success_; }

  void Achieve(double* out) const override { std::copy_n(this->data().qpos, 2, out); }
  void ShowGoals(mjData& data) const override {
    std::copy_n(this->goal().data(), 2, data.site_xpos + 3 * target_);
  }
  void SaveTask(StateWriter& out) const override { out.Write(success_); }
  void LoadTask(StateReader& in) override { in.Read(success_); }

 private:
  void DrawGoal() {
    double place[2];
    std::copy_n(goals_[this->gen_.Integers(0, goals_.count())], 2, place);
    AddNoise(place);
    std::copy_n(place, 2, this->goal().begin());
  }
  void AddNoise(double* place) {
    const auto& config = this->spec_.config;
    const double range = config["position_noise_range"_], size = config["cell_size"_];
    const double x = this->gen_.Uniform(-range, range) * size;
    const double y = this->gen_.Uniform(-range, range) * size;
    place[0] += x;
    place[1] += y;
  }
  double Away(const double* place) const {
    const double way[] = {place[0] - this->goal()[0], place[1] - this->goal()[1]};
    return numpy::Norm(way, 2);
  }
  static void CheckTries(int tries) {
    if (tries < 100'000) return;
    throw std::runtime_error(
        "no place is far enough from another one: the map has too few free cells");
  }

  const Cells goals_, starts_;
  const bool sparse_;
  const int target_;
  bool success_ = false;
};

struct PointMazeSpec : RobotSpec {
  static auto DefaultConfig() { return MazeOptions(1); }
  static auto StateSpec(const auto& config) {
    CheckMazeOptions(config);
    return GoalState(config, 4, 2) + Dict{"info:success"_ = Spec<bool>({})};
  }
  static auto ActionSpec(const auto&) { return UnitActions(2); }
  static auto ResetOptions(const auto& config) {
    return MazeResetOptions() + RobotSpec::ResetOptions(config);
  }
  static void CheckResetOptions(const auto& options, const auto& config) {
    CheckMazeCells(options, config);
    RobotSpec::CheckResetOptions(options, config);
  }
};

class PointMaze final : public MazeEnv<PointMazeSpec> {
 public:
  PointMaze(const Spec& spec, int env_id) : MazeEnv(spec, env_id) {
    if (nq() == 2 && nv() == 2 && nu() == 2) return;
    throw OptionError("xml_file",
                      "a model with " + std::to_string(nq()) + " positions, " +
                          std::to_string(nv()) + " velocities and " + std::to_string(nu()) +
                          " actuators",
                      "a ball, with 2 of each", "pass a model that is made as the reference's");
  }

 private:
  void StartEpisode() override {
    simulation().Reset();
    double start[2];
    DrawPlaces(start);
    std::copy_n(start, 2, data().qpos);
    simulation().Forward();
    Measure(true);
    Look();
  }
  // The reference also calls mj_forward before each step, which changes no bit.
  double Advance(const Action& action) override {
    constexpr double kFastest = 5.0;  // metres per second
    for (int i = 0; i < nv(); ++i) {
      data().qvel[i] = std::clamp(data().qvel[i], -kFastest, kFastest);
    }
    const float* a = action["action"_].data();
    for (int i = 0; i < nu(); ++i) data().ctrl[i] = std::clamp(a[i], -1.0f, 1.0f);
    simulation().Step(frame_skip());
    Measure(false);
    return Judge();
  }
  void Observe(double* out) const override {
    std::copy_n(data().qvel, 2, std::copy_n(data().qpos, 2, out));
  }
  void Tell(const State& state, bool) const override { state["info:success"_] = success(); }
  CameraConfig Camera() const override { return {.distance = spec_.config["camera_distance"_]}; }
};

/// The version of AntMaze whose rules apply: 3, 4 or 5. Throws OptionError for others.
inline int AntMazeVersion(const auto& config) {
  return Chosen("version", config["version"_], {3, 4, 5});
}

struct AntMazeSpec : RobotSpec {
  static auto DefaultConfig() {
    return MazeOptions(5) + Dict{"version"_ = 5,
                                 "forward_reward_weight"_ = 1.0,
                                 "ctrl_cost_weight"_ = 0.5,
                                 "contact_cost_weight"_ = 5e-4,
                                 "healthy_reward"_ = 1.0,
                                 "healthy_z_range"_ = std::vector{0.2, 1.0},
                                 "contact_force_range"_ = std::vector{-1.0, 1.0}};
  }
  static auto StateSpec(const auto& config) {
    CheckMazeOptions(config);
    for (const auto& [name, range] :
         {std::pair("healthy_z_range", config["healthy_z_range"_]),
          std::pair("contact_force_range", config["contact_force_range"_])}) {
      if (range.size() == 2 && range[0] <= range[1]) continue;
      if (range.size() == 2) {
        throw OptionError(name, std::to_string(range[0]) + " and " + std::to_string(range[1]),
                          "a lower and an upper end", "exchange the two");
      }
      throw OptionError(name, std::to_string(range.size()) + " numbers",
                        "two, the lower and the upper end", "pass both ends");
    }
    const int version = AntMazeVersion(config);
    SpecMap<double> infos;
    for (const char* name : {"x_position", "y_position", "distance_from_origin", "x_velocity",
                             "y_velocity", "reward_forward"}) {
      infos.Add(name, Spec<double>({}));
    }
    infos.Add(version == 5 ? "reward_contact" : "forward_reward", Spec<double>({}));
    infos.Add("reward_survive", Spec<double>({}));
    return GoalState(config, version == 5 ? 105 : 27, 2) +
           Dict{"info"_ = std::move(infos), "info:reward_ctrl"_ = Spec<float>({}),
                "info:success"_ = Spec<bool>({})};
  }
  static auto ActionSpec(const auto&) { return UnitActions(8); }
  static auto ResetOptions(const auto& config) {
    return MazeResetOptions() + RobotSpec::ResetOptions(config);
  }
  static void CheckResetOptions(const auto& options, const auto& config) {
    CheckMazeCells(options, config);
    RobotSpec::CheckResetOptions(options, config);
  }
};

class AntMaze final : public MazeEnv<AntMazeSpec> {
 public:
  AntMaze(const Spec& spec, int env_id)
      : MazeEnv(spec, env_id),
        version_(AntMazeVersion(spec.config)),
        torso_(mujoco::BodyOf(model(), "torso")) {
    const auto& sizes = simulation().sizes();
    if (sizes.nq == 15 && sizes.nv == 14 && sizes.nu == 8 && sizes.nbody == 14) return;
    throw OptionError("xml_file",
                      "a model with " + std::to_string(sizes.nq) + " positions, " +
                          std::to_string(sizes.nv) + " velocities, " + std::to_string(sizes.nu) +
                          " actuators and " + std::to_string(sizes.nbody) + " bodies",
                      "an ant, with 15, 14, 8 and 14", "pass a model that is made as Gymnasium's");
  }

 private:
  void StartEpisode() override {
    simulation().Reset();
    double start[2];
    DrawPlaces(start);
    std::copy_n(start, 2, data().qpos);
    simulation().Forward();
    FindForces();
    FindPlace();
    forward_ = x_velocity_ = y_velocity_ = survive_ = contact_cost_ = 0;
    ctrl_cost_ = 0;
    Measure(true);
    Look();
  }
  double Advance(const Action& action) override {
    const auto& config = spec_.config;
    const float* a = action["action"_].data();
    std::copy_n(a, nu(), data().ctrl);
    const double x = x_, y = y_;
    simulation().Step(frame_skip());
    FindForces();
    FindPlace();
    x_velocity_ = (x_ - x) / dt();
    y_velocity_ = (y_ - y) / dt();
    forward_ = version_ == 5 ? x_velocity_ * config["forward_reward_weight"_] : x_velocity_;
    ctrl_cost_ = static_cast<float>(config["ctrl_cost_weight"_]) * numpy::SumOfSquares(a, nu());
    survive_ = version_ < 5 || IsHealthy() ? config["healthy_reward"_] : 0.0;
    if (version_ == 5) contact_cost_ = ContactCost();
    Measure(false);
    return Judge();
  }
  bool IsHealthy() const {
    const auto finite = [](double x) { return std::isfinite(x); };
    const auto& range = spec_.config["healthy_z_range"_];
    return std::all_of(data().qpos, data().qpos + nq(), finite) &&
           std::all_of(data().qvel, data().qvel + nv(), finite) && range[0] <= data().qpos[2] &&
           data().qpos[2] <= range[1];
  }
  double Clipped(double force) const {
    const auto& range = spec_.config["contact_force_range"_];
    return std::clamp(force, range[0], range[1]);
  }
  double ContactCost() const {
    const auto square = [this](int i) {
      const double force = Clipped(data().cfrc_ext[i]);
      return force * force;
    };
    return spec_.config["contact_cost_weight"_] * numpy::PairwiseSum(square, 0, 6 * sizes_.nbody);
  }
  // Only the observation reads them, and the next mj_step does not need them.
  void FindForces() {
    if (version_ == 5) simulation().ComputeBodyForces();
  }
  void FindPlace() {
    x_ = data().xpos[3 * torso_];
    y_ = data().xpos[3 * torso_ + 1];
  }

  void Observe(double* out) const override {
    out = std::copy(data().qpos + 2, data().qpos + nq(), out);
    out = std::copy_n(data().qvel, nv(), out);
    if (version_ < 5) return;
    const int bodies = sizes_.nbody;
    std::transform(data().cfrc_ext + 6, data().cfrc_ext + 6 * bodies, out,
                   [this](double force) { return Clipped(force); });
  }
  void Tell(const State& state, bool first) const override {
    state["info:success"_] = success();
    if (first && version_ < 5) return;
    const auto infos = state["info"_];
    const double place[] = {version_ == 5 ? data().qpos[0] : x_,
                            version_ == 5 ? data().qpos[1] : y_};
    infos["x_position"] = place[0];
    infos["y_position"] = place[1];
    infos["distance_from_origin"] = numpy::Norm(place, 2);
    if (first) return;
    infos["x_velocity"] = x_velocity_;
    infos["y_velocity"] = y_velocity_;
    infos["reward_forward"] = forward_;
    if (version_ == 5) {
      infos["reward_contact"] = -contact_cost_;
    } else {
      infos["forward_reward"] = forward_;
    }
    infos["reward_survive"] = survive_;
    state["info:reward_ctrl"_] = -ctrl_cost_;
  }
  CameraConfig Camera() const override { return {.distance = 4.0}; }
  void SaveTask(StateWriter& out) const override {
    MazeEnv::SaveTask(out);
    out.Write(x_, y_);
  }
  void LoadTask(StateReader& in) override {
    MazeEnv::LoadTask(in);
    in.Read(x_, y_);
  }

  const mujoco::ModelSizes sizes_{model()};
  const int version_, torso_;
  double x_ = 0, y_ = 0, x_velocity_ = 0, y_velocity_ = 0;
  double forward_ = 0, survive_ = 0, contact_cost_ = 0;
  float ctrl_cost_ = 0;  // NumPy's float32, like the action
};

}  // namespace envpool::robotics
