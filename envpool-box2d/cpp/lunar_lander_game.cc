// SPDX-License-Identifier: Apache-2.0
#include "lunar_lander_game.h"

#include <cmath>
#include <numbers>

namespace envpool::box2d {
namespace {

constexpr double kScale = LunarLanderGame::kScale;
constexpr double kPad = LunarLanderGame::kHeight / 4;  // height of the landing pad
constexpr double kLegAway = 20, kLegDown = 18;         // pixels
constexpr double kMainPower = 13, kSidePower = 0.6;
constexpr double kMainBelow = 4, kSideAway = 12, kSideAbove = 14;  // pixels

b2PolygonShape LanderShape() {
  const Point64 pixels[] = {{-14, 17}, {-17, 0}, {-17, -10}, {17, -10}, {17, 0}, {14, 17}};
  b2Vec2 vertices[6];
  for (int i = 0; i < 6; ++i) vertices[i] = Point64{pixels[i].x / kScale, pixels[i].y / kScale};
  return PolygonShape(vertices);
}

// tanh(sin(2 k i) + sin(pi k i)), k = 0.01: the sequence never repeats.
double Gust(std::int64_t index) {
  const auto i = static_cast<double>(index);
  return std::tanh(std::sin(0.02 * i) + std::sin(std::numbers::pi * 0.01 * i));
}

}  // namespace

void LunarLanderGame::Contacts::BeginContact(b2Contact* contact) {
  const b2Body* a = contact->GetFixtureA()->GetBody();
  const b2Body* b = contact->GetFixtureB()->GetBody();
  if (a == game_.lander_ || b == game_.lander_) game_.crashed_ = true;
  for (std::size_t i = 0; i < 2; ++i) {
    if (a == game_.legs_[i] || b == game_.legs_[i]) game_.on_ground_[i] = true;
  }
}

// Any end of a contact: a leg that still touches another edge counts as in the air, as in
// Gymnasium.
void LunarLanderGame::Contacts::EndContact(b2Contact* contact) {
  const b2Body* a = contact->GetFixtureA()->GetBody();
  const b2Body* b = contact->GetFixtureB()->GetBody();
  for (std::size_t i = 0; i < 2; ++i) {
    if (a == game_.legs_[i] || b == game_.legs_[i]) game_.on_ground_[i] = false;
  }
}

LunarLanderGame::LunarLanderGame(const Options& options)
    : options_(options), world_({0, options.gravity}) {}

LunarLanderGame::Outcome LunarLanderGame::Reset(NumpyRandom& random) {
  world_.Renew({0, options_.gravity});
  world_.Listen(&contacts_);
  particles_.clear();
  on_ground_ = {};
  crashed_ = moved_ = false;
  BuildGround(random);
  BuildLander(random);
  return Step({}, random);
}

void LunarLanderGame::BuildGround(NumpyRandom& random) {
  std::array<double, kPoints + 1> heights;
  for (double& height : heights) height = random.Uniform(0, kHeight / 2);
  for (std::size_t i = 3; i <= 7; ++i) heights[i] = kPad;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double before = heights[i == 0 ? kPoints : i - 1];
    ground_[i] = 0.33 * (before + heights[i] + heights[i + 1]);
  }
  b2Body* moon = world_.AddStatic();
  world_.AddFixture(moon, EdgeShape({0, 0}, {static_cast<float>(kWidth), 0}), {});
  for (std::size_t i = 0; i + 1 < kPoints; ++i) {
    constexpr double kStep = kWidth / (kPoints - 1);
    const Point64 from{kStep * static_cast<double>(i), ground_[i]};
    const Point64 to{kStep * static_cast<double>(i + 1), ground_[i + 1]};
    world_.AddFixture(moon, EdgeShape(from, to), {.friction = 0.1});
  }
}

void LunarLanderGame::BuildLander(NumpyRandom& random) {
  constexpr double kForce = 1000;  // N, the maximum in each direction
  const Point64 start{kWidth / 2, kHeight};
  lander_ = world_.AddDynamic(start, 0);
  world_.AddFixture(lander_, LanderShape(),
                    {.density = 5, .friction = 0.1, .category = 0x0010, .mask = kGround});
  const double force_x = random.Uniform(-kForce, kForce);
  const double force_y = random.Uniform(-kForce, kForce);
  lander_->ApplyForceToCenter(Point64{force_x, force_y}, true);
  if (options_.wind) {
    wind_index_ = random.Integers(-9999, 9999);
    torque_index_ = random.Integers(-9999, 9999);
  }
  for (std::size_t leg = 0; leg < 2; ++leg) {
    const int i = leg == 0 ? -1 : 1;
    legs_[leg] = world_.AddDynamic({start.x - i * kLegAway / kScale, start.y}, i * 0.05);
    world_.AddFixture(legs_[leg], BoxShape(2 / kScale, 8 / kScale),
                      {.density = 1, .category = 0x0020, .mask = kGround});
    world_.AddHinge({.a = lander_,
                     .b = legs_[leg],
                     .anchor_a = {0, 0},
                     .anchor_b = Point64{i * kLegAway / kScale, kLegDown / kScale},
                     .lower = i < 0 ? 0.9 - 0.5 : -0.9,
                     .upper = i < 0 ? 0.9 : -0.9 + 0.5,
                     .torque = 40,
                     .speed = 0.3 * i});
  }
}

