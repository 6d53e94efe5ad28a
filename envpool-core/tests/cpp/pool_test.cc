// SPDX-License-Identifier: Apache-2.0
// A pool against a model of it: random sends, resets, drops and receives; every row that comes back
// must be the one that the model foretells, every failure is reported once, and nothing is lost.
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "../engine/envs/counter.h"
#include "../engine/envs/faulty.h"
#include "support.h"

namespace testing_envs {
namespace {

using envpool::Autoreset;
using envpool::Error;
using envpool::ErrorKind;
using envpool::PoolOptions;

/// The expected values of a row.
struct Expected {
  int steps = 0;
  int action = 0;
  int elapsed = 0;
  bool done = false;
  bool first = false;
  bool fails = false;
};

/// A pool's caller's knowledge of an environment.
struct EnvModel {
  bool in_flight = false;
  bool broken = false;
  bool over = true;
  int steps = 0;  // since the last reset
  Expected result;
};

/// One column of the family's own: column 9 is "obs", two ints: steps and action.
class Model {
 public:
  Model(const PoolOptions& options, int goal, Autoreset mode, int fails_at)
      : envs(static_cast<std::size_t>(options.num_envs)),
        sync_(options.batch_size == options.num_envs),
        goal_(goal),
        fails_at_(fails_at),
        mode_(mode) {}

  std::vector<EnvModel> envs;
  std::deque<int> sent;  // synchronous: the order of the rows

  void Step(int id, int action) {
    EnvModel& env = envs[static_cast<std::size_t>(id)];
    if (env.over) return Reset(id);
    Flies(id);
    ++env.steps;
    const bool done = goal_ > 0 && env.steps >= goal_;
    env.result = {.steps = env.steps, .action = action, .elapsed = env.steps, .done = done};
    env.result.fails = fails_at_ > 0 && id % 3 == 0 && env.steps == fails_at_;
    env.over = done || env.result.fails;
    if (done && mode_ == Autoreset::kSameStep) {
      env.over = false;
      env.steps = 0;
      env.result.steps = env.result.action = env.result.elapsed = 0;
    }
  }
  void Reset(int id) {
    Flies(id);
    EnvModel& env = envs[static_cast<std::size_t>(id)];
    env.steps = 0;
    env.over = env.broken = false;
    env.result = {.first = true};
  }
  /// The environments of `ids` that are in flight finish without being received.
  void Drop(const std::vector<int>& ids) {
    for (const int id : ids) {
      EnvModel& env = envs[static_cast<std::size_t>(id)];
      if (env.in_flight) Lands(id);
    }
  }
  void Lands(int id) {
    EnvModel& env = envs[static_cast<std::size_t>(id)];
    env.in_flight = false;
    if (env.result.fails) env.broken = true;
    std::erase(sent, id);
  }
  int in_flight() const {
    return static_cast<int>(
        std::count_if(envs.begin(), envs.end(), [](const EnvModel& env) { return env.in_flight; }));
  }
  void CheckRows(const Received& received) {
    const Batch& batch = *received.batch;
    for (int row = 0; row < received.rows; ++row) {
      const int id = batch.column<int>(envpool::kEnvIdColumn)[row];
      EXPECT(id >= 0 && id < static_cast<int>(envs.size()));
      const EnvModel& env = envs[static_cast<std::size_t>(id)];
      EXPECT(env.in_flight && !env.result.fails);
      if (sync_) EXPECT(!sent.empty() && sent.front() == id);
      const int* obs = batch.column<int>(9) + 2 * row;
      EXPECT(obs[0] == env.result.steps && obs[1] == env.result.action);
      EXPECT(batch.column<int>(envpool::kElapsedStepColumn)[row] == env.result.elapsed);
      EXPECT(batch.column<bool>(envpool::kDoneColumn)[row] == env.result.done);
      EXPECT(batch.column<bool>(envpool::kTerminatedColumn)[row] == env.result.done);
      const int type = env.result.first ? 0 : env.result.done ? 2 : 1;
      EXPECT(batch.column<int>(envpool::kStepTypeColumn)[row] == type);
      EXPECT(batch.column<float>(envpool::kDiscountColumn)[row] == (env.result.done ? 0.0f : 1.0f));
      Lands(id);
    }
  }
  void CheckFailures(const Error& error) {
    EXPECT(error.kind == ErrorKind::kWorker && !error.failures.empty());
    for (const envpool::Failure& failure : error.failures) {
      const EnvModel& env = envs[static_cast<std::size_t>(failure.env_id)];
      EXPECT(env.in_flight && env.result.fails && failure.text == "the motor burnt out");
      Lands(failure.env_id);
    }
  }

 private:
  void Flies(int id) {
    envs[static_cast<std::size_t>(id)].in_flight = true;
    sent.push_back(id);
  }

