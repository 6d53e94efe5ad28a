// SPDX-License-Identifier: Apache-2.0
#include "envpool_mujoco/model_fields.h"

#include <mujoco/mjxmacro.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <numeric>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "envpool/error.h"
#include "envpool_mujoco/detail/listed_pairs.h"

namespace envpool::mujoco {
namespace {

// How many letters have to be put in, left out or replaced to make one name of the other.
std::size_t LettersApart(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // for each beginning of b
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i + 1);
    for (std::size_t k = 0; k < b.size(); ++k) {
      const std::size_t replaced = corner + (a[i] == b[k] ? 0 : 1);
      corner = row[k + 1];
      row[k + 1] = std::min({replaced, corner + 1, row[k] + 1});
    }
  }
  return row.back();
}

enum Trait : unsigned { kNone = 0, kShape = 1, kContact = 2, kPositive = 4 };

struct Known {
  std::string_view name;
  unsigned traits;
};

// The fields that may differ between environments. kShape: bounding volumes follow from the field.
constexpr Known kKnown[] = {{"qpos0", kNone},
                            {"qpos_spring", kNone},
                            {"body_pos", kNone},
                            {"body_quat", kNone},
                            {"body_ipos", kShape},
                            {"body_iquat", kShape},
                            {"body_mass", kPositive},
                            {"body_inertia", kPositive},
                            {"body_gravcomp", kNone},
                            {"jnt_solref", kNone},
                            {"jnt_solimp", kNone},
                            {"jnt_pos", kNone},
                            {"jnt_axis", kNone},
                            {"jnt_stiffness", kPositive},
                            {"jnt_range", kNone},
                            {"jnt_actfrcrange", kNone},
                            {"jnt_margin", kNone},
                            {"dof_solref", kNone},
                            {"dof_solimp", kNone},
                            {"dof_frictionloss", kPositive},
                            {"dof_armature", kPositive},
                            {"dof_damping", kPositive},
                            {"geom_solmix", kContact | kPositive},
                            {"geom_solref", kContact},
                            {"geom_solimp", kContact},
                            {"geom_size", kShape | kPositive},
                            {"geom_pos", kShape},
                            {"geom_quat", kShape},
                            {"geom_friction", kContact | kPositive},
                            {"geom_margin", kContact | kPositive},
                            {"geom_gap", kContact},
                            {"geom_rgba", kNone},
                            {"site_size", kPositive},
                            {"site_pos", kNone},
                            {"site_quat", kNone},
                            {"site_rgba", kNone},
                            {"cam_pos", kNone},
                            {"cam_quat", kNone},
                            {"cam_fovy", kPositive},
                            {"light_pos", kNone},
                            {"light_dir", kNone},
                            {"light_ambient", kPositive},
                            {"light_diffuse", kPositive},
                            {"light_specular", kPositive},
                            {"mat_emission", kPositive},
                            {"mat_specular", kPositive},
                            {"mat_shininess", kPositive},
                            {"mat_reflectance", kPositive},
                            {"mat_rgba", kNone},
                            {"pair_solref", kNone},
                            {"pair_solreffriction", kNone},
                            {"pair_solimp", kNone},
                            {"pair_margin", kPositive},
                            {"pair_gap", kNone},
                            {"pair_friction", kPositive},
                            {"eq_solref", kNone},
                            {"eq_solimp", kNone},
                            {"tendon_width", kPositive},
                            {"tendon_solref_lim", kNone},
                            {"tendon_solimp_lim", kNone},
                            {"tendon_solref_fri", kNone},
                            {"tendon_solimp_fri", kNone},
                            {"tendon_range", kNone},
                            {"tendon_actfrcrange", kNone},
                            {"tendon_margin", kNone},
                            {"tendon_stiffness", kPositive},
                            {"tendon_damping", kPositive},
                            {"tendon_armature", kPositive},
                            {"tendon_frictionloss", kPositive},
                            {"tendon_lengthspring", kNone},
                            {"tendon_rgba", kNone},
                            {"actuator_dynprm", kNone},
                            {"actuator_gainprm", kNone},
                            {"actuator_biasprm", kNone},
                            {"actuator_ctrlrange", kNone},
                            {"actuator_forcerange", kNone},
                            {"actuator_actrange", kNone},
                            {"actuator_damping", kPositive},
                            {"actuator_armature", kPositive},
                            {"actuator_gear", kNone},
                            {"actuator_cranklength", kPositive},
                            {"actuator_lengthrange", kNone},
                            {"opt.impratio", kPositive},
                            {"opt.gravity", kNone},
                            {"opt.wind", kNone},
                            {"opt.magnetic", kNone},
                            {"opt.density", kPositive},
                            {"opt.viscosity", kPositive}};

