// SPDX-License-Identifier: Apache-2.0
#include "car_racing_track.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace envpool::box2d {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kCheckpoints = 12;
constexpr double kStartAlpha = 2 * kPi * -0.5 / kCheckpoints;

struct Checkpoint {
  double alpha, x, y;  // angle seen from the middle, and place
};

std::array<Checkpoint, kCheckpoints> Checkpoints(NumpyRandom& random) {
  std::array<Checkpoint, kCheckpoints> checkpoints;
  for (int c = 0; c < kCheckpoints; ++c) {
    const double noise = random.Uniform(0, 2 * kPi * 1 / kCheckpoints);
    double alpha = 2 * kPi * c / kCheckpoints + noise;
    double radius = random.Uniform(kTrackRadius / 3, kTrackRadius);
    // The first and the last checkpoint are fixed; the start is between them.
    if (c == 0) {
      alpha = 0;
      radius = 1.5 * kTrackRadius;
    } else if (c == kCheckpoints - 1) {
      alpha = 2 * kPi * c / kCheckpoints;
      radius = 1.5 * kTrackRadius;
    }
    checkpoints[static_cast<std::size_t>(c)] = {alpha, radius * std::cos(alpha),
                                                radius * std::sin(alpha)};
  }
  return checkpoints;
}

}  // namespace

const std::vector<TrackPoint>& TrackMaker::Make(NumpyRandom& random) {
  do {
    Walk(random);
  } while (!TakeLap());
  FindBorders();
  return track_;
}

// Walks from checkpoint to checkpoint for five laps, at most 2,500 steps.
void TrackMaker::Walk(NumpyRandom& random) {
  constexpr double kPixels = 6;  // for each m
  const std::array<Checkpoint, kCheckpoints> checkpoints = Checkpoints(random);
  way_.clear();
  double x = 1.5 * kTrackRadius, y = 0, beta = 0;
  std::size_t next = 0;
  int laps = 0;
  bool on_other_side = false;
  for (int left = 2500; left > 0; --left) {
    double alpha = std::atan2(y, x);
    if (on_other_side && alpha > 0) {
      ++laps;
      on_other_side = false;
    }
    if (alpha < 0) {
      on_other_side = true;
      alpha += 2 * kPi;
    }
    // The next checkpoint ahead; past the last one the angle begins anew.
    while (alpha > checkpoints[next % kCheckpoints].alpha) {
      if (++next % kCheckpoints == 0) alpha -= 2 * kPi;
    }
    const Checkpoint& goal = checkpoints[next % kCheckpoints];
    const double across_x = std::cos(beta), across_y = std::sin(beta);
    const double to_goal = across_x * (goal.x - x) + across_y * (goal.y - y);
    while (beta - alpha > 1.5 * kPi) beta -= 2 * kPi;
    while (beta - alpha < -1.5 * kPi) beta += 2 * kPi;
    const double before = beta;
    const double turn = to_goal * kPixels;
    if (turn > 0.3) beta -= std::min(kTrackTurn, std::abs(0.001 * turn));
    if (turn < -0.3) beta += std::min(kTrackTurn, std::abs(0.001 * turn));
    x += -across_y * kTrackStep;
    y += across_x * kTrackStep;
    way_.push_back({alpha, {before * 0.5 + beta * 0.5, x, y}});
    if (laps > 4) break;
  }
}

// Takes a closed lap out of the walk. Returns false if there is none.
bool TrackMaker::TakeLap() {
  // The last whole lap, from one crossing of the start to the next.
  std::size_t begin = 0, end = 0;
  for (std::size_t i = way_.size() - 1; i > 0 && begin == 0; --i) {
    if (!(way_[i].alpha > kStartAlpha && way_[i - 1].alpha <= kStartAlpha)) continue;
    (end == 0 ? end : begin) = i;
  }
  if (begin == 0) return false;
  track_.clear();
  for (std::size_t i = begin; i + 1 < end; ++i) track_.push_back(way_[i].point);
  const double gap_x = std::cos(track_.front().beta) * (track_.front().x - track_.back().x);
  const double gap_y = std::sin(track_.front().beta) * (track_.front().y - track_.back().y);
  return std::sqrt(gap_x * gap_x + gap_y * gap_y) <= kTrackStep;
}

void TrackMaker::FindBorders() {
  constexpr std::size_t kTiles = 4;
  const std::size_t n = track_.size();
  borders_.assign(n, false);
  for (std::size_t i = 0; i < n; ++i) {
    int left = 0, right = 0;
    for (std::size_t back = 0; back < kTiles; ++back) {
      const double turn = track_[(i + n - back) % n].beta - track_[(i + n - back - 1) % n].beta;
      if (std::abs(turn) > kTrackTurn * 0.2) ++(turn > 0 ? left : right);
    }
    borders_[i] = left == static_cast<int>(kTiles) || right == static_cast<int>(kTiles);
  }
  // Each border also gets the three tiles before, in place: around the start it may grow further.
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t back = 0; back < kTiles; ++back) {
      if (borders_[i]) borders_[(i + n - back) % n] = true;
    }
  }
}

}  // namespace envpool::box2d
