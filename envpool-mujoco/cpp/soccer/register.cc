// SPDX-License-Identifier: Apache-2.0
#include "soccer/register.h"

#include <mujoco/mujoco.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dm_control/names.h"
#include "dm_control/physics.h"
#include "envpool/env.h"
#include "envpool/module.h"
#include "envpool/random/numpy_legacy_random.h"
#include "envpool/state_io.h"
#include "envpool_mujoco/field_options.h"
#include "envpool_mujoco/model_store.h"
#include "envpool_mujoco/renderer.h"
#include "envpool_mujoco/simulated_env.h"
#include "soccer/pitch.h"
#include "soccer/player.h"

namespace envpool::mujoco {
namespace {
using namespace envpool::literals;

constexpr int kMostOfATeam = 11;

struct SoccerSpec : SimulatedSpec<SoccerSpec> {
  static SharedModel Model(const auto& config) {
    return ModelStore::Load(config["model"_], "model");
  }
  static auto DefaultConfig() {
    return envpool::Dict{"walker"_ = std::string("boxhead"), "team_size"_ = 2,
                         "model"_ = std::string(), "frame_skip"_ = 5, "render_quality"_ = "full"} +
           FieldOptions();
  }
  static auto StateSpec(const auto& config) {
    Check(config);
    QualityOf(config["render_quality"_]);  // or it is refused
    const SharedModel model = Model(config);
    envpool::SpecList observations;
    const auto players = Players(*model, config["walker"_], config["team_size"_]);
    for (auto [name, shape] : players[0].Observations()) {
      shape.insert(shape.begin(), envpool::kPlayers);
      const std::string key = "obs:" + name;
      observations.arrays.push_back(
          Player::IsFlag(name) ? envpool::MakeArraySpec(key, envpool::Spec<bool>(shape))
                               : envpool::MakeArraySpec(key, envpool::Spec<double>(shape)));
    }
    return envpool::Dict{"obs"_ = std::move(observations),
                         "info:model"_ = FieldInfos(config, model),
                         "info:mujoco_warning"_ = envpool::Spec<int>({mjNWARNING})};
  }
  static auto ActionSpec(const auto& config) {
    Check(config);
    const SharedModel model = Model(config);
    const int count = ModelSizes(*model).nu / (2 * config["team_size"_]);
    std::vector<double> low, high;
    for (int i = 0; i < count; ++i) {
      low.push_back(model->actuator_ctrlrange[2 * i]);
      high.push_back(model->actuator_ctrlrange[2 * i + 1]);
    }
    return envpool::Dict{
        "action"_ = envpool::Spec<double>({envpool::kPlayers, count}, std::tuple(low, high))};
  }

 private:
  static void Check(const auto& config) {
    const int size = config["team_size"_];
    if (size < 1 || size > kMostOfATeam) {
      throw envpool::OptionError("team_size", std::to_string(size), "1 .. 11",
                                 "pass how many players a team has");
    }
    const std::string& walker = config["walker"_];
    if (walker != "boxhead" && walker != "ant") {
      throw envpool::OptionError("walker", "'" + walker + "'", "'boxhead', 'ant'",
                                 "leave the option out");
    }
    if (config["max_num_players"_] < 2 * size) {
      throw envpool::OptionError("max_num_players", std::to_string(config["max_num_players"_]),
                                 "at least both teams", "leave the option out");
    }
    if (config["frame_skip"_] < 1) {
      throw envpool::OptionError("frame_skip", std::to_string(config["frame_skip"_]), "1 or more",
                                 "pass how many steps of the simulation an action lasts");
    }
  }
};

class Soccer final : public SimulatedEnv<SoccerSpec, envpool::NumpyLegacyRandom> {
 public:
  Soccer(const Spec& spec, int env_id)
      : SimulatedEnv(spec, env_id, SoccerSpec::Model(spec.config),
                     DmControlLook(*SoccerSpec::Model(spec.config)), kFrameSize,
                     DataOwner::kEnvironment),
        physics_(simulation(), gen_),
        pitch_(model()),
        players_(Players(model(), spec.config["walker"_], spec.config["team_size"_])),
        ball_(Names(model()).geom("soccer_ball/geom")),
        ball_qpos_(Names(model()).qpos("soccer_ball/")),
        ball_qvel_(Names(model()).qvel("soccer_ball/")) {
    SetPlayers(static_cast<int>(players_.size()));
    pitch_.Prepare(physics_);
    for (const auto& [name, shape] : players_[0].Observations()) {
      sizes_.push_back(shape.empty() ? 1 : static_cast<std::size_t>(shape[0]));
      flags_.push_back(Player::IsFlag(name));
      row_size_ += sizes_.back();
    }
    rows_.resize(row_size_ * players_.size());
  }

 private:
  static constexpr FrameSize kFrameSize{320, 240};
  static constexpr int kAttempts = 101;
  static constexpr double kSpread = 0.6;  // of the pitch, where a start may be
  static constexpr double kDrop = 0.5;    // metres above the ground, where the ball begins

