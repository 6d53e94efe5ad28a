// SPDX-License-Identifier: Apache-2.0
#include "numpy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

namespace envpool::python {
namespace {

using detail::ArrayFields, detail::kContiguous, detail::kWritable;

// The first part of PyArray_Descr, which is the same in NumPy 1 and 2.
struct DescrFields {
  PyObject_HEAD PyTypeObject* type;
  char kind;
  char character;
  char byte_order;
  char former_flags;
  int number;
};

constexpr int kForceCast = 0x0010, kEnsureArray = 0x0040, kAligned = 0x0100;
constexpr int kMostDimensions = 64;

// The numbers of NumPy's types. int64 is `long` where that has 64 bits, else `long long`.
int NumberOf(DType dtype) {
  constexpr bool kLongIs64 = sizeof(long) == 8;
  switch (dtype) {
    case DType::kBool:
      return 0;
    case DType::kInt8:
      return 1;
    case DType::kUint8:
      return 2;
    case DType::kInt16:
      return 3;
    case DType::kUint16:
      return 4;
    case DType::kInt32:
      return 5;
    case DType::kUint32:
      return 6;
    case DType::kInt64:
      return kLongIs64 ? 7 : 9;
    case DType::kUint64:
      return kLongIs64 ? 8 : 10;
    case DType::kFloat32:
      return 11;
    case DType::kFloat64:
      return 12;
  }
  throw std::logic_error("unknown dtype");
}
constexpr int kObject = 17;

// The used part of the table that NumPy gives to extension modules.
struct Api {
  PyTypeObject* array_type;
  PyObject* (*descr_from_type)(int number);
  PyObject* (*from_any)(PyObject* object, PyObject* descr, int min_rank, int max_rank, int flags,
                        PyObject* context);
  PyObject* (*new_from_descr)(PyTypeObject* type, PyObject* descr, int rank,
                              const std::intptr_t* shape, const std::intptr_t* strides, void* data,
                              int flags, PyObject* object);
  int (*set_base)(PyObject* array, PyObject* base);

  // Not a static variable: a thread that waits for its initialization would keep the GIL from the
  // thread that imports NumPy.
  static const Api& Get() {
    static Api api{};
    if (api.array_type == nullptr) api = Load();
    return api;
  }

