// SPDX-License-Identifier: Apache-2.0
#include "soccer/pitch.h"

#include <algorithm>
#include <cmath>

#include "dm_control/names.h"

namespace envpool::mujoco {
namespace {

constexpr double kDepth = 32. / 6 / 2;  // half of a goal's, and of its height
constexpr int kWalls = 1;               // the first geom of the world after the ground
constexpr int kLights = 4;
constexpr int kBoards = 30;  // on each side

/// A post of a goal in the cube from -1 to 1 that opens towards x: both ends, and how thick it is.
struct Post {
  Vec3 from, to;
  bool top, support;
};
/// _GOALPOSTS, in the order of the geoms.
constexpr Post kPosts[] = {
    {{1, -1, -1}, {1, -1, 1}, false, false},  {{1, 1, -1}, {1, 1, 1}, false, false},
    {{1, -1, 1}, {1, 1, 1}, true, false},     {{1, -1, -1}, {-1, -1, -1}, false, false},
    {{1, 1, -1}, {-1, 1, -1}, false, false},  {{-1, -1, -1}, {-1, 1, -1}, false, false},
    {{-1, -1, -1}, {.2, -1, 1}, false, true}, {{.2, -1, 1}, {1, -1, 1}, true, true},
    {{-1, 1, -1}, {.2, 1, 1}, false, true},   {{.2, 1, 1}, {1, 1, 1}, true, true},
};

}  // namespace

Pitch::Pitch(const mjModel& model)
    : geoms_(model, {0, Names(model).body("home_goal/"), Names(model).body("away_goal/")}),
      first_post_(model.body_geomnum[0]) {}

void Pitch::Prepare(Physics& physics) {
  const mjModel& model = physics.model();
  geoms_.Prepare(physics);
  ground_ = model.geom_size;  // its own since then
  site_pos_ = physics.Own(&mjModel::site_pos, 3 * model.nsite);
  site_size_ = physics.Own(&mjModel::site_size, 3 * model.nsite);
  light_pos_ = physics.Own(&mjModel::light_pos, 3 * model.nlight);
  light_dir_ = physics.Own(&mjModel::light_dir, 3 * model.nlight);
}

void Pitch::Draw(envpool::NumpyLegacyRandom& random) {
  // dm_control does it twice, as a part of the task and of the scene; the second time counts.
  for (int i = 0; i < 2; ++i) random.Uniform(0, 1);
  const double length = 32 + random.Uniform(0, 1) * (48 - 32);
  SetSize(length, 24 + random.Uniform(0, 1) * (36 - 24));
}

void Pitch::SetSize(double length, double width) {
  size_ = {length, width};
  const Vec3 half = {kDepth, width * 0.33, kDepth};
  PlaceGoal(Team::kHome, half);
  PlaceGoal(Team::kAway, half);
  const Vec3 field = {length - 2 * kDepth, width - 2 * kDepth, 0};
  field_ = {{-field[0], -field[1], 0}, field};
  PlacePlanes();
  geoms_.FindVolumes();
  PlaceWhatIsSeen();
}

void Pitch::PlaceGoal(Team team, const Vec3& half) {
  const bool home = team == Team::kHome;
  const double out = home ? -size_[0] + half[0] : size_[0] - half[0];
  const Vec3 middle = {out, 0, half[2]};
  Zone& zone = goals_[static_cast<std::size_t>(team)];
  for (std::size_t i = 0; i < 3; ++i) {
    zone.lower[i] = middle[i] - half[i];
    zone.upper[i] = middle[i] + half[i];
  }
  const double sign = home ? 1 : -1;
  const auto placed = [&](const Vec3& end) {
    return Vec3{end[0] * sign * half[0] + middle[0], end[1] * sign * half[1] + middle[1],
                end[2] * half[2] + middle[2]};
  };
  const double thick = 0.07 * (half[0] + half[1] + half[2]) / 3;
  int number = first_post_ + (home ? 0 : static_cast<int>(std::size(kPosts)));
  for (const Post& post : kPosts) {
    double radius = thick;
    if (post.top) radius *= 1.01;
    if (post.support) radius *= 0.75;
    geoms_.PlaceCapsule(number++, placed(post.from), placed(post.to), radius);
  }
}

void Pitch::PlacePlanes() {
  const double length = size_[0], width = size_[1], grid = std::max(length, width) / 100;
  ground_[0] = field_.upper[0];
  ground_[1] = field_.upper[1];
  ground_[2] = grid;
  // Players run against these.
  const Vec3 thin = {1e-7, 1e-7, 1e-7};
  int plane = kWalls;
  for (const double y : {-width, width}) geoms_.PlacePlane(plane++, {0, y, 0}, thin);
  for (const double x : {-length, length}) geoms_.PlacePlane(plane++, {x, 0, 0}, thin);
  for (const int x : {-1, 0, 1}) {
    for (const int y : {-1, 0, 1}) {
      if (x == 0 && y == 0) continue;
      geoms_.PlacePlane(
          plane++, {x * (length - kDepth), y * (width - kDepth), 0},
          {x == 0 ? length - 2 * kDepth : kDepth, y == 0 ? width - 2 * kDepth : kDepth, grid});
    }
  }
}

void Pitch::PlaceWhatIsSeen() {
  const auto put = [](mjtNum* array, int row, double x, double y, double z) {
    array[3 * row] = x;
    array[3 * row + 1] = y;
    array[3 * row + 2] = z;
  };
  const double length = size_[0], width = size_[1];
  int board = 0;
  const double thin = kDepth / 8, high = kDepth / 2;
  for (const bool along_width : {false, true}) {
    const double side = along_width ? width + 2 * thin : length;
    const double away = (along_width ? length : width) + thin;
    for (const int sign : {-1, 1}) {
      for (int i = 0; i < kBoards; ++i, ++board) {
        const double at = (2 * i + 1 - kBoards) * side / kBoards;
        put(site_pos_, board, along_width ? sign * away : at, along_width ? at : sign * away, thin);
        put(site_size_, board, along_width ? thin : side / kBoards,
            along_width ? side / kBoards : thin, high);
      }
    }
  }
  const double height = (length + width) / 2 * 2 / 3;
  for (int light = 0; light < kLights; ++light) {
    const double x = light < 2 ? -length : length, y = light % 2 == 0 ? -width : width;
    const double far = std::sqrt(x * x + y * y + 4 * height * height);
    put(light_pos_, light, x, y, height);
    put(light_dir_, light, -x / far, -y / far, -2 * height / far);
  }
}

}  // namespace envpool::mujoco