void LunarLanderGame::Blow() {
  lander_->ApplyForceToCenter(Point64{Gust(wind_index_++) * options_.wind_power, 0}, true);
  lander_->ApplyTorque(static_cast<float>(Gust(torque_index_++) * options_.turbulence_power), true);
}

LunarLanderGame::Outcome LunarLanderGame::Step(const Engines& engines, NumpyRandom& random) {
  // Exhaust ages with each frame, and a step has one frame.
  for (Particle& particle : particles_) particle.life -= 0.15;
  const auto drop_old = [this] {
    while (!particles_.empty() && particles_.front().life < 0) {
      world_.Remove(particles_.front().body);
      particles_.pop_front();
    }
  };
  drop_old();
  if (options_.wind && !on_ground_[0] && !on_ground_[1]) Blow();

  const double angle = lander_->GetAngle();
  const Point64 tip{std::sin(angle), std::cos(angle)};
  const Point64 side{-tip.y, tip.x};
  const double spread_0 = random.Uniform(-1, 1) / kScale;
  const double spread_1 = random.Uniform(-1, 1) / kScale;
  const auto fire = [&](Point64 way, Point64 at, double strength, double power, double density) {
    if (options_.particles) {
      Fire({way.x * strength * power, way.y * strength * power}, at, density, power);
      drop_old();
    }
    lander_->ApplyLinearImpulse(Point64{-way.x * strength * power, -way.y * strength * power}, at,
                                true);
  };
  if (engines.main > 0) {
    const double along = kMainBelow / kScale + 2 * spread_0;
    const Point64 way{tip.x * along + side.x * spread_1, -tip.y * along - side.y * spread_1};
    const Point64 at{lander_->GetPosition().x + way.x, lander_->GetPosition().y + way.y};
    fire(way, at, kMainPower, engines.main, 3.5);
  }
  if (engines.side > 0) {
    const double across = 3 * spread_1 + engines.direction * kSideAway / kScale;
    const Point64 way{tip.x * spread_0 + side.x * across, -tip.y * spread_0 - side.y * across};
    // 17 and 14: Gymnasium uses two heights for the same engine.
    const Point64 at{lander_->GetPosition().x + way.x - tip.x * 17 / kScale,
                     lander_->GetPosition().y + way.y + tip.y * kSideAbove / kScale};
    fire(way, at, kSidePower, engines.side, 0.7);
  }

  world_.Step();

  constexpr double kFps = 50;
  const b2Vec2 position = lander_->GetPosition();
  const b2Vec2 velocity = lander_->GetLinearVelocity();
  Outcome outcome;
  auto& state = outcome.observation;
  state = {(position.x - kWidth / 2) / (kWidth / 2),
           (position.y - (kPad + kLegDown / kScale)) / (kHeight / 2),
           velocity.x * (kWidth / 2) / kFps,
           velocity.y * (kHeight / 2) / kFps,
           lander_->GetAngle(),
           20.0 * lander_->GetAngularVelocity() / kFps,
           on_ground_[0] ? 1.0 : 0.0,
           on_ground_[1] ? 1.0 : 0.0};
  const double shaping = -100 * std::sqrt(state[0] * state[0] + state[1] * state[1]) -
                         100 * std::sqrt(state[2] * state[2] + state[3] * state[3]) -
                         100 * std::abs(state[4]) + 10 * state[6] + 10 * state[7];
  outcome.reward = moved_ ? shaping - shaping_ : 0;
  shaping_ = shaping;
  moved_ = true;
  outcome.reward -= engines.main * 0.30;
  outcome.reward -= engines.side * 0.03;
  outcome.terminated = crashed_ || std::abs(state[0]) >= 1;
  if (outcome.terminated) outcome.reward = -100;
  if (!lander_->IsAwake()) {
    outcome.terminated = true;
    outcome.reward = 100;
  }
  return outcome;
}

void LunarLanderGame::Fire(Point64 impulse, Point64 at, double density, double life) {
  b2Body* body = world_.AddDynamic(at, 0);
  b2CircleShape circle;
  circle.m_radius = static_cast<float>(2 / kScale);
  world_.AddFixture(body, circle,
                    {.density = density,
                     .friction = 0.1,
                     .restitution = 0.3,
                     .category = 0x0100,
                     .mask = kGround});
  particles_.push_back({body, life});
  body->ApplyLinearImpulse(impulse, at, true);
}

void LunarLanderGame::Save(StateWriter& out) const {
  world_.Save(out);
  out.Write(ground_, on_ground_, crashed_, moved_, shaping_, wind_index_, torque_index_);
  for (const Particle& particle : particles_) out.Write(particle.life);
}

void LunarLanderGame::Load(StateReader& in) {
  world_.Load(in);
  world_.Listen(&contacts_);
  in.Read(ground_, on_ground_, crashed_, moved_, shaping_, wind_index_, torque_index_);
  particles_.clear();
  // Same order as in BuildGround and BuildLander; then follows the exhaust.
  const std::vector<b2Body*> bodies = world_.Bodies();
  lander_ = nullptr;
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    if (i == 1) {
      lander_ = bodies[i];
    } else if (i < 4) {
      legs_[i - 2] = bodies[i];
    } else {
      in.Read(particles_.emplace_back(Particle{bodies[i], 0}).life);
    }
  }
}

}  // namespace envpool::box2d
