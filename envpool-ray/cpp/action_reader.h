// SPDX-License-Identifier: Apache-2.0
// ActionReader: rows of an action as most callers pass them, checked; others are left to Python.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace envpool::ray_family {

namespace py = pybind11;

class ActionReader {
 public:
  /// `most` has the highest whole number from 0 on that is allowed for each number of a row; of
  /// floating-point numbers it is empty, and all are but NaN.
  ActionReader(py::dtype dtype, std::vector<py::ssize_t> item, std::vector<std::uint64_t> most)
      : dtype_(std::move(dtype)), item_(std::move(item)), most_(std::move(most)) {}

  const py::dtype& dtype() const { return dtype_; }
  const std::vector<py::ssize_t>& item() const { return item_; }
  std::size_t row_bytes() const {
    auto bytes = static_cast<std::size_t>(dtype_.itemsize());
    for (const py::ssize_t dim : item_) bytes *= static_cast<std::size_t>(dim);
    return bytes;
  }

  /// Reads rows of the dtype or of its twin of another size; whether that is what this is, and all
  /// is allowed.
  bool Read(const py::handle& value, int rows, std::vector<std::byte>& out) const {
    if (!py::isinstance<py::array>(value)) return false;
    const auto array = py::reinterpret_borrow<py::array>(value);
    constexpr int kPlain =
        py::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_ | py::detail::npy_api::NPY_ARRAY_ALIGNED_;
    const py::dtype dtype = array.dtype();
    if ((array.flags() & kPlain) != kPlain || dtype.byteorder() != '=' ||
        dtype.kind() != dtype_.kind() ||
        array.ndim() != 1 + static_cast<py::ssize_t>(item_.size()) || array.shape(0) != rows) {
      return false;
    }
    for (std::size_t i = 0; i < item_.size(); ++i) {
      if (array.shape(static_cast<py::ssize_t>(i) + 1) != item_[i]) return false;
    }
    const auto size = static_cast<std::size_t>(array.size());
    const auto to = [&](auto own) {
      using Own = decltype(own);
      out.resize(size * sizeof(Own));
      return reinterpret_cast<Own*>(out.data());
    };
    const auto from = [&]<typename Given>(Given /*type*/) {
      const auto* given = static_cast<const Given*>(array.data());
      if (dtype_.itemsize() == 8) {
        using Own = std::conditional_t<std::is_integral_v<Given>, std::int64_t, double>;
        return Copy(given, size, to(Own{}));
      }
      using Own = std::conditional_t<std::is_integral_v<Given>, std::int32_t, float>;
      return Copy(given, size, to(Own{}));
    };
    if (dtype_.itemsize() != 4 && dtype_.itemsize() != 8) return false;
    const bool wide = dtype.itemsize() == 8;
    if (!wide && dtype.itemsize() != 4) return false;
    if (dtype.kind() == 'i') return wide ? from(std::int64_t{}) : from(std::int32_t{});
    if (dtype.kind() == 'f') return wide ? from(double{}) : from(float{});
    return false;
  }

 private:
  template <typename Given, typename Own>
  bool Copy(const Given* given, std::size_t size, Own* own) const {
    bool allowed = true;
    if constexpr (std::is_integral_v<Given>) {
      for (std::size_t i = 0; i < size; ++i) {  // as unsigned numbers, negative ones are above all
        allowed &= static_cast<std::uint64_t>(given[i]) <= most_[i % most_.size()];
        own[i] = static_cast<Own>(given[i]);
      }
    } else {
      for (std::size_t i = 0; i < size; ++i) {
        allowed &= !std::isnan(given[i]);
        own[i] = static_cast<Own>(given[i]);
      }
    }
    return allowed;
  }

  py::dtype dtype_;
  std::vector<py::ssize_t> item_;
  std::vector<std::uint64_t> most_;
};

}  // namespace envpool::ray_family
