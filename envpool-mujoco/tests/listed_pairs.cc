// SPDX-License-Identifier: Apache-2.0
// Simulates a model beside the same model with listed pairs, and the latter with the first half of
// its steps in parts.
#include "envpool_mujoco/detail/listed_pairs.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>

#include "envpool_mujoco/detail/first_half.h"

namespace {

constexpr int kEpisodes = 10, kSteps = 100;

using Data = std::unique_ptr<mjData, void (*)(mjData*)>;

// Compares all fields that mj_collision sets; it leaves other fields of a contact unchanged.
bool Same(const mjContact& a, const mjContact& b) {
  return a.dist == b.dist && std::equal(a.pos, a.pos + 3, b.pos) &&
         std::equal(a.frame, a.frame + 9, b.frame) && a.includemargin == b.includemargin &&
         std::equal(a.friction, a.friction + 5, b.friction) && a.dim == b.dim &&
         std::equal(a.solref, a.solref + mjNREF, b.solref) && a.adhesion == b.adhesion &&
         std::equal(a.solreffriction, a.solreffriction + mjNREF, b.solreffriction) &&
         std::equal(a.solimp, a.solimp + mjNIMP, b.solimp) && a.exclude == b.exclude &&
         std::equal(a.geom, a.geom + 2, b.geom);
}

bool Same(const mjModel& model, const mjData& a, const mjData& b) {
  return std::equal(a.qpos, a.qpos + model.nq, b.qpos) &&
         std::equal(a.qvel, a.qvel + model.nv, b.qvel) &&
         std::equal(a.qacc, a.qacc + model.nv, b.qacc) && a.ncon == b.ncon &&
         std::equal(a.contact, a.contact + a.ncon, b.contact,
                    [](const mjContact& x, const mjContact& y) { return Same(x, y); });
}

// True if both models find and name all elements alike.
bool SameNames(const mjModel& a, const mjModel& b) {
  for (int type = mjOBJ_BODY; type < mjNOBJECT; ++type) {
    if (type == mjOBJ_PAIR) continue;
    for (int i = 0; const char* name = mj_id2name(&a, type, i); ++i) {
      const char* other = mj_id2name(&b, type, i);
      if (other == nullptr || std::string_view(name) != other) return false;
      if (mj_name2id(&a, type, name) != mj_name2id(&b, type, name)) return false;
    }
    if (mj_name2id(&b, type, "nothing") != -1) return false;
  }
  return mj_name2id(&b, mjOBJ_PAIR, "nothing") == -1;
}

// Compares all results except efc_, which follows from contacts, positions and velocities.
bool SameInAll(const mjData& a, const mjData& b) {
  return a.nbuffer == b.nbuffer &&
         std::memcmp(a.buffer, b.buffer, static_cast<std::size_t>(a.nbuffer)) == 0 &&
         std::equal(a.energy, a.energy + 2, b.energy) && a.nefc == b.nefc && a.ncon == b.ncon &&
         std::equal(a.contact, a.contact + a.ncon, b.contact,
                    [](const mjContact& x, const mjContact& y) { return Same(x, y); });
}

// The step after which stepping in parts differs. `flags` are `disableflags`.
int DifferingInParts(const mjModel& model, int flags) {
  mjModel own = model;
  own.opt.disableflags |= flags;
  const Data whole(mj_makeData(&own), mj_deleteData), parts(mj_makeData(&own), mj_deleteData);
  std::mt19937 random(2);
  std::uniform_real_distribution<double> noise(-1, 1);
  for (int i = 0; i < own.nv; ++i) whole->qvel[i] = parts->qvel[i] = noise(random);
  int differing = 0;
  for (int step = 0; step < kEpisodes * kSteps; ++step) {
    mj_step1(&own, whole.get());
    envpool::mujoco::StepFirstHalf(own, parts.get());
    if (flags & mjDSBL_SENSOR) mj_camlight(&own, parts.get());
    differing += SameInAll(*whole, *parts) ? 0 : 1;
    for (int i = 0; i < own.nv; ++i) {
      whole->qfrc_applied[i] = parts->qfrc_applied[i] = noise(random);
    }
    mj_step2(&own, whole.get());
    mj_step2(&own, parts.get());
  }
  const bool restored =
      own.geom_bodyid == model.geom_bodyid && own.ncam == model.ncam && own.nlight == model.nlight;
  return differing + (restored ? 0 : 1);
}

void Try(const char* path, int* pairs, int* contacts, int* differing) {
  char message[1000] = "";
  mjModel* loaded = mj_loadXML(path, nullptr, message, sizeof(message));
  if (loaded == nullptr) return;
  loaded->opt.disableflags |= mjDSBL_MIDPHASE;
  const std::shared_ptr<const mjModel> model(
      loaded, [](const mjModel* old) { mj_deleteModel(const_cast<mjModel*>(old)); });
  const auto listed = envpool::mujoco::WithListedPairs(model);
  const Data one(mj_makeData(model.get()), mj_deleteData);
  const Data other(mj_makeData(model.get()), mj_deleteData);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> noise(-1, 1);
  *contacts = 0;
  *differing = SameNames(*model, *listed) ? 0 : 1;
  for (int episode = 0; episode < kEpisodes; ++episode) {
    mj_resetData(model.get(), one.get());
    mj_resetData(model.get(), other.get());
    for (int i = 0; i < model->nv; ++i) one->qvel[i] = other->qvel[i] = noise(random);
    for (int step = 0; step < kSteps; ++step) {
      for (int i = 0; i < model->nv; ++i) {
        one->qfrc_applied[i] = other->qfrc_applied[i] = noise(random);
      }
      mj_step(model.get(), one.get());
      mj_step(listed.get(), other.get());
      *contacts += one->ncon;
      *differing += Same(*model, *one, *other) ? 0 : 1;
    }
  }
  *pairs = listed == model ? -1 : static_cast<int>(listed->npair);
  if (envpool::mujoco::HasListedPairs(*model) ||
      envpool::mujoco::HasListedPairs(*listed) != (listed != model)) {
    ++*differing;
  }
  for (const int flags : {0, static_cast<int>(mjDSBL_SENSOR)}) {
    *differing += DifferingInParts(*listed, flags);
  }
}

}  // namespace

/// Writes into `result`: the number of listed pairs, -1 if the model itself was returned; the
/// number of contacts; the step after which a value differed, plus one if names did, or
/// HasListedPairs. Leaves it unchanged if the file is not a model.
extern "C" void try_listed_pairs(const char* path, int* result) {
  Try(path, result, result + 1, result + 2);
}