  bool sync_;
  int goal_;
  int fails_at_;
  Autoreset mode_;
};

/// Some of the environments for which `may` holds, in any order.
template <typename F>
std::vector<int> Some(int n, std::mt19937& random, const F& may) {
  std::vector<int> ids;
  const int share = 1 + Below(4, random);
  for (const int id : Shuffled(n, random)) {
    if (may(id) && Below(4, random) < share) ids.push_back(id);
  }
  return ids;
}

template <typename E>
void RecvAndCheck(TestPool<E>& pool, Model& model) {
  try {
    const Received received = pool.Recv();
    model.CheckRows(received);
    pool->Release(*received.batch);
  } catch (const Error& error) {
    model.CheckFailures(error);
  }
}

template <typename E, typename Configure>
void Play(const PoolOptions& options, Autoreset mode, Model model, const Configure& configure,
          std::mt19937& random) {
  const int n = options.num_envs;
  const bool sync = n == options.batch_size;
  TestPool<E> pool(options, configure, mode);
  for (int round = 0; round < 120; ++round) {
    const auto idle = [&](int id) { return !model.envs[static_cast<std::size_t>(id)].in_flight; };
    const int choice = Below(10, random);
    if (choice < 5) {
      const std::vector<int> ids = Some(n, random, [&](int id) {
        const EnvModel& env = model.envs[static_cast<std::size_t>(id)];
        return idle(id) && !env.broken && !(mode == Autoreset::kDisabled && env.over);
      });
      const int action = Below(1000, random);
      pool.Send(ids, Op::kStep, action);
      for (const int id : ids) model.Step(id, action);
    } else if (choice < 6) {
      const std::vector<int> ids = Some(n, random, idle);
      if (Below(3, random) == 0) {
        for (const int id : ids) pool->envs().SetSeed(id, Below(100, random));
        pool.Send(ids, Op::kReseed);
      } else {
        pool.Send(ids, Op::kReset);
      }
      for (const int id : ids) model.Reset(id);
    } else if (choice < 7) {
      // As the Python side does: an asynchronous pool drops everything or nothing.
      std::vector<int> ids = Some(n, random, [&](int) { return true; });
      if (!sync) ids = Shuffled(n, random);
      if (ids.empty()) continue;  // null would mean all
      pool->Drop(sync ? ids.data() : nullptr, sync ? static_cast<int>(ids.size()) : n, [] {});
      model.Drop(ids);
    } else if (model.in_flight() >= (sync ? 1 : options.batch_size)) {
      RecvAndCheck(pool, model);
    }
    EXPECT(pool->num_in_flight() <= model.in_flight());
    EXPECT(TextOf([&] { pool->CheckSend(nullptr, n, Op::kReset); }).empty() ==
           (pool->num_in_flight() == 0));
    // Looking at environments that are in flight must not race with the workers.
    static_cast<void>(TextOf([&] { pool->CheckSend(nullptr, n, Op::kStep); }));
  }
  if (Below(2, random) == 0) return;  // closed with all that is in flight
  while (model.in_flight() >= (sync ? 1 : options.batch_size)) RecvAndCheck(pool, model);
  EXPECT(pool->Close(Clock::now() + std::chrono::seconds(30)));
  pool->Reopen([] {});
  std::vector<int> ids = Shuffled(n, random);
  pool.Send(ids, Op::kReset);
  EXPECT(pool->num_in_flight() == n);
}

void PlayCounter(const PoolOptions& options, int microseconds, Autoreset mode,
                 std::mt19937& random) {
  const int goal = Below(5, random);
  Play<Counter>(
      options, mode, Model(options, goal, mode, 0),
      [&](auto& config) {
        config["goal"_] = goal;
        config["jitter_us"_] = microseconds;
      },
      random);
}

void PlayTrouble(const PoolOptions& options, std::mt19937& random) {
  Play<Faulty>(
      options, Autoreset::kNextStep, Model(options, 0, Autoreset::kNextStep, 3),
      [&](auto& config) {
        config["where"_] = "step";
        config["at"_] = 3;
        for (int id = 0; id < options.num_envs; id += 3) config["envs"_].push_back(id);
      },
      random);
}

}  // namespace
}  // namespace testing_envs

int main() {
  using namespace testing_envs;
  std::mt19937 random(11);
  for (const int threads : {1, 2, 4, 8}) {
    for (const int n : {1, 2, 5, 13, 80}) {
      for (const bool sync : {true, false}) {
        for (int round = 0; round < 3; ++round) {
          const PoolOptions options{.num_envs = n,
                                    .batch_size = sync ? n : 1 + Below(n, random),
                                    .num_threads = std::min(threads, n)};
          PlayCounter(options, 0, Autoreset::kNextStep, random);
          PlayCounter(options, 40, Autoreset::kSameStep, random);
          PlayCounter(options, 0, Autoreset::kDisabled, random);
          PlayTrouble(options, random);
        }
      }
    }
  }
  return 0;
}
