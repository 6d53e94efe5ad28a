// SPDX-License-Identifier: Apache-2.0
// Random: the draws of Procgen's games, each from the next 32 bits of a Mersenne Twister.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace envpool::procgen {

class Random {
 public:
  void Seed(std::uint32_t seed) {
    engine_.seed(seed);
    seeded_ = true;
  }
  std::uint32_t Draw() { return static_cast<std::uint32_t>(engine_()); }
  /// 0 .. count - 1.
  int Below(int count) { return static_cast<int>(Draw() % static_cast<std::uint32_t>(count)); }
  /// low .. high - 1.
  int Between(int low, int high) { return low + Below(high - low); }
  /// 0 .. 1, both included.
  float Unit() { return static_cast<float>(Draw() * 0x1p-32); }
  float Between(float low, float high) { return Unit() * (high - low) + low; }
  /// A middle for a thing of this radius in low .. high; no draw if it does not fit.
  float Place(float radius, float low, float high) {
    if (high - low <= 2 * radius) return (high + low) * 0.5f;
    return (high - low - 2 * radius) * Unit() + radius + low;
  }
  template <typename T>
  T OneOf(const std::vector<T>& items) {
    return items[static_cast<std::size_t>(Below(static_cast<int>(items.size())))];
  }
  /// Draws `count` items without repetition; all, without a draw, if there are fewer.
  template <typename T>
  std::vector<T> Some(std::vector<T> items, int count) {
    if (count > static_cast<int>(items.size())) return items;
    std::vector<T> chosen;
    for (int i = 0; i < count; ++i) {
      const auto at = items.begin() + Below(static_cast<int>(items.size()));
      chosen.push_back(*at);
      items.erase(at);
    }
    return chosen;
  }
  /// Draws `count` different numbers of 0 .. below - 1, in the order of the draws.
  std::vector<int> Distinct(int below, int count) {
    std::vector<int> chosen;
    while (static_cast<int>(chosen.size()) < count) {
      const int number = Below(below);
      if (std::find(chosen.begin(), chosen.end(), number) == chosen.end()) chosen.push_back(number);
    }
    return chosen;
  }
  /// Distributes `count` things over `places`.
  std::vector<int> Partition(int count, int places) {
    std::vector<int> parts(static_cast<std::size_t>(places));
    for (int i = 0; i < count; ++i) ++parts[static_cast<std::size_t>(Below(places))];
    return parts;
  }

  bool seeded() const { return seeded_; }
  /// 624 words and a position, in decimal: libstdc++'s text, which is in Procgen's states.
  std::string text() const {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << engine_;
    return out.str();
  }
  void Restore(bool seeded, const std::string& text) {
    std::istringstream in(text);
    in.imbue(std::locale::classic());
    std::mt19937 engine;
    in >> engine;
    if (!in) throw std::out_of_range("a generator that is not a list of numbers");
    engine_ = engine;
    seeded_ = seeded;
  }

 private:
  std::mt19937 engine_;
  bool seeded_ = false;
};

}  // namespace envpool::procgen
