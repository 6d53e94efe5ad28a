// SPDX-License-Identifier: Apache-2.0
// ModelFields: which numbers of a model may differ between its environments, and where they are.
//
//   const std::shared_ptr<const ModelFields> fields = ModelFields::Of(model);
//   const int mass = fields->Find("body_mass", "randomize");   // throws OptionError
//   fields->at(mass).rows;                                      // nbody
//
// These are the arrays of mjModel that describe bodies, joints, geoms and the like by numbers, and
// numbers of mjOption, as "opt.gravity". What MuJoCo computes from them follows: mj_setConst does
// that in a copy of the arrays that it writes. A field is refused where something else rests on it.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "envpool_mujoco/detail/listed_pairs.h"
#include "envpool_mujoco/model_store.h"
#include "envpool_mujoco/workspaces.h"

namespace envpool::mujoco {

/// Numbers of fields, row after row, by name.
using FieldValues = std::map<std::string, std::vector<double>>;

/// Numbers of a model: an array, or some of its options.
struct ModelField {
  std::string name;
  std::size_t offset = 0;  // in mjModel: of the array's pointer, or of the first of the numbers
  bool pointed = true;     // whether a pointer is there
  bool single = false;     // whether they are floats
  int rows = 0, columns = 0;
  bool derives = false;   // mj_setConst reads it
  bool contacts = false;  // listed pairs are made of it
  bool positive = false;  // never below 0
  bool may_differ = false;

  int size() const { return rows * columns; }
  std::size_t bytes() const {
    return static_cast<std::size_t>(size()) * (single ? sizeof(float) : sizeof(mjtNum));
  }
  /// Where the numbers are in a model.
  void* In(const mjModel& model) const {
    const auto* place = reinterpret_cast<const std::byte*>(&model) + offset;
    return pointed ? *reinterpret_cast<void* const*>(place) : const_cast<std::byte*>(place);
  }
  double Read(const mjModel& model, int i) const {
    return single ? static_cast<double>(static_cast<const float*>(In(model))[i])
                  : static_cast<const mjtNum*>(In(model))[i];
  }
  void Write(mjModel& model, int i, double value) const {
    if (single) {
      static_cast<float*>(In(model))[i] = static_cast<float>(value);
    } else {
      static_cast<mjtNum*>(In(model))[i] = value;
    }
  }
};

/// An array that mj_setConst writes.
struct DerivedArray {
  std::size_t offset, bytes;
};

/// The pointer of an array, by where it is in mjModel.
inline void*& PointerAt(mjModel& model, std::size_t offset) {
  return *reinterpret_cast<void**>(reinterpret_cast<std::byte*>(&model) + offset);
}

class ModelFields {
 public:
  explicit ModelFields(SharedModel model);
  ModelFields(const ModelFields&) = delete;
  ModelFields& operator=(const ModelFields&) = delete;

  /// Those of a model, which all its environments share.
  static std::shared_ptr<const ModelFields> Of(const SharedModel& model);

  const SharedModel& model() const { return model_; }
  int count() const { return static_cast<int>(fields_.size()); }
  const ModelField& at(int field) const { return fields_[static_cast<std::size_t>(field)]; }
  /// The number of a field that may differ between environments; fields are numbered in the order
  /// in which mjModel has them. Throws OptionError of `option` where it is none, with the reason.
  int Find(const std::string& name, const std::string& option) const;
  /// The number of any field of floats. Throws OptionError of `option`.
  int Readable(const std::string& name, const std::string& option) const;
  /// Throws OptionError of `option` unless a field may be these numbers.
  void Check(const std::string& name, const std::vector<double>& values,
             const std::string& option) const;
  /// Throws OptionError of `option` unless these elements may differ.
  void CheckElements(int field, const std::vector<int>& elements, const std::string& option) const;
  /// What a row is called in the model; empty where it has no name.
  std::string RowName(const ModelField& field, int row) const;

  const std::vector<DerivedArray>& derived() const { return derived_; }

  /// A copy of the model whose arrays mj_setConst may read and write, and data for it. It is as the
  /// model is, and has to be so again when it is given back.
  struct Scratch {
    mjModel model;
    std::vector<std::unique_ptr<std::byte[]>> memory;
    Workspace::Data data;
  };
  std::unique_ptr<Scratch> Take() const;
  void Give(std::unique_ptr<Scratch> scratch) const;

 private:
  void AddArrays();
  void AddOptions();
  std::string Reason(const std::string& name) const;
  [[noreturn]] void Refuse(const std::string& name, const std::string& option) const;

  const SharedModel model_;
  std::vector<ModelField> fields_;
  std::map<std::string, int> numbers_;
  std::vector<DerivedArray> derived_;
  std::map<std::string, std::string> others_;  // arrays of other types, and what they are
  // Whether meshes have bounding volumes, which are one array with the bodies'.
  bool has_mesh_volumes_ = false;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Scratch>> idle_;
};

}  // namespace envpool::mujoco
