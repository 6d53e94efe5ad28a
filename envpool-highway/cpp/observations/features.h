// SPDX-License-Identifier: Apache-2.0
// Numbers that describe a car, with the package's names: Vehicle.to_dict.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "../scene.h"

namespace envpool::highway {

enum class Feature : std::uint8_t {
  kPresence,
  kX,
  kY,
  kVx,
  kVy,
  kHeading,
  kCosH,
  kSinH,
  kCosD,
  kSinD,
  kLongOff,
  kLatOff,
  kAngOff,
  kOnRoad
};

/// The features with these names. Throws OptionError. `on_road` is allowed in a grid only.
inline std::vector<Feature> FeaturesOf(const std::vector<std::string>& names, bool on_road) {
  std::vector<std::string> known{"presence", "x",       "y",      "vx",    "vy",
                                 "heading",  "cos_h",   "sin_h",  "cos_d", "sin_d",
                                 "long_off", "lat_off", "ang_off"};
  if (on_road) known.emplace_back("on_road");
  std::vector<Feature> features;
  for (const std::string& name : names) {
    features.push_back(static_cast<Feature>(Chosen("observation_features", name, known)));
  }
  return features;
}

/// The ranges of the features that are mapped to -1 .. 1.
class FeatureRanges {
 public:
  struct Range {
    bool given = false;
    double low = 0, high = 0;
  };
  FeatureRanges() = default;
  /// Throws OptionError.
  explicit FeatureRanges(const std::map<std::string, std::vector<double>>& ranges) {
    for (const auto& [name, range] : ranges) {
      CheckBounds("observation_features_range", range);
      Set(FeaturesOf({name}, false)[0], range[0], range[1]);
    }
  }
  void Set(Feature feature, double low, double high) { at(feature) = {true, low, high}; }
  Range& at(Feature feature) { return ranges_[static_cast<std::size_t>(feature)]; }
  const Range& at(Feature feature) const { return ranges_[static_cast<std::size_t>(feature)]; }

 private:
  std::array<Range, 14> ranges_{};
};

/// Vehicle.destination_direction: the direction to the end of its route, or 0.
inline Vec DestinationDirection(const Network& network, const Vehicle& v) {
  if (!v.IsControlled() || v.route.empty()) return {0, 0};
  const Lane& last = network.lane(v.route.back());
  const Vec destination = last.Position(last.length(), 0);
  if (destination.x == v.position.x && destination.y == v.position.y) return {0, 0};
  const Vec way = destination - v.position;
  const double norm = Norm(way);
  return {way.x / norm, way.y / norm};
}

/// Vehicle.to_dict(origin)[feature]; `origin` may be null. An object has no heading and no offsets;
/// a data frame contains NaN for them.
inline double ValueOf(Feature feature, const Network& network, const Vehicle& v,
                      const Vehicle* origin, bool intentions) {
  const Vec velocity = v.IsVehicle() ? v.Velocity() : Vec{0, 0};
  switch (feature) {
    case Feature::kPresence:
      return 1;
    case Feature::kX:
      return origin ? v.position.x - origin->position.x : v.position.x;
    case Feature::kY:
      return origin ? v.position.y - origin->position.y : v.position.y;
    case Feature::kVx:
      return origin ? velocity.x - origin->Velocity().x : velocity.x;
    case Feature::kVy:
      return origin ? velocity.y - origin->Velocity().y : velocity.y;
    case Feature::kCosH:
      return v.direction.x;
    case Feature::kSinH:
      return v.direction.y;
    case Feature::kCosD:
      return intentions && v.IsVehicle() ? DestinationDirection(network, v).x : 0;
    case Feature::kSinD:
      return intentions && v.IsVehicle() ? DestinationDirection(network, v).y : 0;
    default:
      break;
  }
  if (!v.IsVehicle()) return std::numeric_limits<double>::quiet_NaN();
  switch (feature) {
    case Feature::kHeading:
      return v.heading;
    case Feature::kLongOff:
      return v.local.s;
    case Feature::kLatOff:
      return v.local.r;
    default:
      return WrapToPi(v.heading - network.lane(v.lane).HeadingAt(v.local.s));
  }
}

}  // namespace envpool::highway