  // scored_ stays until the next step: observations of a start still name the team that scored.
  void StartEpisode() override {
    pitch_.Draw(gen_);
    simulation().Reset();
    const std::array<double, 2> range = {pitch_.size()[0] * kSpread, pitch_.size()[1] * kSpread};
    int attempts = 0;
    do {
      if (attempts++ == kAttempts) {
        throw std::runtime_error("no start without contacts of players was found in " +
                                 std::to_string(kAttempts) + " attempts");
      }
      const double x = gen_.Uniform(-range[0], range[0]);
      PutBall(x, gen_.Uniform(-range[1], range[1]));
      for (const Player& player : players_) player.Start(physics_, range);
    } while (physics_.Touches() && PlayersTouch());
    is_out_ = false;
  }
  void ComputeStart(bool /*changed*/) override { physics_.Forward(); }

  double Advance(const Action& action) override {
    if (is_out_) ReturnBall();
    std::copy_n(action["action"_].data(), nu(), data().ctrl);
    scored_.reset();
    for (int left = frame_skip(); left > 0; --left) {
      physics_.Step(1, left == 1 ? Simulation::Sensors::kAll : Simulation::Sensors::kNone);
      const mjtNum* ball = physics_.geom_xpos(ball_);
      is_out_ = !pitch_.field().Holds(ball, 2);
      // A ball in both goals is in none.
      if (pitch_.goal(Team::kHome).Holds(ball, 3)) scored_ = Team::kAway;
      if (!scored_ && pitch_.goal(Team::kAway).Holds(ball, 3)) scored_ = Team::kHome;
    }
    Terminate(scored_.has_value());
    return 0;
  }

  void WriteResult(State& state, bool first) override {
    double* out = rows_.data();
    for (std::size_t i = 0; i < players_.size(); ++i) {
      const Player& player = players_[i];
      out = player.Observe(physics_, pitch_, players_, scored_, out);
      const double won = scored_ == player.team() ? 1 : -1;
      state["reward"_][i] = static_cast<float>(scored_ && !first ? won : 0);
    }
    std::size_t begin = 0;
    for (std::size_t i = 0; i < sizes_.size(); begin += sizes_[i++]) {
      std::byte* to = state["obs"_][i].data;
      for (std::size_t player = 0; player < players_.size(); ++player) {
        const double* from = rows_.data() + player * row_size_ + begin;
        if (flags_[i]) {
          *to++ = static_cast<std::byte>(*from != 0);
        } else {
          std::memcpy(to, from, sizes_[i] * sizeof(double));
          to += sizes_[i] * sizeof(double);
        }
      }
    }
  }

  void Save(StateWriter& out) const override {
    out.Write(pitch_.size()[0], pitch_.size()[1], is_out_, scored_.has_value(),
              scored_ == Team::kAway);
  }
  void Load(StateReader& in) override {
    double length = 0, width = 0;
    bool scored = false, away = false;
    in.Read(length, width, is_out_, scored, away);
    pitch_.SetSize(length, width);
    scored_.reset();
    if (scored) scored_ = away ? Team::kAway : Team::kHome;
  }

  void PutBall(double x, double y) {
    mjtNum* pose = data().qpos + ball_qpos_;
    pose[kX] = x;
    pose[kY] = y;
    pose[kZ] = kDrop;
    std::fill_n(data().qvel + ball_qvel_, 6, 0);
  }
  /// _throw_in.
  void ReturnBall() {
    const mjtNum* ball = physics_.geom_xpos(ball_);
    const double x = ball[kX], y = ball[kY];
    const double nearer = gen_.Uniform(0.7, 0.9);
    PutBall(x * nearer, y * gen_.Uniform(0.7, 0.9));
  }
  /// Whether players touch each other. dm_control means the ball as well, and misses it.
  bool PlayersTouch() const {
    const auto owner = [this](int geom) {
      return std::ranges::find_if(players_, [geom](const Player& one) { return one.Has(geom); });
    };
    for (int i = 0; i < data().ncon; ++i) {
      const auto one = owner(data().contact[i].geom[0]), other = owner(data().contact[i].geom[1]);
      if (one != players_.end() && other != players_.end() && one != other) return true;
    }
    return false;
  }

  Physics physics_;
  Pitch pitch_;
  const std::vector<Player> players_;
  const int ball_, ball_qpos_, ball_qvel_;
  std::vector<std::size_t> sizes_;  // of the arrays of an observation
  std::vector<bool> flags_;         // whether they say yes or no
  std::size_t row_size_ = 0;
  std::vector<double> rows_;  // the numbers of all players
  std::optional<Team> scored_;
  bool is_out_ = false;
};

}  // namespace

void RegisterSoccer(pybind11::module_& m) { envpool::Register<Soccer>(m, "Soccer"); }

}  // namespace envpool::mujoco
