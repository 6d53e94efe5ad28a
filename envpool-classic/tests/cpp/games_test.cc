// SPDX-License-Identifier: Apache-2.0
// Every game of the family without Python: the same seed returns the same bytes with any number of
// threads, and another seed returns other bytes. Prints a digest for each game for comparing
// systems: digests differ if the systems' sines differ.
#include "../../../envpool-core/tests/cpp/support.h"
#include "acrobot.h"
#include "blackjack.h"
#include "cartpole.h"
#include "catch.h"
#include "cliff_walking.h"
#include "frozen_lake.h"
#include "mountain_car.h"
#include "mountain_car_continuous.h"
#include "nchain.h"
#include "pendulum.h"
#include "taxi.h"

namespace classic = envpool::classic;

namespace {

using envpool::Op;
using namespace envpool::literals;
constexpr int kEnvs = 8;
constexpr int kSteps = 300;

void Add(const void* bytes, std::size_t size, std::uint64_t& digest) {  // FNV-1a
  for (std::size_t i = 0; i < size; ++i) {
    digest = (digest ^ static_cast<const unsigned char*>(bytes)[i]) * 0x100000001B3;
  }
}

// A digest of all results of a pool for random actions.
template <typename E>
std::uint64_t Played(int threads, std::int64_t seed) {
  testing_envs::TestPool<E> pool(
      {.num_envs = kEnvs, .batch_size = kEnvs, .num_threads = threads},
      [seed](auto& config) { config["seed"_] = seed; }, envpool::Autoreset::kNextStep, 100);
  std::uint64_t digest = 0xCBF29CE484222325;
  const auto receive = [&] {
    const envpool::Received received = pool.Recv(true);
    EXPECT(received.rows == kEnvs);
    const std::vector<std::size_t>& sizes = pool->state_layout().row_sizes;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      Add(received.batch->columns[i], sizes[i] * kEnvs, digest);
    }
    pool->Release(*received.batch);
  };
  pool->CheckSend(nullptr, kEnvs, Op::kReset);
  pool->Send(nullptr, kEnvs, Op::kReset);
  receive();
  std::mt19937 random(7);
  const bool continuous = pool->action_layout().arrays[2].dtype == envpool::DType::kFloat32;
  for (int step = 0; step < kSteps; ++step) {
    pool->CheckSend(nullptr, kEnvs, Op::kStep);
    std::byte* actions = pool->actions().columns()[2];
    for (int i = 0; i < kEnvs; ++i) {
      const int whole = testing_envs::Below(2, random);
      const float real = static_cast<float>(testing_envs::Below(2001, random)) / 1000 - 1;
      if (continuous) {
        std::memcpy(actions + sizeof(real) * static_cast<std::size_t>(i), &real, sizeof(real));
      } else {
        std::memcpy(actions + sizeof(whole) * static_cast<std::size_t>(i), &whole, sizeof(whole));
      }
    }
    pool->Send(nullptr, kEnvs, Op::kStep, true);
    receive();
  }
  return digest;
}

template <typename E>
void Test(const char* name, bool draws = true) {
  const std::uint64_t digest = Played<E>(1, 3);
  EXPECT(Played<E>(2, 3) == digest);
  EXPECT((Played<E>(1, 1003) != digest) == draws);
  std::printf("%016llx %s\n", static_cast<unsigned long long>(digest), name);
}

void TestVersionsOfGlibc() {
  for (const char* version : {"2.36", "2.41", "2.100", "3.0", "3"}) {
    EXPECT(envpool::numpy::detail::SincosIsBoth(version));
  }
  for (const char* version : {"2.28", "2.35", "2.9", "2.35.9000", "1.99", "2", "", "unknown"}) {
    EXPECT(!envpool::numpy::detail::SincosIsBoth(version));
  }
}

}  // namespace

int main() {
  TestVersionsOfGlibc();
  Test<classic::Acrobot>("Acrobot");
  Test<classic::Blackjack>("Blackjack");
  Test<classic::CartPole>("CartPole");
  Test<classic::Catch>("Catch");
  Test<classic::CliffWalking>("CliffWalking", false);
  Test<classic::FrozenLake>("FrozenLake");
  Test<classic::MountainCar>("MountainCar");
  Test<classic::MountainCarContinuous>("MountainCarContinuous");
  Test<classic::NChain>("NChain");
  Test<classic::Pendulum>("Pendulum");
  Test<classic::TaxiV4>("TaxiV4");
}
