// SPDX-License-Identifier: Apache-2.0
// Codec: reads or writes a state in the layout of Procgen's, one field after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "own/random.h"

namespace envpool::procgen {

class Codec {
 public:
  /// Writes to `out`.
  explicit Codec(std::string& out) : out_(&out) {}
  /// Reads; throws std::out_of_range at the end.
  Codec(const char* data, std::size_t size) : at_(data), left_(size) {}

  bool reads() const { return out_ == nullptr; }

  template <typename... T>
  void operator()(T&... fields) {
    (One(fields), ...);
  }

 private:
  void One(std::int32_t& value) { Bytes(&value, sizeof(value)); }
  void One(float& value) { Bytes(&value, sizeof(value)); }
  void One(bool& value) {
    std::int32_t number = value;
    One(number);
    value = number != 0;
  }
  template <typename T>
  void One(std::vector<T>& values) {
    auto size = static_cast<std::int32_t>(values.size());
    One(size);
    if (reads()) {
      if (size < 0 || static_cast<std::size_t>(size) > left_ / 4) {
        throw std::out_of_range("a list that is longer than its state");
      }
      values.resize(static_cast<std::size_t>(size));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      T value = values[i];
      One(value);
      values[i] = value;
    }
  }
  void One(std::string& text) {
    auto size = static_cast<std::int32_t>(text.size());
    One(size);
    if (reads()) {
      if (size < 0 || static_cast<std::size_t>(size) > left_) {
        throw std::out_of_range("a text that is longer than its state");
      }
      text.resize(static_cast<std::size_t>(size));
    }
    Bytes(text.data(), text.size());
  }
  void One(Random& random) {
    One(random.seeded);
    std::ostringstream out;
    if (!reads()) out << random.generator;
    std::string text = out.str();
    One(text);
    if (reads()) std::istringstream(text) >> random.generator;
  }
  void Bytes(void* value, std::size_t size) {
    if (!reads()) {
      out_->append(static_cast<const char*>(value), size);
      return;
    }
    if (size > left_) throw std::out_of_range("a state that is cut off");
    std::memcpy(value, at_, size);
    at_ += size;
    left_ -= size;
  }

  std::string* out_ = nullptr;
  const char* at_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace envpool::procgen
