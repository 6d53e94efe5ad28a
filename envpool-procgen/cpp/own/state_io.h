// SPDX-License-Identifier: Apache-2.0
// StateIo: writes or reads the values of a state, in the layout of Procgen's states. The same list
// of values serves both directions.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "own/random.h"

namespace envpool::procgen {

class StateIo {
 public:
  /// Writes.
  StateIo() = default;
  /// Reads `bytes`, which must outlive it. Reading beyond the end throws std::out_of_range.
  explicit StateIo(const std::string& bytes) : from_(&bytes) {}

  template <typename... T>
  void operator()(T&... values) {
    (One(values), ...);
  }
  /// A constant value: written, and compared when read.
  void Constant(std::int32_t value) {
    std::int32_t found = value;
    One(found);
    if (found != value) throw std::out_of_range("a state of another kind");
  }
  bool reads() const { return from_ != nullptr; }
  const std::string& bytes() const { return bytes_; }

 private:
  void Raw(void* value, std::size_t size) {
    if (!reads()) {
      bytes_.append(static_cast<const char*>(value), size);
      return;
    }
    if (size > from_->size() - at_) throw std::out_of_range("a state that is cut off");
    std::memcpy(value, from_->data() + at_, size);
    at_ += size;
  }
  std::size_t Count(std::size_t count, std::size_t item) {
    auto number = static_cast<std::int32_t>(count);
    Raw(&number, sizeof(number));
    if (reads() &&
        (number < 0 || static_cast<std::size_t>(number) > (from_->size() - at_) / item)) {
      throw std::out_of_range("a state that is shorter than its count");
    }
    return static_cast<std::size_t>(number);
  }
  void One(std::int32_t& value) { Raw(&value, sizeof(value)); }
  void One(std::uint32_t& value) { Raw(&value, sizeof(value)); }
  void One(float& value) { Raw(&value, sizeof(value)); }
  void One(bool& value) {
    std::int32_t number = value ? 1 : 0;
    Raw(&number, sizeof(number));
    value = number != 0;
  }
  void One(std::string& text) {
    text.resize(Count(text.size(), 1));
    Raw(text.data(), text.size());
  }
  void One(Random& random) {
    bool seeded = random.seeded();
    std::string text = reads() ? std::string() : random.text();
    (*this)(seeded, text);
    if (reads()) random.Restore(seeded, text);
  }
  // A list of elements that write or read themselves.
  template <typename T>
    requires requires(T value, StateIo& io) { value.Exchange(io); }
  void One(std::vector<T>& values) {
    values.resize(Count(values.size(), sizeof(std::int32_t)));
    for (T& value : values) value.Exchange(*this);
  }
  template <typename T>
  void One(std::vector<T>& values) {
    values.resize(Count(values.size(), sizeof(std::int32_t)));
    for (std::size_t i = 0; i < values.size(); ++i) {
      T value = values[i];
      One(value);
      values[i] = value;
    }
  }

  const std::string* from_ = nullptr;
  std::size_t at_ = 0;
  std::string bytes_;
};

}  // namespace envpool::procgen
