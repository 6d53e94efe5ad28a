// SPDX-License-Identifier: Apache-2.0
// Closing a pool while environments are at work: threads end, every environment and every array is
// freed once, what is queued is not waited for, and an environment that does not return is told
// apart. A pool that is not closed ends all the same when its scope is left.
#include <atomic>
#include <filesystem>
#include <iterator>
#include <thread>

#include "../engine/envs/gates.h"
#include "support.h"

namespace testing_envs {
namespace {

using namespace envpool::literals;
using envpool::PoolOptions;

std::atomic<int> alive{0};

struct LiveSpec {
  static auto DefaultConfig() {
    return envpool::Dict{"work_us"_ = 0, "gated"_ = false, "fails"_ = false};
  }
  static auto StateSpec(const auto&) {
    return envpool::Dict{"obs"_ = envpool::Spec<int>({}),
                         "info:list"_ = envpool::Spec<envpool::Container<int>>({2}),
                         "info:players.list"_ = envpool::Spec<envpool::Container<int>>({-1})};
  }
  static auto ActionSpec(const auto&) { return envpool::Dict{"action"_ = envpool::Discrete(5)}; }
};

/// Counts the objects that exist, and gives dynamic arrays away.
class Live : public envpool::Env<LiveSpec> {
 public:
  Live(const Spec& spec, int env_id) : Env(spec, env_id) { ++alive; }
  ~Live() override { --alive; }

  bool IsDone() override { return false; }
  void Reset() override { Write(); }
  void Step(const Action&) override {
    if (spec_.config["gated"_]) Gates::Get().Pass(env_id_);
    Write();
    if (spec_.config["fails"_] && gen_() % 4 == 0) throw std::runtime_error("again");
  }