constexpr std::size_t kVolumes = offsetof(mjModel, bvh_aabb);

const Known* FindKnown(std::string_view name) {
  const auto* found = std::find_if(std::begin(kKnown), std::end(kKnown),
                                   [&](const Known& known) { return known.name == name; });
  return found == std::end(kKnown) ? nullptr : found;
}

bool Begins(const std::string& name, std::initializer_list<const char*> with) {
  return std::any_of(with.begin(), with.end(), [&](const char* w) { return name.starts_with(w); });
}

}  // namespace

std::shared_ptr<const ModelFields> ModelFields::Of(const SharedModel& model) {
  // Not by PerModel, which keeps only values that can be copied.
  static std::mutex mutex;
  static std::map<const mjModel*, std::weak_ptr<const ModelFields>> known;
  const std::scoped_lock lock(mutex);
  std::erase_if(known, [](const auto& item) { return item.second.expired(); });
  std::weak_ptr<const ModelFields>& place = known[model.get()];
  if (std::shared_ptr<const ModelFields> found = place.lock()) return found;
  const auto made = std::make_shared<const ModelFields>(model);
  place = made;
  return made;
}

ModelFields::ModelFields(SharedModel model) : model_(std::move(model)) {
  AddArrays();
  AddOptions();
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    numbers_[fields_[i].name] = static_cast<int>(i);
  }
  const mjModel& m = *model_;
  const mjtSize of_bodies =
      std::accumulate(m.body_bvhnum, m.body_bvhnum + m.nbody, static_cast<mjtSize>(0));
  has_mesh_volumes_ = m.nbvhstatic > of_bodies;
  if (has_mesh_volumes_) {  // no field that moves a volume changes, see Find
    std::erase_if(derived_, [](const DerivedArray& array) { return array.offset == kVolumes; });
  }
}

void ModelFields::AddArrays() {
  const mjModel& m = *model_;
  MJMODEL_POINTERS_PREAMBLE(model_)
  std::map<std::string, DerivedArray> arrays;
  const auto add = [&]<typename T>(const char* name, T* const& pointer, mjtSize rows,
                                   mjtSize columns) {
    const auto offset = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&pointer) -
                                                 reinterpret_cast<const std::byte*>(&m));
    arrays[name] = {offset, sizeof(T) * static_cast<std::size_t>(rows * columns)};
    if constexpr (std::is_floating_point_v<T>) {
      const Known* known = FindKnown(name);
      const unsigned traits = known == nullptr ? 0 : known->traits;
      ModelField field;
      field.name = name;
      field.offset = offset;
      field.single = sizeof(T) == sizeof(float);
      field.rows = static_cast<int>(rows);
      field.columns = static_cast<int>(columns);
      field.contacts = (traits & kContact) != 0;
      field.positive = (traits & kPositive) != 0;
      field.may_differ = known != nullptr;
      fields_.push_back(field);
    } else {
      others_[name] = "whole numbers: types, addresses and ids";
    }
  };
#undef MJ_M
#define MJ_M(n) m.n
#define X(type, name, rows, columns) add(#name, m.name, m.rows, static_cast<mjtSize>(columns));
#undef XNV
#define XNV X
  MJMODEL_POINTERS
#undef X
#undef MJ_M
#define MJ_M(n) n
  const auto find = [&](const char* name) {
    return std::find_if(fields_.begin(), fields_.end(),
                        [&](const ModelField& field) { return field.name == name; });
  };
  const auto table = [&](const char* name, int groups) {
    if ((groups & mjSC_OUT) != 0) derived_.push_back(arrays.at(name));
    const auto field = find(name);
    if (field != fields_.end()) field->derives = (groups & mjSC_IN) != 0;
  };
#define X(name, fixed, qpos0, invweight, solver) \
  table(#name, (fixed) | (qpos0) | (invweight) | (solver));
  MJSETCONST_ARRAYS
#undef X
}

void ModelFields::AddOptions() {
  const mjModel& m = *model_;
  const auto add = [&](const char* name, const auto* first, int count) {
    const std::string whole = std::string("opt.") + name;
    if constexpr (std::is_same_v<decltype(first), const mjtNum*>) {
      const Known* known = FindKnown(whole);
      ModelField field;
      field.name = whole;
      field.offset = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(first) -
                                              reinterpret_cast<const std::byte*>(&m));
      field.pointed = false;
      field.rows = 1;
      field.columns = count;
      field.positive = known != nullptr && (known->traits & kPositive) != 0;
      field.may_differ = known != nullptr;
      fields_.push_back(field);
    } else {
      others_[whole] = "a choice of the solver, and not of the world";
    }
  };
