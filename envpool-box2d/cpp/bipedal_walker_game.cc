// SPDX-License-Identifier: Apache-2.0
#include "bipedal_walker_game.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

namespace envpool::box2d {
namespace {

constexpr double kScale = BipedalWalkerGame::kScale, kStep = BipedalWalkerGame::kStep;
constexpr int kPoints = BipedalWalkerGame::kPoints;
constexpr double kGroundHeight = BipedalWalkerGame::kHeight / 4;
constexpr int kGrass = 10, kStartPad = 20;  // points of the ground
constexpr double kTorque = 80;              // N m
constexpr double kHipSpeed = 4, kKneeSpeed = 6;
constexpr double kLegDown = -8 / kScale, kLegWidth = 8 / kScale, kLegHeight = 34 / kScale;
constexpr double kRange = 160 / kScale;  // length of a ray
constexpr Material kGroundMaterial{.friction = 2.5};
constexpr uint16 kWalker = 0x0020;

double Sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

b2PolygonShape HullShape() {
  const Point64 pixels[] = {{-30, 9}, {6, 9}, {34, 1}, {34, -8}, {-30, -8}};
  b2Vec2 vertices[5];
  for (int i = 0; i < 5; ++i) vertices[i] = Point64{pixels[i].x / kScale, pixels[i].y / kScale};
  return PolygonShape(vertices);
}

}  // namespace

bool BipedalWalkerGame::Contacts::Touches(b2Contact* contact, const b2Body* body) const {
  return contact->GetFixtureA()->GetBody() == body || contact->GetFixtureB()->GetBody() == body;
}

void BipedalWalkerGame::Contacts::BeginContact(b2Contact* contact) {
  if (Touches(contact, game_.hull_)) game_.fallen_ = true;
  if (Touches(contact, game_.legs_[1])) game_.on_ground_[0] = true;
  if (Touches(contact, game_.legs_[3])) game_.on_ground_[1] = true;
}

void BipedalWalkerGame::Contacts::EndContact(b2Contact* contact) {
  if (Touches(contact, game_.legs_[1])) game_.on_ground_[0] = false;
  if (Touches(contact, game_.legs_[3])) game_.on_ground_[1] = false;
}

BipedalWalkerGame::Outcome BipedalWalkerGame::Reset(NumpyRandom& random) {
  Clear();
  fallen_ = moved_ = false;
  on_ground_ = {};
  BuildGround(random);
  PaintClouds(random);
  BuildWalker(random);
  world_.Listen(&contacts_);
  const Outcome outcome = Step({});
  frames_ = 1;
  return outcome;
}

// In Gymnasium's order: the broad phase reuses freed numbers in this order.
void BipedalWalkerGame::Clear() {
  if (hull_ == nullptr) return;
  world_.Listen(nullptr);
  for (b2Body* body : terrain_) world_.Remove(body);
  terrain_.clear();
  world_.Remove(hull_);
  for (b2Body* leg : legs_) world_.Remove(leg);
}

void BipedalWalkerGame::AddBox(double left, double right, double bottom, double top) {
  const b2Vec2 corners[] = {Point64{left, top}, Point64{right, top}, Point64{right, bottom},
                            Point64{left, bottom}};
  b2Body* body = world_.AddStatic();
  world_.AddFixture(body, PolygonShape(corners), kGroundMaterial);
  terrain_.push_back(body);
}

void BipedalWalkerGame::BuildGround(NumpyRandom& random) {
  enum : std::int64_t { kFlat, kStump, kStairs, kPit, kKinds };
  std::int64_t kind = kFlat;
  std::int64_t left = kStartPad;  // points until the next kind
  bool first = false;             // true at the first point of a kind
  double slope = 0, y = kGroundHeight, before = 0;
  std::int64_t steps = 0, width = 0, height = 0;  // of stairs
  for (int i = 0; i < kPoints; ++i) {
    const double x = i * kStep;
    if (kind == kFlat && !first) {
      slope = 0.8 * slope + 0.01 * Sign(kGroundHeight - y);
      if (i > kStartPad) slope += random.Uniform(-1, 1) / kScale;
      y += slope;
    } else if (kind == kPit && first) {
      left = random.Integers(3, 5);
      const double wide = kStep * static_cast<double>(left);
      AddBox(x, x + kStep, y - 4 * kStep, y);
      AddBox(x + wide, x + kStep + wide, y - 4 * kStep, y);
      left += 2;
      before = y;
    } else if (kind == kPit) {
      y = before;
      if (left > 1) y -= 4 * kStep;
    } else if (kind == kStump && first) {
      left = random.Integers(1, 3);
      const double side = static_cast<double>(left) * kStep;
      const b2Vec2 corners[] = {Point64{x, y}, Point64{x + side, y}, Point64{x + side, y + side},
                                Point64{x, y + side}};
      b2Body* body = world_.AddStatic();
      world_.AddFixture(body, PolygonShape(corners), kGroundMaterial);
      terrain_.push_back(body);
    } else if (kind == kStairs && first) {
      height = random.Random() > 0.5 ? 1 : -1;
      width = random.Integers(4, 5);
      steps = random.Integers(3, 5);
      before = y;
      for (std::int64_t s = 0; s < steps; ++s) {
        AddBox(x + static_cast<double>(s * width) * kStep,
               x + static_cast<double>((1 + s) * width) * kStep,
               y + static_cast<double>(-1 + s * height) * kStep,
               y + static_cast<double>(s * height) * kStep);
      }
      left = steps * width;
    } else if (kind == kStairs) {
      const double n =
          static_cast<double>(steps * width - left - height) / static_cast<double>(width);
      y = before + n * static_cast<double>(height) * kStep;
    }
    first = false;
    ground_[static_cast<std::size_t>(i)] = y;
    if (--left == 0) {
      left = random.Integers(kGrass / 2, kGrass);
      kind = kind == kFlat && hardcore_ ? random.Integers(1, kKinds) : std::int64_t{kFlat};
      first = true;
    }
  }
  for (int i = 0; i + 1 < kPoints; ++i) {
    const auto at = static_cast<std::size_t>(i);
    b2Body* body = world_.AddStatic();
    world_.AddFixture(
        body, EdgeShape(Point64{i * kStep, ground_[at]}, Point64{(i + 1) * kStep, ground_[at + 1]}),
        kGroundMaterial);
    terrain_.push_back(body);
  }
  std::reverse(terrain_.begin(), terrain_.end());
}

void BipedalWalkerGame::PaintClouds(NumpyRandom& random) {
  for (Cloud& cloud : clouds_) {
    const double x = random.Uniform(0, kPoints) * kStep;
    const double y = kHeight * 3 / 4;
    for (int a = 0; a < 5; ++a) {
      const double angle = 3.14 * 2 * a / 5;
      const double across = random.Uniform(0, 5 * kStep);
      const double up = random.Uniform(0, 5 * kStep);
      cloud.corners[static_cast<std::size_t>(a)] = {x + 15 * kStep * std::sin(angle) + across,
                                                    y + 5 * kStep * std::cos(angle) + up};
    }
    const auto [left, right] =
        std::minmax_element(cloud.corners.begin(), cloud.corners.end(),
                            [](const Point64& a, const Point64& b) { return a.x < b.x; });
    cloud.left = left->x;
    cloud.right = right->x;
  }
}

void BipedalWalkerGame::BuildWalker(NumpyRandom& random) {
  constexpr double kForce = 5;  // N, the maximum in each direction
  const Point64 start{kStep * kStartPad / 2, kGroundHeight + 2 * kLegHeight};
  hull_ = world_.AddDynamic(start, 0);
  world_.AddFixture(hull_, HullShape(),
                    {.density = 5, .friction = 0.1, .category = kWalker, .mask = kGround});
  hull_->ApplyForceToCenter(Point64{random.Uniform(-kForce, kForce), 0}, true);
  const Material material{.density = 1, .category = kWalker, .mask = kGround};
  for (std::size_t side = 0; side < 2; ++side) {
    const int i = side == 0 ? -1 : 1;
    b2Body* upper = world_.AddDynamic({start.x, start.y - kLegHeight / 2 - kLegDown}, i * 0.05);
    world_.AddFixture(upper, BoxShape(kLegWidth / 2, kLegHeight / 2), material);
    joints_[2 * side] = world_.AddHinge({.a = hull_,
                                         .b = upper,
                                         .anchor_a = Point64{0, kLegDown},
                                         .anchor_b = Point64{0, kLegHeight / 2},
                                         .lower = -0.8,
                                         .upper = 1.1,
                                         .torque = kTorque,
                                         .speed = static_cast<double>(i)});
    b2Body* lower = world_.AddDynamic({start.x, start.y - kLegHeight * 3 / 2 - kLegDown}, i * 0.05);
    world_.AddFixture(lower, BoxShape(0.8 * kLegWidth / 2, kLegHeight / 2), material);
    joints_[2 * side + 1] = world_.AddHinge({.a = upper,
                                             .b = lower,
                                             .anchor_a = Point64{0, -kLegHeight / 2},
                                             .anchor_b = Point64{0, kLegHeight / 2},
                                             .lower = -1.6,
                                             .upper = -0.1,
                                             .torque = kTorque,
                                             .speed = 1});
    legs_[2 * side] = upper;
    legs_[2 * side + 1] = lower;
  }
}

BipedalWalkerGame::Outcome BipedalWalkerGame::Step(const Action& action) {
  for (std::size_t i = 0; i < 4; ++i) {
    const double speed = i % 2 == 0 ? kHipSpeed : kKneeSpeed;
    joints_[i]->SetMotorSpeed(static_cast<float>(speed * Sign(action[i])));
    joints_[i]->SetMaxMotorTorque(static_cast<float>(kTorque) *
                                  std::min(std::abs(action[i]), 1.0f));
  }
  world_.Step();
  ++frames_;

  constexpr double kFps = 50;
  const b2Vec2 position = hull_->GetPosition();
  const b2Vec2 velocity = hull_->GetLinearVelocity();
  Outcome outcome;
  auto& state = outcome.observation;
  state[0] = hull_->GetAngle();
  state[1] = 2.0 * hull_->GetAngularVelocity() / kFps;
  state[2] = 0.3 * velocity.x * kWidth / kFps;
  state[3] = 0.3 * velocity.y * kHeight / kFps;
  for (std::size_t side = 0; side < 2; ++side) {
    const b2RevoluteJoint &hip = *joints_[2 * side], &knee = *joints_[2 * side + 1];
    double* of_leg = &state[4 + 5 * side];
    of_leg[0] = hip.GetJointAngle();
    of_leg[1] = hip.GetJointSpeed() / kHipSpeed;
    of_leg[2] = knee.GetJointAngle() + 1.0;
    of_leg[3] = knee.GetJointSpeed() / kKneeSpeed;
    of_leg[4] = on_ground_[side] ? 1.0 : 0.0;
  }
  for (std::size_t i = 0; i < kRays; ++i) {
    const double angle = 1.5 * static_cast<double>(i) / 10.0;
    const Point64 end{position.x + std::sin(angle) * kRange, position.y - std::cos(angle) * kRange};
    const World::Sight sight = world_.Look(position, end);
    state[14 + i] = sight.share;
    rays_[i] = {{position.x, position.y}, sight.end};
  }

  const double shaping = 130.0 * position.x / kScale - 5.0 * std::abs(state[0]);
  // NumPy computes the reward as float32 once an action enters the sum.
  outcome.reward = moved_ ? static_cast<float>(shaping - shaping_) : 0.0f;
  shaping_ = shaping;
  moved_ = true;
  for (const float a : action) {
    outcome.reward -= static_cast<float>(0.00035 * kTorque) * std::min(std::abs(a), 1.0f);
  }
  outcome.terminated = fallen_ || position.x < 0;
  if (outcome.terminated) outcome.reward = -100;
  if (position.x > (kPoints - kGrass) * kStep) outcome.terminated = true;
  return outcome;
}

void BipedalWalkerGame::Save(StateWriter& out) const {
  world_.Save(out);
  out.Write(ground_, clouds_, rays_, on_ground_, fallen_, moved_, shaping_, frames_);
}

void BipedalWalkerGame::Load(StateReader& in) {
  world_.Load(in);
  world_.Listen(&contacts_);
  in.Read(ground_, clouds_, rays_, on_ground_, fallen_, moved_, shaping_, frames_);
  // Same order as in BuildGround and BuildWalker.
  const std::vector<b2Body*> bodies = world_.Bodies();
  const std::vector<b2RevoluteJoint*> hinges = world_.Hinges();
  terrain_.clear();
  hull_ = nullptr;
  if (bodies.empty()) return;
  if (bodies.size() < 5 || hinges.size() != 4) throw std::out_of_range("the state is damaged");
  const auto walker = bodies.end() - 5;
  terrain_.assign(std::make_reverse_iterator(walker), bodies.rend());
  hull_ = *walker;
  std::copy(walker + 1, bodies.end(), legs_.begin());
  std::copy(hinges.begin(), hinges.end(), joints_.begin());
}

}  // namespace envpool::box2d