 private:
  void Write() {
    if (const int time = spec_.config["work_us"_]; time > 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(time));
    }
    const int players = static_cast<int>(gen_() % static_cast<unsigned>(max_num_players_ + 1));
    State state = Allocate(players);
    state["obs"_] = players;
    envpool::Container<int>& second = state["info:list"_][1];
    second = std::make_unique<envpool::TArray<int>>(std::vector<int>{3});
    for (int i = 0; i < players; ++i) {
      envpool::Container<int>& own = state["info:players.list"_][static_cast<std::size_t>(i)];
      own = std::make_unique<envpool::TArray<int>>(std::vector<int>{i});
    }
  }
};

/// Waits at its gate, and says so.
class Held : public Live {
 public:
  using Live::Live;
  static constexpr auto kStepKind = envpool::StepKind::kBlocking;
};

void RandomCloses(std::mt19937& random) {
  for (int round = 0; round < 150; ++round) {
    const int n = 1 + Below(40, random);
    const PoolOptions options{.num_envs = n,
                              .batch_size = Below(2, random) == 0 ? n : 1 + Below(n, random),
                              .num_threads = std::min(n, 1 + Below(8, random))};
    {
      TestPool<Live> pool(options, [&](auto& config) {
        config["max_num_players"_] = 3;
        config["work_us"_] = Below(3, random) == 0 ? 50 : 0;
        config["fails"_] = Below(2, random) == 0;
      });
      EXPECT(alive == n);
      for (int times = Below(3, random); times >= 0; --times) {
        pool.Send(Shuffled(n, random), Op::kReset);
        for (int steps = Below(4, random); steps > 0; --steps) {
          try {
            const Received received = pool.Recv();
            const int* env_id = received.batch->column<int>(envpool::kEnvIdColumn);
            pool.Send({env_id, env_id + received.rows}, Op::kStep);
            pool->Release(*received.batch);
          } catch (const envpool::Error& error) {
            // A step failed, or too few environments are left for a batch.
            EXPECT(error.kind == envpool::ErrorKind::kWorker ||
                   error.kind == envpool::ErrorKind::kState);
          }
        }
        EXPECT(pool->Close(Clock::now() + std::chrono::seconds(30)));
        EXPECT(pool->closed() && pool->num_in_flight() == 0 && alive == 0);
        EXPECT(pool->Close(Clock::now()));
        if (times > 0) pool->Reopen([] {});
      }
    }
    EXPECT(alive == 0);
  }
}

/// Two seconds of work are queued; the threads end after what they are doing.
void ClosesAtOnce(int batch_size) {
  TestPool<Live> pool({.num_envs = 100, .batch_size = batch_size, .num_threads = 2},
                      [](auto& config) { config["work_us"_] = 40'000; });
  std::mt19937 random(1);
  pool.Send(Shuffled(100, random), Op::kReset);
  const auto start = Clock::now();
  EXPECT(pool->Close(start + std::chrono::seconds(30)));
  EXPECT(Clock::now() - start < std::chrono::seconds(1));
}

void WaitsForOneThatDoesNotReturn() {
  TestPool<Held> pool({.num_envs = 3, .batch_size = 3, .num_threads = 2},
                      [](auto& config) { config["gated"_] = true; });
  pool.Send({0, 1, 2}, Op::kReset);
  pool->Release(*pool.Recv().batch);
  Gates::Get().Close({1});
  pool.Send({0, 1, 2}, Op::kStep);
  EXPECT(Gates::Get().AwaitHeld(1, 30));
  for (int i = 0; i < 2; ++i) {
    const auto start = Clock::now();
    EXPECT(!pool->Close(start + std::chrono::milliseconds(50)));
    EXPECT(Clock::now() - start >= std::chrono::milliseconds(50));
    EXPECT(!pool->closed());
    EXPECT(TextOf([&] { pool.Recv(); }).find("close() is waiting") != std::string::npos);
    EXPECT(TextOf([&] { pool->Reopen([] {}); }).find("close() is waiting") != std::string::npos);
    EXPECT(TextOf([&] { pool->CheckSend(nullptr, 3, Op::kReset); }).find("close() is waiting") !=
           std::string::npos);
  }
  Gates::Get().Open();
  EXPECT(pool->Close(Clock::now() + std::chrono::seconds(30)));
  EXPECT(alive == 0);
  pool->Reopen([] {});
  pool.Send({2, 0}, Op::kReset);
  const Received received = pool.Recv();
  EXPECT(received.rows == 2);
  pool->Release(*received.batch);
}

/// `check_signals` is called while nothing happens, and what it throws passes through; nothing is
/// lost.
void WaitsCanBeInterrupted() {
  TestPool<Held> pool({.num_envs = 2, .batch_size = 2, .num_threads = 2},
                      [](auto& config) { config["gated"_] = true; });
  pool.Send({0, 1}, Op::kReset);
  pool->Release(*pool.Recv().batch);
  Gates::Get().Close({0});
  pool.Send({0, 1}, Op::kStep);
  int checks = 0;
  const auto interrupt = [&] {
    if (++checks % 3 == 0) throw std::runtime_error("a signal");
  };
  const auto start = Clock::now();
  for (int i = 1; i <= 2; ++i) {
    EXPECT(TextOf([&] { pool->Recv(true, interrupt); }) == "a signal");
    EXPECT(checks == 3 * i);
  }
  EXPECT(TextOf([&] { pool->Drop(nullptr, 2, interrupt); }) == "a signal");
  EXPECT(Clock::now() - start < std::chrono::seconds(9));  // nine waits of 0.1 s
  EXPECT(pool->num_in_flight() == 2);
  Gates::Get().Open();
  const Received received = pool.Recv();
  EXPECT(received.rows == 2);
  pool->Release(*received.batch);
}

/// Threads of this process.
long Threads() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                       std::filesystem::directory_iterator());
}

/// An exception passes a pool that nobody closes, while its environments are at work and one of
/// them is held up: the exception arrives, the environments are freed, and the threads have ended.
void DroppedWhenAnExceptionPasses(int batch_size) {
  const long threads = Threads();
  PlainMemory memory;
  std::thread opener;
  const std::string text = TextOf([&] {
    auto config = Held::Spec::DefaultConfig();
    config["num_envs"_] = 8;
    config["gated"_] = true;
    envpool::AsyncEnvPool<Held> pool(std::make_unique<Held::Spec>(std::move(config)),
                                     {.task_id = "Test-v0",
                                      .num_envs = 8,
                                      .batch_size = batch_size,
                                      .num_threads = 3,
                                      .max_episode_steps = 1 << 30},
                                     memory);
    pool.Reset(nullptr, 8, nullptr, false, [] {});
    const Received received = pool.Recv(false, [] {});
    const int* first = received.batch->column<int>(envpool::kEnvIdColumn);
    const std::vector<int> ids(first, first + received.rows);
    pool.Release(*received.batch);
    Gates::Get().Close({ids[0]});
    pool.Step(ids.data(), received.rows, false, [] {});
    EXPECT(Gates::Get().AwaitHeld(1, 30));
    EXPECT(alive == 8);
    opener = std::thread([] { Gates::Get().Open(); });
    throw std::runtime_error("passes");
  });
  opener.join();
  EXPECT(text == "passes");
  EXPECT(alive == 0);
  // A thread that was joined may be listed for a moment more.
  const auto deadline = Clock::now() + std::chrono::seconds(30);
  while (Threads() != threads) EXPECT(Clock::now() < deadline);
}

}  // namespace
}  // namespace testing_envs

int main() {
  using namespace testing_envs;
  std::mt19937 random(5);
  RandomCloses(random);
  ClosesAtOnce(100);
  ClosesAtOnce(10);
  WaitsForOneThatDoesNotReturn();
  WaitsCanBeInterrupted();
  DroppedWhenAnExceptionPasses(8);
  DroppedWhenAnExceptionPasses(2);
  return 0;
}
