// SPDX-License-Identifier: Apache-2.0
// CarRacing's tracks: a random closed way through twelve points around the middle.
//
//   std::vector<TrackPoint> track;
//   while (!MakeTrack(random, track)) {
//   }
#pragma once

#include <vector>

#include "envpool/random/numpy_random.h"

namespace envpool::box2d {

struct TrackPoint {
  double beta;  // direction across the track, rad
  double x, y;  // m
};

inline constexpr double kTrackStep = 21 / 6.0;     // m between two points
inline constexpr double kTrackTurn = 0.31;         // rad at most from one to the next
inline constexpr double kTrackRadius = 900 / 6.0;  // m

/// One attempt. False if the way does not close; the random numbers are used up then, too.
bool MakeTrack(NumpyRandom& random, std::vector<TrackPoint>& track);

/// Where a track turns so hard, and the same way for four tiles, that it has a border.
std::vector<bool> Borders(const std::vector<TrackPoint>& track);

}  // namespace envpool::box2d
