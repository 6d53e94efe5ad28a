// SPDX-License-Identifier: Apache-2.0
// The least cost of a MuJoCo task: a loop over simulations that sets controls, calls mj_step,
// copies positions and velocities, and begins a new episode after a fall or 1,000 steps. It has no
// ids, no flags, no queue, no Python. Model, library and options are those of envpool-mujoco: one
// shared model with listed pairs, neither islands nor middle phase.
//
//   bare_mujoco <model.xml> <simulations> <frame skip> <body forces: 0, 1> <noise> <normal: 0, 1>
//               {<index> <low> <high>}
//
// An episode starts with uniform noise of that size on positions and velocities, or with normal
// noise on velocities if <normal>. A robot has fallen when a position number <index> leaves (low,
// high). It answers as tools/benchmarks/worker.py does: a line {"calls": n} on standard input by
// the wall and CPU seconds of n passes over all simulations.

#include <envpool_mujoco/detail/listed_pairs.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

namespace {

constexpr int kSteps = 1000;  // of an episode
constexpr int kBatches = 64;  // of actions, used in turn

struct Limit {
  int index;
  double low, high;
};

struct Bare {
  const mjModel* model;
  int skip;
  bool forces;
  double noise;
  bool normal;
  std::vector<Limit> limits;
  std::vector<mjData*> worlds;
  std::vector<int> steps;
  std::vector<double> actions, results;
  std::minstd_rand random;

  double Draw() { return std::uniform_real_distribution<double>(-1, 1)(random); }

  void Begin(std::size_t i) {
    mjData* data = worlds[i];
    mj_resetData(model, data);
    std::normal_distribution<double> normal_draw;
    for (int k = 0; k < model->nq; ++k) data->qpos[k] += noise * Draw();
    for (int k = 0; k < model->nv; ++k) {
      data->qvel[k] = noise * (normal ? normal_draw(random) : Draw());
    }
    mj_forward(model, data);
    steps[i] = 0;
  }

  void Pass(int batch) {
    const auto nu = static_cast<std::size_t>(model->nu);
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      mjData* data = worlds[i];
      const bool fell = std::any_of(limits.begin(), limits.end(), [&](const Limit& limit) {
        return !(limit.low < data->qpos[limit.index] && data->qpos[limit.index] < limit.high);
      });
      if (steps[i] == kSteps || (steps[i] > 0 && fell)) {
        Begin(i);
        continue;
      }
      mju_copy(data->ctrl, &actions[(static_cast<std::size_t>(batch) * worlds.size() + i) * nu],
               static_cast<int>(nu));
      for (int k = 0; k < skip; ++k) mj_step(model, data);
      if (forces) mj_rnePostConstraint(model, data);
      double* out = &results[i * static_cast<std::size_t>(model->nq + model->nv)];
      mju_copy(out, data->qpos, static_cast<int>(model->nq));
      mju_copy(out + model->nq, data->qvel, static_cast<int>(model->nv));
      ++steps[i];
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7 || (argc - 7) % 3 != 0) {
    std::fprintf(stderr, "usage: bare_mujoco model simulations skip forces noise normal limits\n");
    return 2;
  }
  char message[1000] = "";
  mjModel* loaded = mj_loadXML(argv[1], nullptr, message, sizeof(message));
  if (loaded == nullptr) {
    std::fprintf(stderr, "%s\n", message);
    return 1;
  }
  loaded->opt.disableflags |= mjDSBL_ISLAND | mjDSBL_MIDPHASE;
  const auto listed =
      envpool::mujoco::WithListedPairs(std::shared_ptr<const mjModel>(loaded, [](auto) {}));
  const mjModel* model = listed.get();
  const auto n = static_cast<std::size_t>(std::atoi(argv[2]));
  Bare bare{model,
            std::atoi(argv[3]),
            std::atoi(argv[4]) != 0,
            std::atof(argv[5]),
            std::atoi(argv[6]) != 0,
            {},
            {},
            std::vector<int>(n),
            {},
            std::vector<double>(n * static_cast<std::size_t>(model->nq + model->nv)),
            std::minstd_rand(1)};
  for (int i = 7; i < argc; i += 3) {
    bare.limits.push_back({std::atoi(argv[i]), std::atof(argv[i + 1]), std::atof(argv[i + 2])});
  }
  const auto nu = static_cast<std::size_t>(model->nu);
  for (std::size_t i = 0; i < kBatches * n * nu; ++i) {
    const double* range = model->actuator_ctrlrange + 2 * (i % nu);
    bare.actions.push_back(range[0] + (range[1] - range[0]) * (bare.Draw() + 1) / 2);
  }
  for (std::size_t i = 0; i < n; ++i) {
    bare.worlds.push_back(mj_makeData(model));
    bare.Begin(i);
  }
  std::puts("ready");
  std::fflush(stdout);
  int batch = 0;
  for (int calls = 0; std::scanf(" {\"calls\": %d}", &calls) == 1;) {
    const std::clock_t cpu = std::clock();
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call) bare.Pass(batch++ % kBatches);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    std::printf("{\"wall\": %.9f, \"cpu\": %.9f}\n", wall.count(),
                static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
    std::fflush(stdout);
  }
}
