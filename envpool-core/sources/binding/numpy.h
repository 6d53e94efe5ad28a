// SPDX-License-Identifier: Apache-2.0
// NumPy's arrays through its C interface, whose table of functions and whose array struct NumPy
// promises to keep. All that is known of NumPy's insides is here and in numpy.cc; the headers of
// NumPy are no requirement of a build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "envpool/spec.h"
#include "python.h"

namespace envpool::python {

namespace detail {
/// PyArrayObject, as far as it is public.
struct ArrayFields {
  PyObject_HEAD char* data;
  int rank;
  std::intptr_t* shape;
  std::intptr_t* strides;
  PyObject* base;
  PyObject* descr;
  int flags;
};
constexpr int kContiguous = 0x0001, kWritable = 0x0400;
}  // namespace detail

/// The type of an array's elements.
class NumpyType {
 public:
  /// The type of one of our arrays.
  explicit NumpyType(DType dtype);
  /// The type of arrays of Python objects.
  static NumpyType OfObjects();

  PyObject* get() const { return descr_.get(); }
  std::size_t alignment() const;

 private:
  explicit NumpyType(Object descr) : descr_(std::move(descr)) {}
  Object descr_;
};

/// An array, or null.
class NumpyArray : public Object {
 public:
  NumpyArray() = default;
  /// `object` is an array.
  explicit NumpyArray(Object object) : Object(std::move(object)) {}
  static bool Is(PyObject* object);
  /// The object as an array; null, with `cause` set, when NumPy cannot read it.
  static NumpyArray From(PyObject* object, Object& cause);
  /// A new array in row-major order. Without `data` it has memory of its own; else `owner` keeps
  /// it.
  static NumpyArray Make(const NumpyType& type, int rank, const std::intptr_t* shape,
                         void* data = nullptr, const Object& owner = {});
  /// A new array like this one with so many rows of zeros, or of None.
  NumpyArray Zeros(std::intptr_t rows) const;
  /// A copy, in which also the objects of an array of objects are copies.
  NumpyArray DeepCopy() const;
  /// The first `rows` rows of an array in row-major order; the array itself when it has no more.
  NumpyArray Head(std::intptr_t rows) const { return shape(0) == rows ? *this : ViewOf(rows); }
  /// The same numbers in row-major order, of another type where that is given.
  NumpyArray Plain() const;
  NumpyArray Plain(DType dtype) const;

  int rank() const { return fields().rank; }
  std::intptr_t shape(int i) const { return shape()[i]; }
  const std::intptr_t* shape() const { return fields().shape; }
  void* data() const { return fields().data; }
  std::intptr_t size() const;
  /// In row-major order, aligned, and in the machine's byte order.
  bool is_plain() const;
  /// In row-major order, and may be written into.
  bool is_writable() const {
    constexpr int kWanted = detail::kContiguous | detail::kWritable;
    return (fields().flags & kWanted) == kWanted;
  }
  /// 'i', 'u', 'f', 'b', ...
  char kind() const;
  /// Bytes of an element.
  std::size_t item_size() const;
  /// Whether its type is this very object.
  bool is_of(const NumpyType& type) const { return fields().descr == type.get(); }
  /// Whether its type equals this.
  bool is_like(const NumpyType& type) const;
  /// Whether the elements have this dtype.
  bool holds(DType dtype) const;
  std::string type_text() const;

 private:
  const detail::ArrayFields& fields() const {
    return *reinterpret_cast<const detail::ArrayFields*>(get());
  }
  NumpyArray ViewOf(std::intptr_t rows) const;
};

}  // namespace envpool::python
