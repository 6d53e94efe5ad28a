// SPDX-License-Identifier: Apache-2.0
// Options of any type that pybind11 converts: a std::optional, or a class of the module. The file
// that registers an environment with such options includes this header.
//
//   static auto DefaultConfig() { return Dict{"speed"_ = std::optional<double>{}}; }
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "envpool/binding/options.h"

namespace envpool::python::detail {

template <typename T>
struct OtherOption {
  static const OptionType& Get() {
    static constexpr OptionType type{
        [](const void* value) {
          return Guarded(
              [&] { return pybind11::cast(*static_cast<const T*>(value)).release().ptr(); });
        },
        [](::_object* object, void* value) {
          Guarded([&] {
            const pybind11::handle given(object);
            if (pybind11::isinstance<pybind11::str>(given)) throw WrongOption();
            *static_cast<T*>(value) = given.cast<T>();
          });
        },
        nullptr};
    return type;
  }

 private:
  template <typename Call>
  static auto Guarded(const Call& call) {
    try {
      return call();
    } catch (const pybind11::cast_error&) {
      throw WrongOption();
    } catch (pybind11::error_already_set& raised) {
      raised.restore();
      throw Raised();
    }
  }
};

}  // namespace envpool::python::detail