#define X(type, name, count) add(#name, &m.opt.name, count);
#undef XVEC
#define XVEC(type, name, count) add(#name, &m.opt.name[0], count);
  MJOPTION_FIELDS
#undef X
#undef XVEC
}

std::string ModelFields::Reason(const std::string& name) const {
  if (const auto other = others_.find(name); other != others_.end()) return other->second;
  if (Begins(name, {"mesh_", "tex_", "skin_", "hfield_", "flex", "bvh_", "oct_", "efm"})) {
    return "shapes and pictures, which all environments share";
  }
  if (Begins(name, {"opt."})) {
    if (!numbers_.contains(name)) return "";
    return name == "opt.timestep" ? "the time that tasks count in" : "a choice of the solver";
  }
  const auto number = numbers_.find(name);
  if (number == numbers_.end()) return "";
  const std::size_t offset = at(number->second).offset;
  for (const DerivedArray& array : derived_) {
    if (array.offset == offset) {
      return "what MuJoCo computes from other fields, and computes again when these change";
    }
  }
  return "what no step of the simulation reads, or what is read when an environment is made";
}

void ModelFields::Refuse(const std::string& name, const std::string& option) const {
  std::vector<std::string> choices;
  const ModelField* nearest = nullptr;
  std::size_t least = 1 + name.size() / 5;  // as many letters may be wrong
  for (const ModelField& field : fields_) {
    if (field.rows == 0) continue;
    if (field.may_differ) choices.push_back(field.name);
    const std::size_t wrong = LettersApart(name, field.name);
    if (wrong > least || (wrong == least && nearest != nullptr)) continue;
    least = wrong;
    nearest = &field;
  }
  const std::string reason = Reason(name);
  const bool is_slip = reason.empty() && nearest != nullptr;
  throw envpool::OptionError(
      option,
      "'" + name + "'" + (reason.empty() ? ", which is no field of mjModel" : ": " + reason),
      "fields of numbers that describe the world, as 'body_mass', 'geom_friction', 'dof_damping', "
      "'actuator_gear' or 'opt.gravity'",
      is_slip ? "did you mean '" + nearest->name + "'? If not, name one of these"
              : "name one of these",
      choices);
}

int ModelFields::Find(const std::string& name, const std::string& option) const {
  const auto number = numbers_.find(name);
  if (number == numbers_.end() || !at(number->second).may_differ) Refuse(name, option);
  const ModelField& field = at(number->second);
  if (field.rows == 0) {
    throw envpool::OptionError(option, "'" + name + "' of a model that has none of these things",
                               "fields of what the model has", "leave it out");
  }
  if (name.starts_with("pair_") && HasListedPairs(*model_)) {
    throw envpool::OptionError(option, "'" + name + "', which follows from fields of geoms here",
                               "geom_friction and other fields of geoms", "change those");
  }
  const Known* known = FindKnown(name);
  if ((known->traits & kShape) != 0 && has_mesh_volumes_) {
    throw envpool::OptionError(
        option,
        "'" + name +
            "' of a model with meshes, whose bounding volumes are megabytes in one array "
            "with those that follow from it",
        "fields that move no bounding volume, as masses, friction, damping and gains",
        "write it into a model of your own");
  }
  return number->second;
}

int ModelFields::Readable(const std::string& name, const std::string& option) const {
  const auto number = numbers_.find(name);
  if (number == numbers_.end()) Refuse(name, option);
  return number->second;
}

void ModelFields::Check(const std::string& name, const std::vector<double>& values,
                        const std::string& option) const {
  const int number = Find(name, option);
  const ModelField& field = at(number);
  if (values.empty()) return;
  if (static_cast<int>(values.size()) != field.size()) {
    throw envpool::OptionError(option,
                               std::to_string(values.size()) + " numbers for '" + name + "'",
                               std::to_string(field.size()) + ", " + std::to_string(field.columns) +
                                   " for each of " + std::to_string(field.rows),
                               "pass all that the model has, row after row");
  }
  std::vector<int> changed;
  const bool above = name == "body_mass" || name == "body_inertia";
  for (int i = 0; i < field.size(); ++i) {
    const double value = values[static_cast<std::size_t>(i)], own = field.Read(*model_, i);
    const bool low = field.positive && (above && own > 0 ? value <= 0 : value < 0);
    if (!std::isfinite(value) || low) {
      throw envpool::OptionError(
          option, std::to_string(value) + " in '" + name + "'",
          low ? above ? "numbers above 0" : "numbers from 0" : "finite numbers",
          "correct the number");
    }
    if (value != own) changed.push_back(i);
  }
  CheckElements(number, changed, option);
}