 private:
  static Api Load() {
    PyObject* module = PyImport_ImportModule("numpy._core.multiarray");
    if (module == nullptr) {  // NumPy 1
      PyErr_Clear();
      module = PyImport_ImportModule("numpy.core.multiarray");
    }
    const Object multiarray = Checked(module);
    const Object capsule = Attribute(multiarray.get(), "_ARRAY_API");
    void** table = static_cast<void**>(PyCapsule_GetPointer(capsule.get(), nullptr));
    if (table == nullptr) throw Raised();
    Api api{};
    api.array_type = static_cast<PyTypeObject*>(table[2]);
    api.descr_from_type = reinterpret_cast<decltype(api.descr_from_type)>(table[45]);
    api.from_any = reinterpret_cast<decltype(api.from_any)>(table[69]);
    api.new_from_descr = reinterpret_cast<decltype(api.new_from_descr)>(table[94]);
    api.set_base = reinterpret_cast<decltype(api.set_base)>(table[282]);
    return api;
  }
};

const ArrayFields& Fields(const Object& array) {
  return *reinterpret_cast<const ArrayFields*>(array.get());
}
const DescrFields& Descr(const Object& array) {
  return *reinterpret_cast<const DescrFields*>(Fields(array).descr);
}

std::size_t Number(PyObject* object, const char* name) {
  const Object number = Attribute(object, name);
  const std::size_t value = PyLong_AsSize_t(number.get());
  if (PyErr_Occurred() != nullptr) throw Raised();
  return value;
}

}  // namespace

NumpyType::NumpyType(DType dtype) : descr_(Checked(Api::Get().descr_from_type(NumberOf(dtype)))) {}

NumpyType NumpyType::OfObjects() { return NumpyType(Checked(Api::Get().descr_from_type(kObject))); }

std::size_t NumpyType::alignment() const { return Number(descr_.get(), "alignment"); }

bool NumpyArray::Is(PyObject* object) {
  return PyObject_TypeCheck(object, Api::Get().array_type) != 0;
}

NumpyArray NumpyArray::From(PyObject* object, Object& cause) {
  if (Is(object)) return NumpyArray(Borrow(object));
  PyObject* array = Api::Get().from_any(object, nullptr, 0, 0, 0, nullptr);
  if (array == nullptr) cause = TakeCause();
  return NumpyArray(Steal(array));
}

NumpyArray NumpyArray::Make(const NumpyType& type, int rank, const std::intptr_t* shape, void* data,
                            const Object& owner) {
  const Api& api = Api::Get();
  Py_INCREF(type.get());  // taken by the call
  const int flags = data == nullptr ? 0 : kContiguous | kAligned | kWritable;
  NumpyArray array(Checked(
      api.new_from_descr(api.array_type, type.get(), rank, shape, nullptr, data, flags, nullptr)));
  if (owner) Check(api.set_base(array.get(), Object(owner).release()));
  return array;
}

NumpyArray NumpyArray::ViewOf(std::intptr_t rows) const {
  std::array<std::intptr_t, kMostDimensions> sizes;
  std::copy_n(shape(), rank(), sizes.begin());
  sizes[0] = rows;
  const Api& api = Api::Get();
  Py_INCREF(Fields(*this).descr);  // taken by the call
  NumpyArray head(
      Checked(api.new_from_descr(api.array_type, Fields(*this).descr, rank(), sizes.data(), nullptr,
                                 data(), kContiguous | kAligned | kWritable, nullptr)));
  Check(api.set_base(head.get(), Object(*this).release()));
  return head;
}

NumpyArray NumpyArray::Zeros(std::intptr_t rows) const {
  std::array<std::intptr_t, kMostDimensions> sizes;
  std::copy_n(shape(), rank(), sizes.begin());
  sizes[0] = rows;
  const Api& api = Api::Get();
  Py_INCREF(Fields(*this).descr);  // taken by the call
  NumpyArray zeros(Checked(api.new_from_descr(api.array_type, Fields(*this).descr, rank(),
                                              sizes.data(), nullptr, nullptr, 0, nullptr)));
  // An array of objects is made with null pointers, which NumPy reads as None.
  if (kind() != 'O') {
    std::memset(zeros.data(), 0, static_cast<std::size_t>(zeros.size()) * item_size());
  }
  return zeros;
}

NumpyArray NumpyArray::DeepCopy() const {
  const Object copy = Checked(PyImport_ImportModule("copy"));
  return NumpyArray(Checked(PyObject_CallMethod(copy.get(), "deepcopy", "O", get())));
}

NumpyArray NumpyArray::Plain() const {
  return NumpyArray(Checked(
      Api::Get().from_any(get(), nullptr, 0, 0, kContiguous | kAligned | kEnsureArray, nullptr)));
}

NumpyArray NumpyArray::Plain(DType dtype) const {
  const Api& api = Api::Get();
  Object type = Checked(api.descr_from_type(NumberOf(dtype)));
  return NumpyArray(Checked(api.from_any(
      get(), type.release(), 0, 0, kContiguous | kAligned | kForceCast | kEnsureArray, nullptr)));
}

std::intptr_t NumpyArray::size() const {
  std::intptr_t count = 1;
  for (int i = 0; i < rank(); ++i) count *= shape(i);
  return count;
}

bool NumpyArray::is_plain() const {
  constexpr int kPlain = kContiguous | kAligned;
  // Bytes have no order, which is '|'; the machine's own is '='.
  const char order = Descr(*this).byte_order;
  return (Fields(*this).flags & kPlain) == kPlain && (order == '=' || order == '|');
}

char NumpyArray::kind() const { return Descr(*this).kind; }
std::size_t NumpyArray::item_size() const { return Number(get(), "itemsize"); }

bool NumpyArray::is_like(const NumpyType& type) const {
  const int equal = PyObject_RichCompareBool(Fields(*this).descr, type.get(), Py_EQ);
  Check(equal);
  return equal != 0;
}

bool NumpyArray::holds(DType dtype) const { return Descr(*this).number == NumberOf(dtype); }

std::string NumpyArray::type_text() const {
  return TextOf(Checked(PyObject_Str(Fields(*this).descr)).get());
}

}  // namespace envpool::python
