// SPDX-License-Identifier: Apache-2.0
#include "car_racing_game.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace envpool::box2d {
namespace {

constexpr double kSize = CarRacingGame::kSize;
constexpr double kEnginePower = 100000000 * kSize * kSize;
constexpr double kWheelInertia = 4000 * kSize * kSize;
constexpr double kFrictionLimit = 1000000 * kSize * kSize;
constexpr double kHalfRoad = 40 / 6.0, kBorder = 8 / 6.0;
constexpr std::size_t kMostMarks = 30;
constexpr int kMostMarkPoints = 30;
constexpr Point64 kWheelPlaces[] = {{-55, 80}, {55, 80}, {-55, -82}, {55, -82}};

double Sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

drawing::Rgb Truncated(const std::array<double, 3>& color) {
  return {static_cast<uint8_t>(color[0]), static_cast<uint8_t>(color[1]),
          static_cast<uint8_t>(color[2])};
}

template <std::size_t kCorners>
b2PolygonShape Shape(const Point64 (&units)[kCorners]) {
  b2Vec2 vertices[kCorners];
  for (std::size_t i = 0; i < kCorners; ++i) {
    vertices[i] = Point64{units[i].x * kSize, units[i].y * kSize};
  }
  return PolygonShape(vertices);
}

// A body's user data identifies it: a tile by its number, a wheel by its negative number.
std::intptr_t NameOf(const b2Fixture* fixture) {
  return reinterpret_cast<std::intptr_t>(fixture->GetBody()->GetUserData());
}
void Name(b2Body* body, std::intptr_t name) { body->SetUserData(reinterpret_cast<void*>(name)); }

}  // namespace

void CarRacingGame::Contacts::Touch(b2Contact* contact, bool begins) {
  std::intptr_t tile = NameOf(contact->GetFixtureA()), other = NameOf(contact->GetFixtureB());
  if (other > 0) std::swap(tile, other);
  if (tile <= 0) return;
  const auto number = static_cast<std::size_t>(tile - 1);
  game_.road_[static_cast<std::size_t>(game_.quad_of_tile_[number])].color =
      Truncated(game_.colors_.road);
  if (other >= 0) return;  // the hull
  Wheel& wheel = game_.wheels_[static_cast<std::size_t>(-other - 1)];
  if (!begins) {
    --wheel.tiles;
    return;
  }
  ++wheel.tiles;
  if (game_.visited_[number]) return;
  game_.visited_[number] = true;
  const auto count = static_cast<double>(game_.tiles_.size());
  game_.score_ += 1000.0 / count;
  ++game_.visited_count_;
  if (number == 0 && game_.visited_count_ / count > game_.options_.lap_complete_percent) {
    game_.lap_done_ = true;
  }
}

void CarRacingGame::Reset(NumpyRandom& random, bool new_colors) {
  Clear();
  world_.Listen(&contacts_);
  score_ = score_before_ = time_ = 0;
  visited_count_ = 0;
  lap_done_ = false;
  if (options_.domain_randomize && new_colors) PickColors(random);
  const std::vector<TrackPoint>& track = tracks_.Make(random);
  BuildRoad(track);
  BuildCar(track.front());
  NameBodies();
  Move(std::nullopt);
}

void CarRacingGame::Clear() {
  if (hull_ == nullptr) return;
  for (b2Body* tile : tiles_) world_.Remove(tile);
  world_.Remove(hull_);
  for (const Wheel& wheel : wheels_) world_.Remove(wheel.body);
  tiles_.clear();
  road_.clear();
  quad_of_tile_.clear();
  marks_.clear();
  wheels_ = {};
}

void CarRacingGame::PickColors(NumpyRandom& random) {
  for (double& part : colors_.road) part = random.Uniform(0, 210);
  std::array<double, 3> color;
  for (double& part : color) part = random.Uniform(0, 210);
  colors_.background = Truncated(color);
  color[static_cast<std::size_t>(random.Integers(0, 3))] += 20;
  colors_.grass = Truncated(color);
}

void CarRacingGame::BuildRoad(const std::vector<TrackPoint>& track) {
  visited_.assign(track.size(), false);
  for (std::size_t i = 0; i < track.size(); ++i) {
    const TrackPoint &here = track[i], &before = track[i == 0 ? track.size() - 1 : i - 1];
    const auto beside = [](const TrackPoint& point, double distance) {
      return Point64{point.x + distance * std::cos(point.beta),
                     point.y + distance * std::sin(point.beta)};
    };
    Quad tile{{beside(here, -kHalfRoad), beside(here, kHalfRoad), beside(before, kHalfRoad),
               beside(before, -kHalfRoad)},
              {}};
    const double lighter = 0.01 * static_cast<double>(i % 3) * 255;
    tile.color = Truncated(
        {colors_.road[0] + lighter, colors_.road[1] + lighter, colors_.road[2] + lighter});
    b2Vec2 vertices[4];
    std::copy(tile.corners.begin(), tile.corners.end(), vertices);
    tiles_.push_back(world_.AddStatic());
    world_.AddFixture(tiles_.back(), PolygonShape(vertices), {.sensor = true});
    quad_of_tile_.push_back(static_cast<std::int32_t>(road_.size()));
    road_.push_back(tile);
    if (!tracks_.HasBorder(i)) continue;
    const double side = Sign(before.beta - here.beta);
    const double near = side * kHalfRoad, far = side * (kHalfRoad + kBorder);
    road_.push_back(
        {{beside(here, near), beside(here, far), beside(before, far), beside(before, near)},
         i % 2 == 0 ? drawing::kWhite : drawing::Rgb{255, 0, 0}});
  }
}

