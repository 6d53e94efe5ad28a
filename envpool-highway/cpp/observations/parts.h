// SPDX-License-Identifier: Apache-2.0
// Several observations of one agent: the reference's TupleObservation.
//
// Part i has the arrays of its kind, with i as their name: "obs:0", or "obs:1.desired_goal".
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "observer.h"

namespace envpool::highway {

/// The options of one part: the options of a single observation, with the part's values.
inline Options OptionsOfPart(const Options& options, const ObservationPart& part) {
  Options result = options;
  const Options defaults = DefaultOptions();
  const auto& [numbers, words] = part;
  result.ForEach([&]<typename T>(std::string_view name, T& value) {
    if (!name.starts_with("observation_")) return;
    defaults.ForEach([&]<typename D>(std::string_view other, const D& plain) {
      if constexpr (std::is_same_v<T, D>) {
        if (other == name) value = plain;
      }
    });
    const std::string key(name.substr(12));
    if constexpr (std::is_same_v<T, std::map<std::string, std::vector<double>>>) {
      for (const auto& [long_name, range] : numbers) {
        if (long_name.starts_with(key + ".")) value[long_name.substr(key.size() + 1)] = range;
      }
    }
    if (const auto found = words.find(key); found != words.end()) {
      if constexpr (std::is_same_v<T, std::string>) value = found->second.at(0);
      if constexpr (std::is_same_v<T, std::vector<std::string>>) value = found->second;
    }
    const auto found = numbers.find(key);
    if (found == numbers.end()) return;
    const std::vector<double>& given = found->second;
    if constexpr (std::is_arithmetic_v<T>) value = static_cast<T>(given.at(0));
    if constexpr (std::is_same_v<T, std::vector<double>>) value = given;
    if constexpr (std::is_same_v<T, std::vector<int>>) value.assign(given.begin(), given.end());
    if constexpr (std::is_same_v<T, std::vector<std::vector<double>>>) {
      value = {{given.at(0), given.at(1)}, {given.at(2), given.at(3)}};
    }
  });
  return result;
}

class Parts final : public Observer {
 public:
  explicit Parts(std::vector<std::unique_ptr<Observer>> parts) : parts_(std::move(parts)) {
    for (const auto& part : parts_) sizes_.push_back(part->Specs(false).size());
  }

  std::vector<ArraySpec> Specs(bool players) const override {
    std::vector<ArraySpec> specs;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      for (ArraySpec& spec : parts_[i]->Specs(players)) {
        const std::size_t colon = spec.name.find(':');
        const std::string inner = colon == spec.name.npos ? "" : "." + spec.name.substr(colon + 1);
        spec.name = "obs:" + std::to_string(i) + inner;
        specs.push_back(std::move(spec));
      }
    }
    return specs;
  }
  void DrawForSpace(Scene& scene) override {
    for (const auto& part : parts_) part->DrawForSpace(scene);
  }
  void Begin() override {
    for (const auto& part : parts_) part->Begin();
  }
  void Observe(Scene& scene, const Vehicle& ego, std::span<std::byte* const> arrays) override {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      parts_[i]->Observe(scene, ego, arrays.first(sizes_[i]));
      arrays = arrays.subspan(sizes_[i]);
    }
  }
  void Save(StateWriter& out) const override {
    for (const auto& part : parts_) part->Save(out);
  }
  void Load(StateReader& in) override {
    for (const auto& part : parts_) part->Load(in);
  }

 private:
  std::vector<std::unique_ptr<Observer>> parts_;
  std::vector<std::size_t> sizes_;  // number of arrays of each part
};

}  // namespace envpool::highway
