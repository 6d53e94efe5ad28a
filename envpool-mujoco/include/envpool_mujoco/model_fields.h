// SPDX-License-Identifier: Apache-2.0
// ModelFields: the numbers of a model that may differ between its environments, and their places.
//
//   const std::shared_ptr<const ModelFields> fields = ModelFields::Of(model);
//   const int mass = fields->Find("body_mass", "randomize");   // throws OptionError
//   fields->at(mass).rows;                                      // nbody
//
// The fields are the arrays of mjModel that describe bodies, joints, geoms and the like by numbers,
// and numbers of mjOption, as "opt.gravity". Values that MuJoCo derives from them follow:
// mj_setConst computes them in a copy of the arrays that it writes. A field is refused if other
// data depend on it.
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
  std::size_t offset = 0;  // in mjModel: of the array's pointer, or of the first number
  bool pointed = true;     // true: a pointer is at the offset
  bool single = false;     // true: the numbers are floats
  int rows = 0, columns = 0;
  bool derives = false;   // mj_setConst reads it
  bool contacts = false;  // listed pairs depend on it
  bool positive = false;  // never below 0
  bool may_differ = false;

  int size() const { return rows * columns; }
  std::size_t bytes() const {
    return static_cast<std::size_t>(size()) * (single ? sizeof(float) : sizeof(mjtNum));
  }
  /// The address of the numbers in a model.
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

/// The pointer at an offset of mjModel.
inline void*& PointerAt(mjModel& model, std::size_t offset) {
  return *reinterpret_cast<void**>(reinterpret_cast<std::byte*>(&model) + offset);
}

class ModelFields {
 public:
  explicit ModelFields(SharedModel model);
  ModelFields(const ModelFields&) = delete;
  ModelFields& operator=(const ModelFields&) = delete;

  /// The fields of a model, which all its environments share.
  static std::shared_ptr<const ModelFields> Of(const SharedModel& model);

  const SharedModel& model() const { return model_; }
  int count() const { return static_cast<int>(fields_.size()); }
  const ModelField& at(int field) const { return fields_[static_cast<std::size_t>(field)]; }
  /// The index of a field that may differ between environments; fields are numbered in mjModel's
  /// order. Throws OptionError for `option` otherwise, with the reason.
  int Find(const std::string& name, const std::string& option) const;
  /// The index of any field of floats. Throws OptionError for `option`.
  int Readable(const std::string& name, const std::string& option) const;
  /// Throws OptionError for `option` unless the field may have these numbers.
  void Check(const std::string& name, const std::vector<double>& values,
             const std::string& option) const;
  /// Throws OptionError for `option` unless these elements may differ.
  void CheckElements(int field, const std::vector<int>& elements, const std::string& option) const;
  /// The name of a row in the model; empty if it has no name.
  std::string RowName(const ModelField& field, int row) const;

  const std::vector<DerivedArray>& derived() const { return derived_; }

  /// A copy of the model whose arrays mj_setConst may read and write, and data for it. It equals
  /// the model, and must equal it again when it is returned.
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
  std::map<std::string, std::string> others_;  // arrays of other types, and their descriptions
  // True if meshes have bounding volumes, which share an array with the bodies'.
  bool has_mesh_volumes_ = false;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Scratch>> idle_;
};

}  // namespace envpool::mujoco
