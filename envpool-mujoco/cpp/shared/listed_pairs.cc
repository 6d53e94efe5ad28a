// SPDX-License-Identifier: Apache-2.0
#include "envpool_mujoco/detail/listed_pairs.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace envpool::mujoco {
namespace {

// Per body. With more pairs a list is slower than sorting the bodies: a humanoid with 10 is quicker
// with a list, a humanoid with 35 slower.
constexpr int kMostPairs = 10;

struct ListedPairs {
  explicit ListedPairs(std::shared_ptr<const mjModel> shared)
      : model(*shared), original(std::move(shared)) {}

  mjModel model;
  const std::shared_ptr<const mjModel> original;  // its arrays are used
  std::vector<int> dim, geom1, geom2, signature;
  std::vector<mjtNum> solref, solreffriction, solimp, margin, gap, adhesion, friction;
  std::vector<int> none;  // an empty list of bodies' own pairs
  std::vector<int> tables, name_pairadr;

  // Adds a pair, with the parameters that MuJoCo would derive from its two geoms.
  void Add(int a, int b) {
    const mjModel& m = *original;
    const auto mean = [](const mjtNum* values, int width, int i, int k, std::vector<mjtNum>& out) {
      for (int n = 0; n < width; ++n) {
        out.push_back(0.5 * values[width * i + n] + 0.5 * values[width * k + n]);
      }
    };
    dim.push_back(std::max(m.geom_condim[a], m.geom_condim[b]));
    geom1.push_back(a);
    geom2.push_back(b);
    signature.push_back((m.geom_bodyid[a] << 16) + m.geom_bodyid[b]);
    mean(m.geom_solref, mjNREF, a, b, solref);
    solreffriction.insert(solreffriction.end(), mjNREF, 0.0);
    mean(m.geom_solimp, mjNIMP, a, b, solimp);
    margin.push_back(m.geom_margin[a] + m.geom_margin[b]);
    gap.push_back(m.geom_gap[a] + m.geom_gap[b]);
    adhesion.push_back(m.geom_adhesion[a] + m.geom_adhesion[b]);
    for (const int kind : {0, 0, 1, 2, 2}) {  // sliding, spinning and rolling, by direction
      friction.push_back(std::max(m.geom_friction[3 * a + kind], m.geom_friction[3 * b + kind]));
    }
  }

  // Makes the listed pairs the only collisions.
  void List() {
    model.npair = static_cast<mjtSize>(dim.size());
    model.pair_dim = dim.data();
    model.pair_geom1 = geom1.data();
    model.pair_geom2 = geom2.data();
    model.pair_signature = signature.data();
    model.pair_solref = solref.data();
    model.pair_solreffriction = solreffriction.data();
    model.pair_solimp = solimp.data();
    model.pair_margin = margin.data();
    model.pair_gap = gap.data();
    model.pair_adhesion = adhesion.data();
    model.pair_friction = friction.data();
    none.assign(static_cast<std::size_t>(std::max(model.ngeom, model.nbody)), 0);
    model.geom_contype = model.geom_conaffinity = none.data();
    model.body_contype = model.body_conaffinity = none.data();
    NameNothing();
  }

