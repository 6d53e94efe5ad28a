// SPDX-License-Identifier: Apache-2.0
// heterogeneous_forage: a walker collects good targets in a room and avoids bad targets.
// ManyHeterogeneousGoalsMaze of dm_control.locomotion.tasks.random_goal_maze, in the room of the
// example cmu_humanoid_heterogeneous_forage.
//
// In dm_control, NumPy's global generator draws the places of targets and the textures of walls and
// floor, and no seed of an environment reaches it; here a second generator of the environment, with
// the same seed, draws them.
#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "dm_control/names.h"
#include "envpool/random/numpy_legacy_random.h"
#include "locomotion/locomotion_task.h"
#include "locomotion/tasks.h"

namespace envpool::mujoco {
namespace {

constexpr int kTargets = 6, kOfAType = kTargets / 2;
constexpr int kSide = 5;       // cells per side of the room; the outer cells are walls
constexpr double kCell = 3;    // metres
constexpr double kMiddle = 3;  // the cell at the origin; walls count
constexpr std::pair<int, int> kStart = {2, 3}, kCertain = {4, 3};  // row, column: walker, target

class HeterogeneousForage final : public LocomotionTask {
 public:
  explicit HeterogeneousForage(const mjModel& model)
      : LocomotionTask(model, kCmuHumanoid), floor_(Names(model).geom("ground")) {
    for (int i = 0; i < kTargets; ++i) {
      const std::string name =
          "target_" + std::to_string(i / kOfAType) + "_" + std::to_string(i % kOfAType) + "/";
      bodies_[i] = Names(model).body(name);
      geoms_[i] = Names(model).geom(name + "geom");
      materials_[i] = model.geom_matid[geoms_[i]];
      textures_[i] = mj_name2id(&model, mjOBJ_TEXTURE, (name + "target_sphere").c_str());
    }
    const unsigned char* first = model.tex_data + model.tex_adr[textures_[0]];
    swapped_in_model_ = first[0] > first[1];  // red before green
    wall_textures_ = TexturesOf(model, "labmaze_style_01/");
    floor_textures_ = TexturesOf(model, "labmaze_style_01_1/");
    for (int i = 0; i < model.nmat; ++i) {
      const std::string_view name = mj_id2name(&model, mjOBJ_MATERIAL, i);
      if (name.starts_with("wall")) walls_.push_back(i);
      if (name.starts_with("floor")) floors_.push_back(i);
    }
    for (int row = 1; row <= kSide; ++row) {
      for (int column = 1; column <= kSide; ++column) {
        const std::pair<int, int> cell(row, column);
        if (cell != kStart && cell != kCertain) free_.push_back(cell);
      }
    }
  }

  Layout Observations() const override { return walker().Observations(); }
  Simulation::Sensors sensors() const override { return Simulation::Sensors::kAll; }

  void Prepare(Physics& physics) override {
    const mjModel& model = physics.model();
    body_pos_ = physics.Own(&mjModel::body_pos, 3 * model.nbody);
    mat_texid_ = physics.Own(&mjModel::mat_texid, mjNTEXROLE * model.nmat);
    mat_rgba_ = physics.Own(&mjModel::mat_rgba, 4 * model.nmat);
    global_ = physics.random();
  }

