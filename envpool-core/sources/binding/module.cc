// SPDX-License-Identifier: Apache-2.0
// The classes that a module of environments has for Python: CompiledPool and CompiledEnv.
#include "envpool/module.h"

#include <Python.h>
#include <structmember.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calls.h"
#include "compiled_pool.h"
#include "envpool/version.h"
#include "pool_maker.h"
#include "python.h"
#include "xla.h"

namespace envpool::python {
namespace {

PyObject* Or(PyObject* object, PyObject* otherwise) {
  return object == nullptr ? otherwise : object;
}

void CheckType(PyObject* object, PyTypeObject& type) {
  if (PyObject_TypeCheck(object, &type) != 0) return;
  PyErr_Format(PyExc_TypeError, "expected a %s, got %R", type.tp_name, object);
  throw Raised();
}

template <typename T>
void Destroy(PyObject* self) noexcept {
  auto* boxed = reinterpret_cast<Boxed<T>*>(self);
  PyTypeObject* type = Py_TYPE(self);
  if (boxed->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  // An exception that is being raised goes on after this.
#if PY_VERSION_HEX >= 0x030c0000
  PyObject* raised = PyErr_GetRaisedException();
  delete boxed->inside;
  PyErr_SetRaisedException(raised);
#else
  PyObject *error = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&error, &value, &traceback);
  delete boxed->inside;
  PyErr_Restore(error, value, traceback);
#endif
  type->tp_free(self);
  Py_DECREF(type);
}

/// Makes a class of the module `m` whose objects only this file makes. Its base class is `base` of
/// envpool.pool_backend.
template <typename T>
PyTypeObject* MakeType(PyObject* m, const char* name, const char* base, PyMethodDef* methods,
                       PyGetSetDef* properties) {
  static PyMemberDef members[] = {
      {"__weaklistoffset__", T_PYSSIZET, offsetof(Boxed<T>, weak_references), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  const char* module = PyModule_GetName(m);
  if (module == nullptr) throw Raised();
  // Kept for as long as the class, which is for ever.
  const auto* full_name = new std::string(std::string(module) + "." + name);
  PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&Destroy<T>)},
                         {Py_tp_methods, methods},
                         {Py_tp_getset, properties},
                         {Py_tp_members, members},
                         {0, nullptr}};
  PyType_Spec spec{full_name->c_str(), sizeof(Boxed<T>), 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  const Object backends = Checked(PyImport_ImportModule("envpool.pool_backend"));
  const Object bases = Tuple(Attribute(backends.get(), base));
  Object type = Checked(PyType_FromSpecWithBases(&spec, bases.get()));
  Check(PyObject_SetAttrString(m, name, type.get()));
  return reinterpret_cast<PyTypeObject*>(type.release());
}

/// The class of the module that was made last; a library is imported once, as a rule.
template <typename T>
PyTypeObject* type_of = nullptr;

template <typename T>
Object Box(std::unique_ptr<T> inside) {
  Object object = Checked(type_of<T>->tp_alloc(type_of<T>, 0));
  reinterpret_cast<Boxed<T>*>(object.get())->inside = inside.release();
  return object;
}

void DefinePool(PyObject* m) {
  using P = CompiledPool;
  using A = PyObject* const*;
  static PyMethodDef methods[] = {
      Method<P,
             [](P& pool, A a) {
               pool.SetResultLayouts(a[0], a[1]);
               return None();
             },
             "set_result_layouts", 2, "step", "reset">(),
      Method<P,
             [](P& pool, A a) {
               CheckType(a[0], PyDict_Type);
               pool.SetResultArrays(a[0]);
               return None();
             },
             "set_result_arrays", 1, "arrays">(),
      Method<P,
             [](P& pool, A a) {
               if (!IsNone(a[1])) CheckType(a[1], PyDict_Type);
               pool.SetResetOptions(a[0], a[1]);
               return None();
             },
             "set_reset_options", 2, "env_ids", "options">(),
      WithText(Method<P, [](P& pool, A a) { return pool.Step(a[0], Or(a[1], Py_None)); }, "step", 1,
                      "action", "env_id">(),
               "step($self, action, env_id=None)\n--\n\n"
               "Sends actions and waits for a batch of results; see the step of the pool's class."),
      WithText(
          Renamed(
              Method<P, [](P& pool, A a) { return pool.StepAll(a[0]); }, "step", 1, "actions">(),
              "step_all"),
          "step_all($self, actions)\n--\n\n"
          "Takes one step in every environment; see the step of the pool's class."),
      Method<P,
             [](P& pool, A a) {
               pool.Send(a[0], Or(a[1], Py_None));
               return None();
             },
             "send", 1, "action", "env_id">(),
      Method<P,
             [](P& pool, A a) {
               std::optional<double> timeout;
               if (!IsNone(Or(a[1], Py_None))) {
                 timeout = PyFloat_AsDouble(a[1]);
                 if (PyErr_Occurred() != nullptr) throw Raised();
               }
               return pool.Recv(ToBool(a[0], false), timeout);
             },
             "recv", 0, "reset", "timeout">(),
      Method<P, [](P& pool, A a) { return pool.Reset(Or(a[0], Py_None), Or(a[1], Py_None)); },
             "reset", 0, "env_id", "seed">(),
      Method<P, [](P& pool, A a) { return pool.ResetSome(a[0], Or(a[1], Py_None)); }, "reset_some",
             1, "env_ids", "seed">(),
      Method<P,
             [](P& pool, A a) {
               pool.AsyncReset(Or(a[0], Py_None), Or(a[1], Py_None));
               return None();
             },
             "async_reset", 0, "env_id", "seed">(),
      Method<P,
             [](P& pool, A a) {
               return pool.Render(a[0], ToInt(a[1]), ToInt(a[2]), ToInt(a[3]), ToBool(a[4], false));
             },
             "render", 4, "env_ids", "width", "height", "camera_id", "depth">(),
      Method<P,
             [](P& pool, A a) {
               pool.CheckDrawable(a[0]);
               return None();
             },
             "check_drawable", 1, "env_ids">(),
      Method<P, [](P& pool, A a) { return pool.RenderText(a[0]); }, "render_text", 1, "env_ids">(),
      Method<P, [](P& pool, A a) { return pool.SaveState(a[0]); }, "save_state", 1, "env_ids">(),
      Method<P,
             [](P& pool, A a) {
               CheckType(a[0], PyList_Type);
               pool.LoadState(a[0], a[1]);
               return None();
             },
             "load_state", 2, "states", "env_ids">(),
      Method<P,
             [](P& pool, A a) {
               CheckType(a[1], PyList_Type);
               return pool.Call(a[0], a[1]);
             },
             "call", 2, "env_ids", "requests">(),
      Method<P,
             [](P& pool, A) {
               pool.Close();
               return None();
             },
             "close", 0>(),
      Method<P, [](P& pool, A) { return pool.CPool(); }, "c_pool", 0>(),
      {nullptr, nullptr, 0, nullptr}};
  static PyGetSetDef properties[] = {
      {"task_id", ReadProperty<P, [](const P& pool) { return SafeText(pool.task_id()); }>, nullptr,
       nullptr, nullptr},
      {"closed", ReadProperty<P, [](const P& pool) { return Bool(pool.closed()); }>, nullptr,
       nullptr, nullptr},
      {"num_threads", ReadProperty<P, [](const P& pool) { return Integer(pool.num_threads()); }>,
       nullptr, nullptr, nullptr},
      {"num_in_flight",
       ReadProperty<P, [](const P& pool) { return Integer(pool.num_in_flight()); }>, nullptr,
       nullptr, nullptr},
      {"reset_options", ReadProperty<P, [](const P& pool) { return pool.ResetOptions(); }>, nullptr,
       nullptr, nullptr},
      {"keeps_observation", ReadProperty<P, [](const P&) { return Bool(true); }>, nullptr, nullptr,
       nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  type_of<P> = MakeType<P>(m, "CompiledPool", "PoolBackend", methods, properties);
}

Object StepKindName(const EnvType& env) {
  constexpr const char* kNames[] = {"trivial", "default", "blocking", "external"};
  return SafeText(kNames[static_cast<int>(env.step_kind)]);
}

Object RegisterForXla(PyObject* const* a) {
  std::vector<std::string> arrays;
  ForEachItem(a[1], [&](PyObject* name) { arrays.push_back(ToText(name)); });
  return XlaRegister(a[0], arrays);
}

void DefineEnv(PyObject* m) {
  using E = EnvType;
  using A = PyObject* const*;
  static PyMethodDef methods[] = {
      Method<E, [](E&, A a) { return RegisterForXla(a); }, "xla_register", 2, "c_pool", "arrays">(),
      Method<E, [](E& env, A) { return DefaultConfig(env); }, "default_config", 0>(),
      Method<E,
             [](E& env, A a) {
               CheckType(a[0], PyDict_Type);
               return Describe(env, a[0]);
             },
             "describe", 1, "config">(),
      Method<E,
             [](E& env, A a) {
               CheckType(a[0], PyDict_Type);
               const std::string mode = a[2] == nullptr ? "next_step" : ToText(a[2]);
               return Box(MakePool(env, a[0], ToText(a[1]), mode));
             },
             "make", 2, "config", "task_id", "autoreset_mode">(),
      {nullptr, nullptr, 0, nullptr}};
  static PyGetSetDef properties[] = {
      {"name", ReadProperty<E, [](const E& env) { return SafeText(env.name); }>, nullptr, nullptr,
       nullptr},
      {"renders", ReadProperty<E, [](const E& env) { return Bool(env.renders); }>, nullptr, nullptr,
       nullptr},
      {"renders_depth", ReadProperty<E, [](const E& env) { return Bool(env.renders_depth); }>,
       nullptr, nullptr, nullptr},
      {"renders_text", ReadProperty<E, [](const E& env) { return Bool(env.renders_text); }>,
       nullptr, nullptr, nullptr},
      {"saves", ReadProperty<E, [](const E& env) { return Bool(env.saves); }>, nullptr, nullptr,
       nullptr},
      {"step_kind", ReadProperty<E, StepKindName>, nullptr, nullptr, nullptr},
      {"option_ranges", ReadProperty<E, [](const E&) { return OptionRanges(); }>, nullptr, nullptr,
       nullptr},
      {"xla_handlers", ReadProperty<E, [](const E&) { return XlaHandlers(); }>, nullptr, nullptr,
       nullptr},
      {"api_version", ReadProperty<E, [](const E&) { return Integer(kApiVersion); }>, nullptr,
       nullptr, nullptr},
      {"compiler", ReadProperty<E, [](const E&) { return SafeText(__VERSION__); }>, nullptr,
       nullptr, nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  type_of<E> = MakeType<E>(m, "CompiledEnv", "EnvBackend", methods, properties);
}

void Define(PyObject* m) {
  if (PyObject_HasAttrString(m, "CompiledPool") != 0) return;
  DefinePool(m);
  DefineEnv(m);
}

// pybind11's module_ is one pointer, that of the module.
PyObject* ObjectOf(pybind11::module_& m) { return *reinterpret_cast<PyObject**>(&m); }

}  // namespace

void AddEnvType(pybind11::module_& m, const char* attribute, EnvType type) {
  PyObject* module = ObjectOf(m);
  Define(module);
  const Object env = Box(std::make_unique<EnvType>(std::move(type)));
  Check(PyObject_SetAttrString(module, attribute, env.get()));
}

void AddAlias(pybind11::module_& m, const char* alias, const char* attribute) {
  PyObject* module = ObjectOf(m);
  Check(PyObject_SetAttrString(module, alias, Attribute(module, attribute).get()));
}

PyObject* InitModule(const char* name, void (*fill)(pybind11::module_& m)) {
  auto* definition = new PyModuleDef{};  // for as long as the process
  *definition = {
      PyModuleDef_HEAD_INIT, name, nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr};
  Object module = Object::Steal(PyModule_Create(definition));
  if (!module) return nullptr;
  PyObject* pointer = module.get();
  try {
    fill(*reinterpret_cast<pybind11::module_*>(&pointer));
  } catch (...) {
    RaiseCurrent();
    return nullptr;
  }
  return module.release();
}

}  // namespace envpool::python