void ModelFields::CheckElements(int field, const std::vector<int>& elements,
                                const std::string& option) const {
  const std::string& name = at(field).name;
  if (name != "body_ipos" && name != "body_iquat") return;
  for (const int element : elements) {
    const int row = element / at(field).columns;
    if (model_->body_simple[row] == 0) continue;
    const std::string body = RowName(at(field), row);
    throw envpool::OptionError(
        option, "'" + name + "' of the body '" + body + "', which was compiled as simple",
        "bodies whose centre of mass may move: those that are not simple, or have simple=\"false\"",
        "name other bodies, as '" + name + "/torso', or write simple=\"false\" into the model");
  }
}

std::string ModelFields::RowName(const ModelField& field, int row) const {
  const mjModel& m = *model_;
  constexpr std::pair<const char*, mjtObj> kKinds[] = {
      {"body_", mjOBJ_BODY},     {"jnt_", mjOBJ_JOINT},        {"geom_", mjOBJ_GEOM},
      {"site_", mjOBJ_SITE},     {"cam_", mjOBJ_CAMERA},       {"light_", mjOBJ_LIGHT},
      {"mat_", mjOBJ_MATERIAL},  {"pair_", mjOBJ_PAIR},        {"eq_", mjOBJ_EQUALITY},
      {"tendon_", mjOBJ_TENDON}, {"actuator_", mjOBJ_ACTUATOR}};
  mjtObj kind = mjOBJ_UNKNOWN;
  int id = row;
  if (field.name.starts_with("dof_")) {
    kind = mjOBJ_JOINT;
    id = m.dof_jntid[row];
  } else if (field.name.starts_with("qpos")) {
    kind = mjOBJ_JOINT;
    id = static_cast<int>(std::upper_bound(m.jnt_qposadr, m.jnt_qposadr + m.njnt, row) -
                          m.jnt_qposadr) -
         1;
  }
  for (const auto& [prefix, known] : kKinds) {
    if (field.name.starts_with(prefix)) kind = known;
  }
  if (kind == mjOBJ_UNKNOWN) return "";
  const char* name = mj_id2name(&m, kind, id);
  return name == nullptr ? "" : name;
}

std::unique_ptr<ModelFields::Scratch> ModelFields::Take() const {
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Scratch> found = std::move(idle_.back());
      idle_.pop_back();
      return found;
    }
  }
  auto made = std::make_unique<Scratch>();
  made->model = *model_;
  std::vector<std::size_t> own;
  const auto copy = [&](std::size_t offset, std::size_t bytes) {
    if (bytes == 0 || std::find(own.begin(), own.end(), offset) != own.end()) return;
    own.push_back(offset);
    auto memory = std::make_unique<std::byte[]>(bytes);
    void*& pointer = PointerAt(made->model, offset);
    std::memcpy(memory.get(), pointer, bytes);
    pointer = memory.get();
    made->memory.push_back(std::move(memory));
  };
  for (const DerivedArray& array : derived_) copy(array.offset, array.bytes);
  for (const ModelField& field : fields_) {
    if (field.may_differ && field.pointed && field.derives) copy(field.offset, field.bytes());
  }
  if (has_mesh_volumes_) {
    // MuJoCo writes the volumes of bodies. Those of meshes, which are megabytes, are never touched,
    // so that they take no memory.
    const mjModel& m = *model_;
    const auto count = static_cast<std::size_t>(6 * m.nbvhstatic);
    auto memory = std::make_unique_for_overwrite<std::byte[]>(count * sizeof(mjtNum));
    auto* volumes = reinterpret_cast<mjtNum*>(memory.get());
    for (int body = 0; body < static_cast<int>(m.nbody); ++body) {
      if (m.body_bvhnum[body] == 0) continue;
      const int begin = 6 * m.body_bvhadr[body];
      std::copy_n(m.bvh_aabb + begin, 6 * m.body_bvhnum[body], volumes + begin);
    }
    made->model.bvh_aabb = volumes;
    made->memory.push_back(std::move(memory));
  }
  made->data = Workspace::Make(made->model);
  return made;
}

void ModelFields::Give(std::unique_ptr<Scratch> scratch) const {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(scratch));
}

}  // namespace envpool::mujoco