void CarRacingGame::BuildCar(const TrackPoint& start) {
  const Point64 front[] = {{-60, 130}, {60, 130}, {60, 110}, {-60, 110}};
  const Point64 nose[] = {{-15, 120}, {15, 120}, {20, 20}, {-20, 20}};
  const Point64 middle[] = {{25, 20},   {50, -10},  {50, -40},  {20, -90},
                            {-20, -90}, {-50, -40}, {-50, -10}, {-25, 20}};
  const Point64 back[] = {{-50, -120}, {50, -120}, {50, -90}, {-50, -90}};
  const Point64 wheel[] = {{-kWheelWidth, kWheelRadius},
                           {kWheelWidth, kWheelRadius},
                           {kWheelWidth, -kWheelRadius},
                           {-kWheelWidth, -kWheelRadius}};
  hull_ = world_.AddDynamic({start.x, start.y}, start.beta);
  for (const b2PolygonShape& shape : {Shape(front), Shape(nose), Shape(middle), Shape(back)}) {
    world_.AddFixture(hull_, shape, {.density = 1});
  }
  for (std::size_t i = 0; i < wheels_.size(); ++i) {
    const Point64 place{kWheelPlaces[i].x * kSize, kWheelPlaces[i].y * kSize};
    b2Body* body = world_.AddDynamic({start.x + place.x, start.y + place.y}, start.beta);
    world_.AddFixture(body, Shape(wheel), {.density = 0.1, .category = 0x0020, .mask = kGround});
    wheels_[i].body = body;
    wheels_[i].joint = world_.AddHinge({.a = hull_,
                                        .b = body,
                                        .anchor_a = place,
                                        .anchor_b = {0, 0},
                                        .lower = -0.4,
                                        .upper = 0.4,
                                        .torque = 180 * 900 * kSize * kSize,
                                        .speed = 0});
  }
}

void CarRacingGame::NameBodies() {
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    Name(tiles_[i], static_cast<std::intptr_t>(i) + 1);
  }
  for (std::size_t i = 0; i < wheels_.size(); ++i) {
    Name(wheels_[i].body, -static_cast<std::intptr_t>(i) - 1);
  }
}

void CarRacingGame::Move(const std::optional<Controls>& controls) {
  if (controls) {
    for (std::size_t i : {0U, 1U}) wheels_[i].steer = controls->steer;
    const double gas = std::clamp(controls->gas, 0.0, 1.0);
    for (std::size_t i : {2U, 3U}) {
      // The gas rises by at most 0.1 per step, and falls at once.
      wheels_[i].gas += std::min(gas - wheels_[i].gas, 0.1);
    }
    for (Wheel& wheel : wheels_) wheel.brake = controls->brake;
  }
  for (Wheel& wheel : wheels_) Drive(wheel);
  world_.Step();
  time_ += World::kFrame;
}

void CarRacingGame::Drive(Wheel& wheel) {
  constexpr double kFrame = World::kFrame, kRadius = kWheelRadius * kSize;
  const double off = wheel.steer - static_cast<double>(wheel.joint->GetJointAngle());
  wheel.joint->SetMotorSpeed(static_cast<float>(Sign(off) * std::min(50.0 * std::abs(off), 3.0)));
  const bool on_grass = wheel.tiles == 0;
  const double limit = on_grass ? kFrictionLimit * 0.6 : kFrictionLimit;

  const b2Vec2 ahead = wheel.body->GetWorldVector({0, 1});
  const b2Vec2 aside = wheel.body->GetWorldVector({1, 0});
  const b2Vec2 velocity = wheel.body->GetLinearVelocity();
  const auto along = [&velocity](const b2Vec2& way) {
    return static_cast<double>(way.x) * static_cast<double>(velocity.x) +
           static_cast<double>(way.y) * static_cast<double>(velocity.y);
  };
  wheel.omega += kFrame * kEnginePower * wheel.gas / kWheelInertia / (std::abs(wheel.omega) + 5.0);
  if (wheel.brake >= 0.9) {
    wheel.omega = 0;
  } else if (wheel.brake > 0) {
    const double brake = std::min(15 * wheel.brake, std::abs(wheel.omega));
    wheel.omega += -Sign(wheel.omega) * brake;
  }
  wheel.phase += wheel.omega * kFrame;

  constexpr double kGrip = 205000 * kSize * kSize;
  double forward = (-along(ahead) + wheel.omega * kRadius) * kGrip;
  double sideward = -along(aside) * kGrip;
  const double force = std::sqrt(forward * forward + sideward * sideward);
  if (force > 2.0 * limit) {
    LeaveMark(wheel, on_grass);
  } else {
    wheel.slips = false;
    wheel.mark = 0;
  }
  if (force > limit) {
    forward = forward / force * limit;
    sideward = sideward / force * limit;
  }
  wheel.omega -= kFrame * forward * kRadius / kWheelInertia;
  wheel.body->ApplyForceToCenter(
      Point64{sideward * aside.x + forward * ahead.x, sideward * aside.y + forward * ahead.y},
      true);
}

