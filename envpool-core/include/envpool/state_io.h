// SPDX-License-Identifier: Apache-2.0
// StateWriter and StateReader: an environment saves its state and loads it.
//
//   void SaveState(StateWriter& out) const { out.Write(x_, theta_, board_); }
//   void LoadState(StateReader& in) { in.Read(x_, theta_, board_); }
//
// An environment with these two members can be saved; the random generator, the seed and the step
// counter are the pool's business. Values are trivially copyable, std::string or std::vector of
// trivially copyable values. The bytes mean something on the same kind of machine only; version and
// checksum are checked before they are read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace envpool {

/// Collects the bytes that SaveState writes.
class StateWriter {
 public:
  /// Appends values, in order.
  template <typename... T>
  void Write(const T&... values) {
    (One(values), ...);
  }
  /// All that was written.
  const std::string& bytes() const { return bytes_; }
  /// Takes it away, which leaves nothing.
  std::string Take() { return std::exchange(bytes_, {}); }

 private:
  template <typename T>
  void One(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>, "write its parts instead");
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  template <typename T>
  void One(const std::vector<T>& values) {
    One(static_cast<std::uint64_t>(values.size()));
    if constexpr (std::is_same_v<T, bool>) {
      for (const bool value : values) One(value);
    } else {
      static_assert(std::is_trivially_copyable_v<T>, "write its parts instead");
      bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    }
  }
  void One(const std::string& text) {
    One(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
  }

  std::string bytes_;
};

/// Reads the bytes that SaveState wrote, for LoadState.
class StateReader {
 public:
  /// Reads `size` bytes, which must outlive the reader.
  StateReader(const char* data, std::size_t size) : data_(data), left_(size) {}

  /// Reads values in the order of writing. Throws std::out_of_range when the state has fewer bytes
  /// than are read.
  template <typename... T>
  void Read(T&... values) {
    (One(values), ...);
  }
  /// Bytes that were not read yet.
  std::size_t left() const { return left_; }

 private:
  void Copy(void* to, std::size_t size) {
    if (size > left_) throw std::out_of_range("the saved state is shorter than what is read");
    if (size > 0) std::memcpy(to, data_, size);
    data_ += size;
    left_ -= size;
  }
  template <typename T>
  void One(T& value) {
    static_assert(std::is_trivially_copyable_v<T>, "read its parts instead");
    Copy(&value, sizeof(T));
  }
  template <typename T>
  void One(std::vector<T>& values) {
    values.resize(Count(sizeof(T)));
    if constexpr (std::is_same_v<T, bool>) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint8_t value = 0;
        One(value);
        values[i] = value != 0;
      }
    } else {
      static_assert(std::is_trivially_copyable_v<T>, "read its parts instead");
      Copy(values.data(), values.size() * sizeof(T));
    }
  }
  void One(std::string& text) {
    text.resize(Count(1));
    Copy(text.data(), text.size());
  }
  // Checked before memory is asked for: a damaged count must not become a huge allocation.
  std::size_t Count(std::size_t item) {
    std::uint64_t count = 0;
    One(count);
    if (count > left_ / item) throw std::out_of_range("the saved state is shorter than its count");
    return static_cast<std::size_t>(count);
  }

  const char* data_;
  std::size_t left_;
};

/// Tells a damaged state from a whole one: FNV-1a of 64 bits over words of 8 bytes, the last one
/// filled up with zeros, with the upper half folded into the lower one after each.
inline std::uint64_t Checksum(const char* data, std::size_t size) {
  std::uint64_t hash = 0xcbf29ce484222325u ^ size;
  for (std::size_t i = 0; i < size; i += sizeof(hash)) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + i, std::min(sizeof(word), size - i));
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace envpool