  void Start(Physics& physics) override {
    std::array<std::pair<int, int>, kTargets> cells;
    std::vector<std::size_t> order(free_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    global_.Shuffle(order);
    cells[0] = kCertain;
    for (std::size_t i = 1; i < kTargets; ++i) cells[i] = free_[order[i - 1]];
    std::ranges::sort(cells);
    Paint(walls_, wall_textures_);
    Paint(floors_, floor_textures_);
    physics.random().Shuffle(std::span<std::pair<int, int>>(cells));
    if (ShufflesColours(physics.random())) swapped_ = !swapped_;
    for (std::size_t i = 0; i < kTargets; ++i) {
      Place(cells[i], body_pos_ + 3 * bodies_[i]);
      const std::size_t shown = swapped_ != swapped_in_model_ ? (i + kOfAType) % kTargets : i;
      mat_texid_[mjNTEXROLE * materials_[i] + mjTEXROLE_RGB] = textures_[shown];
      mat_rgba_[4 * materials_[i] + 3] = 1;
    }
    taken_.reset();
    // Contacts of the model's initial pose count for this episode.
    physics.Touches();
    Take(physics);
    rewarded_.reset();
    walker().Stand(physics);
    mjtNum start[3];
    Place(kStart, start);
    walker().Shift(physics, start[kX], start[kY], 0);
  }

  void Advance(Physics& physics, int steps) override {
    StepByStep(physics, steps, [&] { Take(physics); });
    reward_ = 0.01;
    for (std::size_t i = 0; i < kTargets; ++i) {
      if (!taken_[i] || rewarded_[i]) continue;
      reward_ += i < kOfAType ? 30. : -10.;
      rewarded_[i] = true;
    }
  }

  double* Observe(const Physics& physics, double* out) const override {
    return walker().Observe(physics, out);
  }
  double Reward(const Physics&) const override { return reward_; }
  /// Also of a failure: dm_control reads the discount before it sets it to 0.
  bool EndsWithoutFailure(const Physics& physics) const override {
    return taken_.all() || walker().Falls(physics, [this](int geom) { return geom == floor_; });
  }

  void Save(envpool::StateWriter& out) const override {
    out.Write(global_, taken_.to_ulong(), rewarded_.to_ulong(), swapped_, reward_);
  }
  void Load(envpool::StateReader& in) override {
    unsigned long taken = 0, rewarded = 0;
    in.Read(global_, taken, rewarded, swapped_, reward_);
    taken_ = taken;
    rewarded_ = rewarded;
  }

 private:
  static std::vector<int> TexturesOf(const mjModel& model, std::string_view prefix) {
    std::vector<int> textures;
    for (int i = 0; i < model.ntex; ++i) {
      const std::string_view name = mj_id2name(&model, mjOBJ_TEXTURE, i);
      if (name.starts_with(prefix)) textures.push_back(i);
    }
    if (textures.empty()) throw MujocoError("the model has no textures " + std::string(prefix));
    return textures;
  }
  static void Place(const std::pair<int, int>& cell, mjtNum* place) {
    place[kX] = (cell.second - kMiddle) * kCell;
    place[kY] = -(cell.first - kMiddle) * kCell;
    place[kZ] = 0;
  }
  static bool ShufflesColours(envpool::NumpyLegacyRandom& random) {
    std::array<int, 2> colours = {0, 1};
    random.Shuffle(std::span<int>(colours));
    return colours[0] == 1;
  }
  void Paint(const std::vector<int>& materials, const std::vector<int>& textures) {
    const std::int64_t chosen = global_.Choice(static_cast<std::int64_t>(textures.size()));
    for (const int material : materials) {
      mat_texid_[mjNTEXROLE * material + mjTEXROLE_RGB] =
          textures[static_cast<std::size_t>(chosen)];
    }
  }
  /// _update_activation of TargetSphere: any geom that touches a target takes it.
  void Take(const Physics& physics) {
    for (int i = 0; i < physics.data().ncon; ++i) {
      const mjContact& contact = physics.data().contact[i];
      for (std::size_t k = 0; k < kTargets; ++k) {
        if (contact.geom[0] != geoms_[k] && contact.geom[1] != geoms_[k]) continue;
        taken_[k] = true;
        mat_rgba_[4 * materials_[k] + 3] = 0;
      }
    }
  }

  const int floor_;
  std::array<int, kTargets> bodies_{}, geoms_{}, materials_{}, textures_{};  // good targets first
  std::vector<int> wall_textures_, floor_textures_, walls_, floors_;
  std::vector<std::pair<int, int>> free_;            // possible cells of targets
  bool swapped_in_model_ = false, swapped_ = false;  // true if good targets are red
  mjtNum* body_pos_ = nullptr;
  int* mat_texid_ = nullptr;
  float* mat_rgba_ = nullptr;
  envpool::NumpyLegacyRandom global_;
  std::bitset<kTargets> taken_, rewarded_;
  double reward_ = 0;
};

}  // namespace

std::unique_ptr<Task> MakeHeterogeneousForage(const mjModel& model) {
  return std::make_unique<HeterogeneousForage>(model);
}

}  // namespace envpool::mujoco