  // MuJoCo searches names in a table per kind of element; the tables follow each other, each as
  // long as the number of its elements. So the pairs need a table, without entries.
  void NameNothing() {
    const mjModel& m = *original;
    const mjtSize behind = m.nexclude + m.neq + m.ntendon + m.nu + m.nsensor + m.nnumeric +
                           m.ntext + m.ntuple + m.nkey + m.nplugin;
    const auto known = static_cast<std::size_t>(m.nnames_map);
    const std::size_t slots = known / static_cast<std::size_t>(Named(m));  // per element
    tables.assign(m.names_map, m.names_map + known);
    tables.insert(tables.end() - static_cast<std::ptrdiff_t>(slots) * behind, slots * dim.size(),
                  -1);
    model.names_map = tables.data();
    model.nnames_map = static_cast<mjtSize>(tables.size());
    // The model's name is followed by a 0.
    name_pairadr.assign(dim.size(), static_cast<int>(std::strlen(m.names)));
    model.name_pairadr = name_pairadr.data();
  }
  static mjtSize Named(const mjModel& m) {
    return m.nbody + m.njnt + m.ngeom + m.nsite + m.ncam + m.nlight + m.nflex + m.nmesh + m.nskin +
           m.nhfield + m.ntex + m.nmat + m.npair + m.nexclude + m.neq + m.ntendon + m.nu +
           m.nsensor + m.nnumeric + m.ntext + m.ntuple + m.nkey + m.nplugin;
  }
};

// True if contacts equal those that Add makes, and cost little if spheres overlap.
bool HasPlainContacts(const mjModel& model) {
  if (model.npair > 0 || model.nflex > 0 || model.nmocap > 0 || model.nplugin > 0) return false;
  if (model.opt.enableflags & mjENBL_SLEEP) return false;
  for (int geom = 0; geom < model.ngeom; ++geom) {
    if (model.geom_contype[geom] == 0 && model.geom_conaffinity[geom] == 0) continue;
    const int type = model.geom_type[geom];
    if (type != mjGEOM_PLANE && type != mjGEOM_SPHERE && type != mjGEOM_CAPSULE) return false;
    if (model.geom_priority[geom] != 0 || model.geom_solmix[geom] != 1) return false;
    if (model.geom_solref[mjNREF * geom] <= 0) return false;  // stiffness and damping, not mixed
  }
  return true;
}

// True if MuJoCo searches for contacts of two bodies.
bool MayTouch(const mjModel& model, int body, int other) {
  const int signature = (body << 16) + other;
  const int* excluded = model.exclude_signature;
  if (std::find(excluded, excluded + model.nexclude, signature) != excluded + model.nexclude) {
    return false;
  }
  const int weld = model.body_weldid[body], other_weld = model.body_weldid[other];
  if (weld == other_weld) return false;
  if ((model.opt.disableflags & mjDSBL_FILTERPARENT) || weld == 0 || other_weld == 0) return true;
  const auto parent = [&](int id) { return model.body_weldid[model.body_parentid[id]]; };
  return weld != parent(other_weld) && other_weld != parent(weld);
}
}  // namespace

void MixPair(const mjModel& model, int pair, const PairNumbers& numbers) {
  const int a = model.pair_geom1[pair], b = model.pair_geom2[pair];
  if (numbers.solref != nullptr) {
    const mjtNum one = model.geom_solmix[a], other = model.geom_solmix[b];
    const bool none = one < mjMINVAL, no_other = other < mjMINVAL;
    const mjtNum share = none ? (no_other ? 0.5 : 0.0) : no_other ? 1.0 : one / (one + other);
    const mjtNum *ref = model.geom_solref + mjNREF * a, *ref2 = model.geom_solref + mjNREF * b;
    // Negative values are stiffness and damping, which are not mixed.
    const bool mixed = ref[0] > 0 && ref2[0] > 0;
    for (int i = 0; i < mjNREF; ++i) {
      numbers.solref[mjNREF * pair + i] =
          mixed ? share * ref[i] + (1 - share) * ref2[i] : std::min(ref[i], ref2[i]);
    }
    for (int i = 0; i < mjNIMP; ++i) {
      numbers.solimp[mjNIMP * pair + i] = share * model.geom_solimp[mjNIMP * a + i] +
                                          (1 - share) * model.geom_solimp[mjNIMP * b + i];
    }
  }
  if (numbers.margin != nullptr) numbers.margin[pair] = model.geom_margin[a] + model.geom_margin[b];
  if (numbers.gap != nullptr) numbers.gap[pair] = model.geom_gap[a] + model.geom_gap[b];
  if (numbers.friction == nullptr) return;
  int place = 5 * pair;
  for (const int kind : {0, 0, 1, 2, 2}) {  // sliding, spinning and rolling, by direction
    numbers.friction[place++] =
        std::max(model.geom_friction[3 * a + kind], model.geom_friction[3 * b + kind]);
  }
}

std::shared_ptr<const mjModel> WithListedPairs(const std::shared_ptr<const mjModel>& shared) {
  const mjModel& model = *shared;
  if (!HasPlainContacts(model)) return shared;
  auto listed = std::make_shared<ListedPairs>(shared);
  // In the order in which MuJoCo processes them: by bodies, then by geoms.
  const auto each = [&](int body, const auto& act) {
    const int begin = model.body_geomadr[body];
    for (int geom = begin; geom < begin + model.body_geomnum[body]; ++geom) act(geom);
  };
  for (int body = 0; body < model.nbody; ++body) {
    for (int other = body + 1; other < model.nbody; ++other) {
      if (!MayTouch(model, body, other)) continue;
      each(body, [&](int a) {
        each(other, [&](int b) {
          const bool meet = (model.geom_contype[a] & model.geom_conaffinity[b]) ||
                            (model.geom_contype[b] & model.geom_conaffinity[a]);
          if (meet) listed->Add(a, b);
        });
      });
    }
  }
  if (listed->dim.size() > static_cast<std::size_t>(kMostPairs * model.nbody)) return shared;
  listed->List();
  return {listed, &listed->model};
}

}  // namespace envpool::mujoco