// A mark begins in the second step of slipping. Its first two points are equal: Gymnasium keeps a
// reference to the place of the first step, and the place moves.
void CarRacingGame::LeaveMark(Wheel& wheel, bool on_grass) {
  const Point64 place{wheel.body->GetPosition().x, wheel.body->GetPosition().y};
  if (wheel.mark != 0 && wheel.mark_on_grass == on_grass && wheel.mark_points < kMostMarkPoints) {
    ++wheel.mark_points;
    for (Mark& mark : marks_) {
      if (mark.number == wheel.mark) mark.points.push_back(place);
    }
  } else if (!wheel.slips) {
    wheel.slips = true;
  } else {
    wheel.slips = false;
    wheel.mark = ++last_mark_;
    wheel.mark_points = 2;
    wheel.mark_on_grass = on_grass;
    if (marks_.size() == kMostMarks) marks_.pop_front();
    marks_.push_back({wheel.mark, on_grass, {place, place}});
  }
}

CarRacingGame::Outcome CarRacingGame::Judge() {
  score_ -= 0.1;
  Outcome outcome;
  outcome.reward = score_ - score_before_;
  score_before_ = score_;
  if (static_cast<std::size_t>(visited_count_) == tiles_.size() || lap_done_) {
    outcome.terminated = outcome.lap_finished = true;
  }
  const b2Vec2 place = hull_->GetPosition();
  if (std::abs(static_cast<double>(place.x)) > kField ||
      std::abs(static_cast<double>(place.y)) > kField) {
    outcome.terminated = true;
    outcome.lap_finished = false;
    outcome.reward = -100;
  }
  return outcome;
}

void CarRacingGame::Save(StateWriter& out) const {
  world_.Save(out);
  out.Write(colors_.road, colors_.background, colors_.grass, road_, quad_of_tile_, visited_,
            last_mark_, time_, score_, score_before_, visited_count_, lap_done_);
  for (const Wheel& wheel : wheels_) {
    out.Write(wheel.gas, wheel.brake, wheel.steer, wheel.phase, wheel.omega, wheel.tiles,
              wheel.slips, wheel.mark, wheel.mark_points, wheel.mark_on_grass);
  }
  out.Write(static_cast<std::uint64_t>(marks_.size()));
  for (const Mark& mark : marks_) out.Write(mark.number, mark.on_grass, mark.points);
}

void CarRacingGame::Load(StateReader& in) {
  world_.Load(in);
  world_.Listen(&contacts_);
  in.Read(colors_.road, colors_.background, colors_.grass, road_, quad_of_tile_, visited_,
          last_mark_, time_, score_, score_before_, visited_count_, lap_done_);
  for (Wheel& wheel : wheels_) {
    in.Read(wheel.gas, wheel.brake, wheel.steer, wheel.phase, wheel.omega, wheel.tiles, wheel.slips,
            wheel.mark, wheel.mark_points, wheel.mark_on_grass);
  }
  std::uint64_t marks = 0;
  in.Read(marks);
  marks_.clear();
  for (std::uint64_t i = 0; i < marks; ++i) {
    Mark mark{};
    in.Read(mark.number, mark.on_grass, mark.points);
    marks_.push_back(std::move(mark));
  }
  // Same order as in BuildRoad and BuildCar.
  const std::vector<b2Body*> bodies = world_.Bodies();
  const std::vector<b2RevoluteJoint*> hinges = world_.Hinges();
  tiles_.clear();
  hull_ = nullptr;
  if (bodies.empty()) return;
  if (bodies.size() < 5 || hinges.size() != 4 || quad_of_tile_.size() != bodies.size() - 5 ||
      visited_.size() != bodies.size() - 5) {
    throw std::out_of_range("the saved state is damaged");
  }
  tiles_.assign(bodies.begin(), bodies.end() - 5);
  hull_ = bodies[tiles_.size()];
  for (std::size_t i = 0; i < wheels_.size(); ++i) {
    wheels_[i].body = bodies[tiles_.size() + 1 + i];
    wheels_[i].joint = hinges[i];
  }
  NameBodies();
}

}  // namespace envpool::box2d
