// SPDX-License-Identifier: Apache-2.0
// Replaces Boost: the parts that the engine uses, on the standard library.
//
// It must not include <math.h> or <stdlib.h>: see WITHOUT_SDL in cmake/alter.py.
#pragma once

#include <algorithm>
#include <cassert>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace boost {

using std::shared_ptr;
using std::static_pointer_cast;
using std::weak_ptr;
namespace filesystem = std::filesystem;

template <typename... Arguments>
auto bind(Arguments&&... arguments) {
  return std::bind(std::forward<Arguments>(arguments)...);
}

inline std::string to_upper_copy(std::string text) {
  for (char& letter : text) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return text;
}

/// No thread waits for it.
struct condition {
  void notify_one() {}
};

/// Uses the class's intrusive_ptr_add_ref and intrusive_ptr_release.
template <typename T>
class intrusive_ptr {
 public:
  using element_type = T;

  intrusive_ptr() = default;
  intrusive_ptr(T* object, bool add = true) : object_(object) {
    if (object_ != nullptr && add) intrusive_ptr_add_ref(object_);
  }
  intrusive_ptr(const intrusive_ptr& other) : intrusive_ptr(other.object_) {}
  intrusive_ptr(intrusive_ptr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <typename U>
  intrusive_ptr(const intrusive_ptr<U>& other) : intrusive_ptr(other.get()) {}
  ~intrusive_ptr() {
    if (object_ != nullptr) intrusive_ptr_release(object_);
  }
  intrusive_ptr& operator=(intrusive_ptr other) noexcept {
    swap(other);
    return *this;
  }

  void reset() { intrusive_ptr().swap(*this); }
  void reset(T* object) { intrusive_ptr(object).swap(*this); }
  void swap(intrusive_ptr& other) noexcept { std::swap(object_, other.object_); }
  T* get() const { return object_; }
  T& operator*() const {
    assert(object_ != nullptr);
    return *object_;
  }
  T* operator->() const {
    assert(object_ != nullptr);
    return object_;
  }
  explicit operator bool() const { return object_ != nullptr; }
  bool operator!() const { return object_ == nullptr; }

 private:
  T* object_ = nullptr;
};

template <typename T, typename U>
bool operator==(const intrusive_ptr<T>& a, const intrusive_ptr<U>& b) {
  return a.get() == b.get();
}
template <typename T, typename U>
bool operator==(const intrusive_ptr<T>& a, U* b) {
  return a.get() == b;
}
template <typename T>
bool operator<(const intrusive_ptr<T>& a, const intrusive_ptr<T>& b) {
  return std::less<T*>()(a.get(), b.get());
}
template <typename T, typename U>
intrusive_ptr<T> static_pointer_cast(const intrusive_ptr<U>& object) {
  return static_cast<T*>(object.get());
}

using mt19937 = std::mt19937;

/// Boost's numbers: if a draw rounds up to 1, it is repeated.
template <typename T>
struct uniform_real {
  T operator()(std::mt19937& generator) const {
    for (;;) {
      const T drawn = static_cast<T>(static_cast<unsigned>(generator())) /
                      (static_cast<T>(std::mt19937::max()) + 1);
      if (drawn < 1) return drawn;
    }
  }
};

/// The engine saves it byte by byte, so it has no members beside the generator.
template <typename Generator, typename Distribution>
class variate_generator {
 public:
  variate_generator(Generator generator, Distribution distribution)
      : generator_(generator), distribution_(distribution) {}
  auto operator()() { return distribution_(generator_); }
  Generator& engine() { return generator_; }

 private:
  Generator generator_;
  [[no_unique_address]] Distribution distribution_;
};

}  // namespace boost

using namespace std::placeholders;  // as in boost/bind.hpp
