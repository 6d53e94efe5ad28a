// SPDX-License-Identifier: Apache-2.0
// FieldDraws: the draws of the option `randomize` at each start of an episode.
//
//   randomize={"body_mass": ("scale", 0.8, 1.2), "geom_friction/foot*[0]": ("uniform", 0.5, 1.5),
//              "opt.gravity[2]": ("normal", -9.81, 0.1), "dof_damping": ("scale", 1, 2,
//              "together")}
//
// A key is a field, or "field/pattern" of names with * and ?, or either with the column in
// brackets. One number is drawn for each element, in the order of the model's fields and elements,
// for any order of the keys; with "together" one number for a whole key. "scale" and "add" change
// the model's value, or the value that the user has set; "uniform", "normal" (mean and standard
// deviation) and "choice" replace it. A drawn body_mass scales body_inertia, unless body_inertia is
// drawn or set, too.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envpool_mujoco/model_fields.h"

namespace envpool::mujoco {

/// The option in C++: the kind of draw for each key, and its numbers.
using Randomize = std::map<std::string, std::pair<std::string, std::vector<double>>>;

class FieldDraws {
 public:
  enum class Kind : unsigned char { kScale, kAdd, kUniform, kNormal, kChoice };
  struct Rule {
    std::string key;
    int field;
    std::vector<int> elements;
    Kind kind;
    bool together;
    std::vector<double> numbers;
  };

  /// Throws OptionError for `randomize`.
  FieldDraws(std::shared_ptr<const ModelFields> fields, const Randomize& option);
  /// The draws of a model, which all environments with the option share.
  static std::shared_ptr<const FieldDraws> Of(const SharedModel& model, const Randomize& option);

  const ModelFields& fields() const { return *fields_; }
  const std::vector<Rule>& rules() const { return rules_; }
  /// The number of draws.
  std::size_t size() const { return size_; }

  /// Draws new values into `after` for the values `before`, one per element of the rules.
  template <typename Random>
  void Draw(Random& random, const double* before, double* after) const {
    for (const Rule& rule : rules_) {
      double drawn = rule.together ? One(random, rule) : 0;
      for (std::size_t i = 0; i < rule.elements.size(); ++i, ++before, ++after) {
        if (!rule.together) drawn = One(random, rule);
        *after = rule.kind == Kind::kScale ? *before * drawn
                 : rule.kind == Kind::kAdd ? *before + drawn
                                           : drawn;
      }
    }
  }

 private:
  template <typename Random>
  static double One(Random& random, const Rule& rule) {
    const std::vector<double>& n = rule.numbers;
    if (rule.kind == Kind::kNormal) return random.Normal(n[0], n[1]);
    if (rule.kind != Kind::kChoice) return random.Uniform(n[0], n[1]);
    const auto place = static_cast<std::size_t>(random.Uniform(0.0, static_cast<double>(n.size())));
    return n[place < n.size() ? place : n.size() - 1];
  }
  Rule Parse(const std::string& key, const std::string& kind, std::vector<double> numbers) const;
  void CheckRange(const Rule& rule) const;

  const std::shared_ptr<const ModelFields> fields_;
  std::vector<Rule> rules_;
  std::size_t size_ = 0;
};

}  // namespace envpool::mujoco
