// SPDX-License-Identifier: Apache-2.0
// CarRacing's tracks: random closed curves through twelve points around the middle.
//
//   TrackMaker maker;
//   const std::vector<TrackPoint>& track = maker.Make(random);
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "envpool/random/numpy_random.h"

namespace envpool::box2d {

struct TrackPoint {
  double beta;  // direction across the track, rad
  double x, y;  // m
};

inline constexpr double kTrackStep = 21 / 6.0;     // m between two points
inline constexpr double kTrackTurn = 0.31;         // rad at most between two points
inline constexpr double kTrackRadius = 900 / 6.0;  // m

/// Makes tracks. Keeps its memory from track to track.
class TrackMaker {
 public:
  /// Makes the next track. Attempts that do not close use random numbers, too.
  const std::vector<TrackPoint>& Make(NumpyRandom& random);
  /// True if the last track has a border at a point: the track has turned sharply in the same
  /// direction for four tiles.
  bool HasBorder(std::size_t point) const { return borders_[point] != 0; }

 private:
  // A point of the walk, with its angle, by which laps are found.
  struct WayPoint {
    double alpha;
    TrackPoint point;
  };

  void Walk(NumpyRandom& random);
  bool TakeLap();
  void FindBorders();

  std::vector<WayPoint> way_;
  std::vector<TrackPoint> track_;
  std::vector<std::uint8_t> borders_;
};

}  // namespace envpool::box2d
