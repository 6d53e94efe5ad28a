// SPDX-License-Identifier: Apache-2.0
// Plays the games without pools, in two threads at once, and prints a line for each game: a digest
// of the places and velocities of all bodies after each frame, the number of episodes, and the
// number of allocations in resets of seeds that were played before.
//
//   worlds 3000        // frames of each game
//   worlds 3000 -9.9999    // with another gravity in LunarLander

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "bipedal_walker_game.h"
#include "car_racing_game.h"
#include "envpool/random/numpy_random.h"
#include "lunar_lander_game.h"

namespace {
thread_local long asked = 0;  // allocations of this thread

void* Ask(std::size_t size) {
  ++asked;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
}  // namespace

// The allocations of a reset beside the world's own memory; World counts that memory.
void* operator new(std::size_t size) { return Ask(size); }
void* operator new[](std::size_t size) { return Ask(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace {
using namespace envpool::box2d;
using envpool::NumpyRandom;

constexpr int kMostFrames = 300;  // of an episode
constexpr int kSeeds = 12;        // tracks, or grounds, that are played again

class Digest {
 public:
  void AddBody(const b2Body* body) {
    const b2Vec2 place = body->GetPosition(), velocity = body->GetLinearVelocity();
    Add(std::array{place.x, place.y, body->GetAngle(), velocity.x, velocity.y,
                   body->GetAngularVelocity()});
  }
  template <typename T>
  void Add(const T& value) {
    std::array<unsigned char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &value, sizeof(T));
    for (const unsigned char byte : bytes) state_ = (state_ ^ byte) * 1099511628211U;
  }
  std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_ = 14695981039346656037U;
};

// A game; `step` returns true in the last step of an episode.
struct Play {
  std::function<void(NumpyRandom&)> reset;
  std::function<bool(NumpyRandom&, Digest&)> step;
  std::function<std::size_t()> allocations;  // of the world
};

std::string Report(const std::string& name, int frames, const Play& play) {
  Digest digest;
  int episodes = 0;
  NumpyRandom random(7);
  play.reset(random);
  for (int i = 0, left = kMostFrames; i < frames; ++i) {
    if (!play.step(random, digest) && --left > 0) continue;
    left = kMostFrames;
    play.reset(random);
    ++episodes;
  }
  const auto rounds = [&] {
    const auto before = static_cast<long>(play.allocations()) + asked;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      NumpyRandom same(seed);
      play.reset(same);
    }
    return static_cast<long>(play.allocations()) + asked - before;
  };
  for (int i = 0; i < 3; ++i) rounds();
  std::array<char, 100> line;
  std::snprintf(line.data(), line.size(), "%s %016llx %d %ld\n", name.c_str(),
                static_cast<unsigned long long>(digest.state()), episodes, rounds());
  return line.data();
}

std::string PlayLander(int frames, double gravity, bool particles) {
  LunarLanderGame game({.gravity = gravity, .wind = particles, .particles = particles});
  const auto step = [&](NumpyRandom& random, Digest& digest) {
    const double main = random.Uniform(0, 1) < 0.4 ? 1 : 0, side = random.Uniform(-1, 1);
    const auto outcome = game.Step(
        {.main = main, .side = side > 0 ? side : 0, .direction = side > 0.5 ? 1.0 : -1.0}, random);
    digest.AddBody(game.lander());
    for (const b2Body* leg : game.legs()) digest.AddBody(leg);
    digest.Add(outcome.reward);
    return outcome.terminated;
  };
  return Report(particles ? "LunarLander with exhaust" : "LunarLander", frames,
                {[&](NumpyRandom& random) { game.Reset(random); }, step,
                 [&] { return game.world().arena().allocations(); }});
}

std::string PlayWalker(int frames, bool hardcore) {
  BipedalWalkerGame game(hardcore);
  const auto step = [&](NumpyRandom& random, Digest& digest) {
    BipedalWalkerGame::Action action;
    for (float& part : action) part = static_cast<float>(random.Uniform(-1, 1));
    const auto outcome = game.Step(action);
    digest.AddBody(game.hull());
    for (const b2Body* leg : game.legs()) digest.AddBody(leg);
    digest.Add(outcome.observation);
    return outcome.terminated;
  };
  return Report(hardcore ? "BipedalWalkerHardcore" : "BipedalWalker", frames,
                {[&](NumpyRandom& random) { game.Reset(random); }, step,
                 [&] { return game.world().arena().allocations(); }});
}

std::string PlayCar(int frames) {
  CarRacingGame game({});
  const auto step = [&](NumpyRandom& random, Digest& digest) {
    game.Move(CarRacingGame::Controls{.steer = random.Uniform(-1, 1), .gas = random.Uniform(0, 1)});
    digest.AddBody(game.hull());
    for (const CarRacingGame::Wheel& wheel : game.wheels()) digest.AddBody(wheel.body);
    return game.Judge().terminated;
  };
  return Report("CarRacing", frames,
                {[&](NumpyRandom& random) { game.Reset(random, false); }, step,
                 [&] { return game.world().arena().allocations(); }});
}
}  // namespace

int main(int argc, char** argv) {
  const int frames = argc > 1 ? std::atoi(argv[1]) : 1000;
  const double gravity = argc > 2 ? std::atof(argv[2]) : -10;
  std::array<std::string, 2> reports;
  const auto play = [&](std::string& report) {
    report += PlayLander(frames, gravity, false);
    report += PlayLander(frames, gravity, true);
    report += PlayWalker(frames, false);
    report += PlayWalker(frames, true);
    report += PlayCar(frames);
  };
  std::thread other(play, std::ref(reports[1]));
  play(reports[0]);
  other.join();
  if (reports[0] != reports[1]) {
    std::printf("two threads played otherwise:\n%s%s", reports[0].c_str(), reports[1].c_str());
    return 1;
  }
  std::fputs(reports[0].c_str(), stdout);
}
