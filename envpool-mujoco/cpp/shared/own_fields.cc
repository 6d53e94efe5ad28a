// SPDX-License-Identifier: Apache-2.0
#include "envpool_mujoco/detail/own_fields.h"

#include <mujoco/mjxmacro.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "envpool_mujoco/detail/listed_pairs.h"
#include "envpool_mujoco/library.h"

namespace envpool::mujoco {

OwnFields::OwnFields(std::shared_ptr<const FieldDraws> draws, bool mixes_friction)
    : draws_(std::move(draws)), mixes_friction_(mixes_friction), drawn_(draws_->size()) {
  bool mass = false, inertia = false;
  for (const FieldDraws::Rule& rule : draws_->rules()) {
    mass = mass || fields().at(rule.field).name == "body_mass";
    inertia = inertia || fields().at(rule.field).name == "body_inertia";
  }
  inertia_follows_ = mass && !inertia;
}

OwnFields::Layer* OwnFields::LayerOf(std::size_t offset) {
  for (Layer& layer : layers_) {
    if (layer.offset == offset) return &layer;
  }
  return nullptr;
}

bool OwnFields::IsTasks(mjModel& model, std::size_t offset) {
  const Layer* layer = LayerOf(offset);
  if (layer != nullptr && layer->on) return false;
  return PointerAt(model, offset) != PointerAt(const_cast<mjModel&>(shared()), offset);
}

void* OwnFields::Own(mjModel& model, std::size_t offset, std::size_t bytes) {
  Layer* layer = LayerOf(offset);
  if (layer == nullptr) {
    layers_.push_back({offset, bytes, std::make_unique<std::byte[]>(bytes), false});
    layer = &layers_.back();
  }
  if (!layer->on) {
    void*& pointer = PointerAt(model, offset);
    std::memcpy(layer->memory.get(), pointer, bytes);
    pointer = layer->memory.get();
    layer->on = true;
  }
  return layer->memory.get();
}

void OwnFields::Restore(mjModel& model) {
  for (auto undo = undo_.rbegin(); undo != undo_.rend(); ++undo) {
    fields().at(undo->field).Write(model, undo->element, undo->value);
  }
  undo_.clear();
  UnmixFriction(model);
  friction_changed_ = false;
  for (Layer& layer : layers_) {
    if (!layer.on) continue;
    PointerAt(model, layer.offset) = PointerAt(const_cast<mjModel&>(shared()), layer.offset);
    layer.on = false;
  }
  const auto restore = [&](int number) {
    const ModelField& field = fields().at(number);
    for (int i = 0; !field.pointed && i < field.size(); ++i) {
      field.Write(model, i, field.Read(shared(), i));
    }
  };
  for (const Whole& whole : now_) restore(whole.field);
  for (const FieldDraws::Rule& rule : draws_->rules()) restore(rule.field);
#define X(name) model.name = shared().name;
  MJSETCONST_SCALARS
#undef X
}

/// Calls visit(field, element, value) for each number that this environment owns.
template <typename Visit>
void OwnFields::ForEachNumber(const Visit& visit) const {
  const auto whole = [&](const Whole& one) {
    for (std::size_t i = 0; i < one.values.size(); ++i) {
      visit(one.field, static_cast<int>(i), one.values[i]);
    }
  };
  for (const Whole& one : now_) whole(one);
  const double* drawn = drawn_.data();
  for (const FieldDraws::Rule& rule : draws_->rules()) {
    for (const int element : rule.elements) visit(rule.field, element, *drawn++);
  }
  for (const Whole& one : inertia_) whole(one);
}

void OwnFields::Write(mjModel& model, const ModelField& field, int element, double value) {
  if (field.pointed) {
    const Layer* layer = LayerOf(field.offset);
    if (layer == nullptr || !layer->on) {
      if (IsTasks(model, field.offset)) {
        undo_.push_back(
            {static_cast<int>(&field - &fields().at(0)), element, field.Read(model, element)});
      } else {
        Own(model, field.offset, field.bytes());
      }
    }
  }
  field.Write(model, element, value);
}

void OwnFields::Prepare(mjModel& model, const FieldValues& once) {
  Restore(model);
  now_.clear();
  inertia_.clear();
  const auto take = [&](const FieldValues& values, const FieldValues& unless) {
    for (const auto& [name, numbers] : values) {
      if (unless.contains(name)) continue;
      now_.push_back({fields().Find(name, "model_fields"), numbers});
    }
  };
  take(set_, once);
  take(once, {});
  std::sort(now_.begin(), now_.end(),
            [](const Whole& a, const Whole& b) { return a.field < b.field; });
  // The values before the draws.
  before_.resize(draws_->size());
  double* before = before_.data();
  for (const FieldDraws::Rule& rule : draws_->rules()) {
    const auto set = std::find_if(now_.begin(), now_.end(),
                                  [&](const Whole& one) { return one.field == rule.field; });
    for (const int element : rule.elements) {
      *before++ = set == now_.end() ? fields().at(rule.field).Read(model, element)
                                    : set->values[static_cast<std::size_t>(element)];
    }
  }
}

// A body whose mass is scaled by a factor has its inertia scaled by the same factor.
void OwnFields::Inertias(mjModel& model) {
  if (!inertia_follows_) return;
  const int number = fields().Find("body_inertia", "randomize");
  const bool set =
      std::any_of(now_.begin(), now_.end(), [&](const Whole& one) { return one.field == number; });
  if (set) return;
  Whole inertia{number, {}};
  const ModelField& field = fields().at(number);
  for (int i = 0; i < field.size(); ++i) inertia.values.push_back(field.Read(model, i));
  std::size_t k = 0;
  for (const FieldDraws::Rule& rule : draws_->rules()) {
    for (const int body : rule.elements) {
      const double before = before_[k], ratio = drawn_[k] / before;
      ++k;
      if (fields().at(rule.field).name != "body_mass" || before == 0) continue;
      for (int i = 0; i < 3; ++i) inertia.values[static_cast<std::size_t>(3 * body + i)] *= ratio;
    }
  }
  inertia_.push_back(std::move(inertia));
}

void OwnFields::Finish(mjModel& model) {
  Inertias(model);
  Put(model);
  before_ = {};  // frees the memory
}

void OwnFields::Put(mjModel& model) {
  try {
    ForEachNumber([&](int field, int element, double value) {
      Write(model, fields().at(field), element, value);
    });
    Derive(model);
    Relist(model);
  } catch (...) {
    Restore(model);
    throw;
  }
}

void OwnFields::Derive(mjModel& model) {
  bool derives = false;
  ForEachNumber([&](int field, int, double) { derives = derives || fields().at(field).derives; });
  if (!derives) return;
  std::unique_ptr<ModelFields::Scratch> scratch = fields().Take();
  mjModel& computed = scratch->model;
  ForEachNumber([&](int field, int element, double value) {
    const ModelField& one = fields().at(field);
    if (one.derives) one.Write(computed, element, value);
  });
  {
    const LibraryCall call;  // an exception destroys the scratch, which is half changed
    mj_setConst(&computed, scratch->data.get());
  }
  const auto bytes_of = [](const mjModel& of, std::size_t offset) {
    return PointerAt(const_cast<mjModel&>(of), offset);
  };
  for (const DerivedArray& array : fields().derived()) {
    if (array.bytes == 0) continue;
    void* const found = bytes_of(computed, array.offset);
    const void* const usual = bytes_of(shared(), array.offset);
    if (found == usual || std::memcmp(found, usual, array.bytes) == 0) continue;
    if (!IsTasks(model, array.offset)) {
      std::memcpy(Own(model, array.offset, array.bytes), found, array.bytes);
    }
    std::memcpy(found, usual, array.bytes);
  }
#define X(name)               \
  model.name = computed.name; \
  computed.name = shared().name;
  MJSETCONST_SCALARS
#undef X
  ForEachNumber([&](int field, int element, double) {
    const ModelField& one = fields().at(field);
    if (one.derives) one.Write(computed, element, one.Read(shared(), element));
  });
  fields().Give(std::move(scratch));
}

// Listed pairs depend on their geoms, so they are computed again.
void OwnFields::Relist(mjModel& model) {
  if (!HasListedPairs(shared())) return;
  // Memory only for those that follow from a change.
  bool softness = false, margin = false, gap = false, friction = false;
  ForEachNumber([&](int field, int, double) {
    const ModelField& one = fields().at(field);
    if (!one.contacts) return;
    softness = softness || one.name.starts_with("geom_sol");
    margin = margin || one.name == "geom_margin";
    gap = gap || one.name == "geom_gap";
    friction = friction || one.name == "geom_friction";
  });
  const auto own = [&](bool changes, mjtNum* mjModel::* member, int columns) -> mjtNum* {
    if (!changes) return nullptr;
    const auto offset = static_cast<std::size_t>(reinterpret_cast<std::byte*>(&(model.*member)) -
                                                 reinterpret_cast<std::byte*>(&model));
    const auto count = static_cast<std::size_t>(model.npair * columns);
    return static_cast<mjtNum*>(Own(model, offset, sizeof(mjtNum) * count));
  };
  friction_changed_ = friction && mixes_friction_;
  const PairNumbers numbers{own(softness, &mjModel::pair_solref, mjNREF),
                            own(softness, &mjModel::pair_solimp, mjNIMP),
                            own(margin, &mjModel::pair_margin, 1), own(gap, &mjModel::pair_gap, 1),
                            own(friction && !mixes_friction_, &mjModel::pair_friction, 5)};
  for (int pair = 0; pair < static_cast<int>(model.npair); ++pair) MixPair(model, pair, numbers);
}

void OwnFields::MixFriction(mjModel& model, std::vector<mjtNum>& memory) const {
  if (!friction_changed_) return;
  memory.resize(static_cast<std::size_t>(5 * model.npair));
  model.pair_friction = memory.data();
  const PairNumbers numbers{.friction = memory.data()};
  for (int pair = 0; pair < static_cast<int>(model.npair); ++pair) MixPair(model, pair, numbers);
}

void OwnFields::Save(envpool::StateWriter& out) const {
  const auto wholes = [&](const std::vector<Whole>& all) {
    out.Write(static_cast<std::uint32_t>(all.size()));
    for (const Whole& one : all) out.Write(one.field, one.values);
  };
  wholes(now_);
  wholes(inertia_);
  std::vector<double> undone;
  for (const Undo& undo : undo_) undone.push_back(undo.value);
  out.Write(drawn_, undone, static_cast<std::uint32_t>(set_.size()));
  for (const auto& [name, values] : set_) out.Write(name, values);
}

void OwnFields::Load(mjModel& model, envpool::StateReader& in) {
  const auto fail = [] { throw std::out_of_range("the saved state is of another model"); };
  const auto wholes = [&](std::vector<Whole>& all) {
    std::uint32_t count = 0;
    in.Read(count);
    all.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
      Whole one{};
      in.Read(one.field, one.values);
      if (one.field < 0 || one.field >= fields().count() ||
          static_cast<int>(one.values.size()) != fields().at(one.field).size()) {
        fail();
      }
      all.push_back(std::move(one));
    }
  };
  Restore(model);
  wholes(now_);
  wholes(inertia_);
  std::vector<double> drawn, undone;
  std::uint32_t count = 0;
  in.Read(drawn, undone, count);
  if (drawn.size() != drawn_.size()) fail();
  drawn_ = std::move(drawn);
  set_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string name;
    std::vector<double> values;
    in.Read(name, values);
    if (static_cast<int>(values.size()) !=
        fields().at(fields().Find(name, "model_fields")).size()) {
      fail();
    }
    set_[name] = std::move(values);
  }
  Put(model);
  if (undone.size() != undo_.size()) fail();
  for (std::size_t i = 0; i < undone.size(); ++i) undo_[i].value = undone[i];
}

}  // namespace envpool::mujoco
