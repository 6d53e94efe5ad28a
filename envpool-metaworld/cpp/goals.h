// SPDX-License-Identifier: Apache-2.0
// Goals: the vectors that a task draws at a reset.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/error.h"
#include "envpool/random/numpy_legacy_random.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "task_definition.h"

namespace envpool::metaworld {

/// The goals of a pool: new ones at each reset, the fifty of a seed, the fifty of the next seed, or
/// one.
enum class GoalSet : unsigned char { kRandom, kMt1, kMl1Test, kSingle };

/// The option `goals`. Throws OptionError.
inline GoalSet GoalsOf(const std::string& option) {
  const std::vector<std::string> words{"random", "mt1", "ml1-test", "single"};
  const auto found = std::find(words.begin(), words.end(), option);
  if (found != words.end()) return static_cast<GoalSet>(found - words.begin());
  throw OptionError("goals", "'" + option + "'", "'random', 'mt1', 'ml1-test', 'single'",
                    "pass one of them", words);
}

class Goals {
 public:
  /// The goals of an environment with this seed.
  Goals(const TaskDefinition& definition, GoalSet set, std::int64_t seed)
      : definition_(definition) {
    if (set == GoalSet::kRandom) return;
    // The legacy generator takes 32 bits.
    const std::uint64_t key = static_cast<std::uint64_t>(seed) + (set == GoalSet::kMl1Test);
    NumpyLegacyRandom random(key & 0xffffffffu);
    known_.resize(set == GoalSet::kSingle ? 1 : kKnown);
    for (auto& vector : known_) {
      // The reference draws twice for each, and keeps the second.
      for (int i = 0; i < 2; ++i) DrawFrom(random, vector.data());
    }
  }

  /// Chooses one of the known goals for an episode.
  void Select(NumpyRandom& random) {
    if (known_.size() > 1) {
      chosen_ =
          static_cast<std::uint32_t>(random.Integers(0, static_cast<std::int64_t>(known_.size())));
    }
  }
  /// The chosen goal, or a new one.
  void Draw(NumpyRandom& random, double* out) const {
    if (known_.empty()) return DrawFrom(random, out);
    std::copy(known_[chosen_].begin(), known_[chosen_].end(), out);
  }

  void SaveState(StateWriter& out) const { out.Write(known_, chosen_); }
  void LoadState(StateReader& in) {
    std::vector<std::array<double, 6>> known;
    std::uint32_t chosen = 0;
    in.Read(known, chosen);
    if (known.size() != known_.size() || (!known.empty() && chosen >= known.size())) {
      throw std::out_of_range("the saved state is of other goals");
    }
    known_ = std::move(known);
    chosen_ = chosen;
  }

 private:
  static constexpr std::size_t kKnown = 50;

  template <typename Random>
  void DrawFrom(Random& random, double* out) const {
    do {
      for (int i = 0; i < definition_.size; ++i) {
        const auto k = static_cast<std::size_t>(i);
        out[i] = random.Uniform(definition_.low[k], definition_.high[k]);
      }
    } while (TooNear(out));
  }
  bool TooNear(const double* drawn) const {
    if (definition_.apart == 0) return false;
    const Vec goal =
        definition_.fixed_goal == nullptr ? Vec::Of(drawn + 3) : *definition_.fixed_goal;
    return FlatDistance(Vec::Of(drawn), goal) < definition_.apart;
  }

  const TaskDefinition& definition_;
  std::vector<std::array<double, 6>> known_;
  std::uint32_t chosen_ = 0;
};

}  // namespace envpool::metaworld
