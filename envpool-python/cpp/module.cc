// SPDX-License-Identifier: Apache-2.0
// The Python module: Remote, the environment of every pool; SlotLayout; ParentEndpoint;
// WorkerEndpoint.
#include <envpool/any_option.h>
#include <envpool/module.h>
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "parent_endpoint.h"
#include "remote_env.h"
#include "worker_endpoint.h"

namespace envpool::python_family {
namespace {

namespace py = pybind11;

py::dtype NumpyType(DType dtype) {
  constexpr const char* kNames[] = {"bool",   "int8",  "uint8",  "int16",   "uint16", "int32",
                                    "uint32", "int64", "uint64", "float32", "float64"};
  return py::dtype(kNames[static_cast<int>(dtype)]);
}

DType DTypeOf(const py::dtype& dtype) {
  for (int i = 0; i <= static_cast<int>(DType::kFloat64); ++i) {
    if (NumpyType(static_cast<DType>(i)).is(dtype) ||
        NumpyType(static_cast<DType>(i)).equal(dtype)) {
      return static_cast<DType>(i);
    }
  }
  throw py::value_error("no array of a pool can hold " + py::repr(dtype).cast<std::string>());
}

/// From `(name, dtype, shape, low, high)`, bounds being arrays of one element or of all.
ArraySpec SpecOf(const py::tuple& array) {
  const py::dtype dtype = py::dtype::from_args(array[1]);
  ArraySpec spec{.name = array[0].cast<std::string>(),
                 .dtype = DTypeOf(dtype),
                 .shape = array[2].cast<std::vector<int>>(),
                 .element_size = static_cast<std::size_t>(dtype.itemsize()),
                 .low = {},
                 .high = {},
                 .int_low = {},
                 .int_high = {},
                 .take = nullptr,
                 .inner_shape = {},
                 .categorical = false};
  const auto read = [&](const py::handle& bound, std::vector<double>& real,
                        std::vector<std::int64_t>& whole) {
    real = bound.attr("astype")("float64").attr("ravel")().cast<std::vector<double>>();
    if (spec.dtype >= DType::kFloat32) return;
    whole = bound.attr("astype")("int64").attr("ravel")().cast<std::vector<std::int64_t>>();
  };
  read(array[3], spec.low, spec.int_low);
  read(array[4], spec.high, spec.int_high);
  return spec;
}
std::vector<ArraySpec> SpecsOf(const py::list& arrays) {
  std::vector<ArraySpec> specs;
  for (const py::handle array : arrays) specs.push_back(SpecOf(array.cast<py::tuple>()));
  return specs;
}

ParentWatch parent_watch;  // of the process

/// Runs `function` with the GIL in a thread of its own and waits for it, without the GIL. Python
/// calls signal handlers in the main thread only, so that Ctrl-C cannot end the function half way:
/// it is raised when the pool next looks after signals.
template <typename Function>
void BesideSignals(const Function& function) {
  std::optional<py::gil_scoped_release> released;
  if (PyGILState_Check() != 0) released.emplace();
  std::thread([&function] {
    const py::gil_scoped_acquire gil;
    function();
  }).join();
}

/// NumPy's view of an array in shared memory, which `owner` keeps mapped.
py::array ViewOf(const ArraySpec& spec, std::byte* data, int max_players, const py::object& owner) {
  std::vector<py::ssize_t> shape;
  if (spec.per_player()) shape.push_back(max_players);
  for (int dim : spec.item_shape()) shape.push_back(dim);
  return py::array(NumpyType(spec.dtype), shape, {}, data, owner);
}

/// The bytes of each environment's two infos, uint32 of shape (num_envs, 2), as workers write them.
py::array InfoSizes(const py::object& self) {
  SharedSegment& segment = self.cast<ParentEndpoint&>().segment();
  const auto stride = static_cast<py::ssize_t>(segment.shape().slot_size);
  return py::array(py::dtype::of<std::uint32_t>(),
                   std::vector<py::ssize_t>{segment.shape().num_envs, 2},
                   std::vector<py::ssize_t>{stride, sizeof(std::uint32_t)},
                   segment.slot_header(0).info_size, self);
}
/// The infos that lie in slots, uint8 of shape (num_envs, 2, kInfoBytes).
py::array Infos(const py::object& self, const SlotLayout& layout) {
  SharedSegment& segment = self.cast<ParentEndpoint&>().segment();
  const auto stride = static_cast<py::ssize_t>(segment.shape().slot_size);
  constexpr auto kBytes = static_cast<py::ssize_t>(kInfoBytes);
  return py::array(
      py::dtype::of<std::uint8_t>(), std::vector<py::ssize_t>{segment.shape().num_envs, 2, kBytes},
      std::vector<py::ssize_t>{stride, kBytes, 1}, segment.slot(0) + layout.infos_at, self);
}

SharedSegment::Shape ShapeOf(int num_envs, int num_workers, const SlotLayout& layout) {
  return {.num_envs = num_envs, .num_workers = num_workers, .slot_size = layout.slot_size};
}

/// The functions that a worker's Python loop calls, in the order of the calls.
class PyWorkerEndpoint : public WorkerEndpoint {
 public:
  PyWorkerEndpoint(int fd, int num_envs, int num_workers, const std::shared_ptr<SlotLayout>& layout,
                   int worker)
      : WorkerEndpoint(fd, ShapeOf(num_envs, num_workers, *layout), layout, worker, parent_watch) {}

  /// The next request: env_id << 3 | buffer << 2 | request, or kControlMessage; None when the
  /// parent has ended.
  py::object Wait() {
    std::int32_t entry = 0;
    bool found = HasRequest() && Next(entry);
    while (!found) {
      if (parent_has_ended()) return py::none();
      {
        const py::gil_scoped_release release;
        found = Next(entry);
      }
      if (!found && PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
    if (entry == kControlMessage) return py::int_(kControlMessage);
    const SlotHeader& slot = slot_header(entry);
    return py::int_(std::int64_t{entry} << 3 | std::int64_t{slot.buffer} << 2 |
                    static_cast<std::int64_t>(slot.request));
  }
  /// `(seed, num_rebuilds, num_actions)` of a request.
  py::tuple ArgumentsOf(int env_id) const {
    const SlotHeader& slot = slot_header(env_id);
    return py::make_tuple(slot.seed, slot.num_rebuilds, slot.num_actions);
  }
  /// Ends a step of one player; true if the next episode has to follow first.
  bool FinishStep(int env_id, double reward, bool terminated, bool truncated) {
    rewards(env_id)[0] = reward;
    return FinishPlayers(env_id, 1, terminated, truncated);
  }
  /// The same for several players, whose rewards are written.
  bool FinishPlayers(int env_id, int players, bool terminated, bool truncated) {
    SlotHeader& slot = slot_header(env_id);
    slot.players = players;
    slot.terminated = terminated;
    slot.truncated = truncated;
    if (slot.same_step != 0 && (terminated || truncated || slot.is_last != 0)) return true;
    Finish(env_id);
    return false;
  }
  /// Ends a reset.
  void FinishReset(int env_id, int players) {
    slot_header(env_id).players = players;
    Finish(env_id);
  }
  /// Ends a step after which the next episode has begun.
  void FinishNext(int env_id, int players) {
    slot_header(env_id).has_next = 1;
    slot_header(env_id).next_players = players;
    Finish(env_id);
  }
};

}  // namespace
}  // namespace envpool::python_family

PYBIND11_MODULE(_python, m) {
  using namespace envpool;
  using namespace envpool::python_family;
  namespace py = pybind11;
  py::class_<SlotLayout, std::shared_ptr<SlotLayout>>(m, "SlotLayout", py::module_local())
      .def(py::init([](const py::list& state, const py::list& action, int max_players) {
             return std::make_shared<SlotLayout>(SpecsOf(state), SpecsOf(action), max_players);
           }),
           py::arg("state"), py::arg("action"), py::arg("max_players"))
      .def_readonly("slot_size", &SlotLayout::slot_size);
  m.def(
      "end_with", [](int socket, int pidfd) { parent_watch.EndWith(socket, pidfd); },
      py::arg("socket"), py::arg("pidfd"));
  m.def(
      "make_file",
      [](int num_envs, int num_workers, const SlotLayout& layout) {
        return SharedSegment::MakeFile(ShapeOf(num_envs, num_workers, layout));
      },
      py::arg("num_envs"), py::arg("num_workers"), py::arg("layout"));
  py::class_<ParentEndpoint, std::shared_ptr<ParentEndpoint>>(m, "ParentEndpoint",
                                                              py::module_local())
      .def(py::init([](int fd, int num_envs, int num_workers, const SlotLayout& layout,
                       double step_timeout, bool repeats_resets, const py::object& stop,
                       const py::object& start) {
             // Python functions, called by a thread that may not have the GIL.
             const auto shared = [](const py::object& function) {
               return std::shared_ptr<py::object>(new py::object(function), [](py::object* held) {
                 const py::gil_scoped_acquire gil;
                 delete held;
               });
             };
             ParentEndpoint::ProcessControl processes{
                 .stop =
                     [stop = shared(stop)](int worker, bool timed_out) {
                       std::string reason;
                       BesideSignals([&] {
                         try {
                           reason = (*stop)(worker, timed_out).cast<std::string>();
                         } catch (const std::exception& error) {
                           reason = error.what();
                         }
                       });
                       return reason;
                     },
                 .start =
                     [start = shared(start)](int worker) {
                       std::pair<int, std::string> started(-1, "");
                       BesideSignals([&] {
                         try {
                           started.first = (*start)(worker).cast<int>();
                         } catch (const std::exception& error) {
                           started.second = error.what();
                         }
                       });
                       return started;
                     }};
             return std::make_shared<ParentEndpoint>(fd, ShapeOf(num_envs, num_workers, layout),
                                                     step_timeout, repeats_resets,
                                                     std::move(processes));
           }),
           py::arg("fd"), py::arg("num_envs"), py::arg("num_workers"), py::arg("layout"),
           py::arg("step_timeout"), py::arg("repeats_resets"), py::arg("stop"), py::arg("start"))
      .def("set_process", &ParentEndpoint::SetProcess, py::arg("worker"), py::arg("pidfd"))
      .def("post_control_message", &ParentEndpoint::PostControlMessage, py::arg("worker"))
      .def("worker_of", [](ParentEndpoint& endpoint,
                           int env_id) { return endpoint.segment().worker_of(env_id); })
      .def("clear", &ParentEndpoint::Clear)
      .def_property_readonly("num_failures", &ParentEndpoint::num_failures)
      .def("take_failure",
           [](ParentEndpoint& endpoint, int env_id) {
             const std::string text = endpoint.TakeFailure(env_id);
             return py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
                 text.data(), static_cast<py::ssize_t>(text.size()), "replace"));
           })
      .def("info_sizes", &InfoSizes)
      .def("infos", &Infos)
      .def("long_info_at", [](ParentEndpoint& endpoint, int env_id,
                              int which) { return endpoint.segment().OverflowAt(env_id, which); })
      .def("log_at",
           [](ParentEndpoint& endpoint, int worker) { return endpoint.segment().LogAt(worker); })
      .def("options_at", [](ParentEndpoint& endpoint,
                            int env_id) { return endpoint.segment().OverflowAt(env_id, kOptions); })
      .def("set_options", [](ParentEndpoint& endpoint, int env_id, std::uint32_t size) {
        endpoint.segment().slot_header(env_id).options_size = size;
      });
  py::class_<PyWorkerEndpoint>(m, "WorkerEndpoint", py::module_local())
      .def(py::init<int, int, int, const std::shared_ptr<SlotLayout>&, int>(), py::arg("fd"),
           py::arg("num_envs"), py::arg("num_workers"), py::arg("layout"), py::arg("worker"))
      .def("wait", &PyWorkerEndpoint::Wait)
      .def("arguments_of", &PyWorkerEndpoint::ArgumentsOf)
      .def("take_options", [](PyWorkerEndpoint& endpoint,
                              int env_id) { return py::bytes(endpoint.TakeOptions(env_id)); })
      .def("begin_making", &PyWorkerEndpoint::BeginMaking)
      .def("end", &PyWorkerEndpoint::End)
      .def("finish_step", &PyWorkerEndpoint::FinishStep)
      .def("finish_players", &PyWorkerEndpoint::FinishPlayers)
      .def("finish_reset", &PyWorkerEndpoint::FinishReset)
      .def("finish_next", &PyWorkerEndpoint::FinishNext)
      .def("rewards",
           [](const py::object& self, int env_id) {
             const auto& endpoint = self.cast<const PyWorkerEndpoint&>();
             return py::array_t<double>(endpoint.layout().max_players, endpoint.rewards(env_id),
                                        self);
           })
      .def("set_info",
           [](PyWorkerEndpoint& endpoint, int env_id, int which, const py::bytes& info) {
             endpoint.SetInfo(env_id, which, std::string_view(info));
           })
      .def("fail", [](PyWorkerEndpoint& endpoint, int env_id,
                      const std::string& text) { endpoint.Fail(env_id, text); })
      .def("actions",
           [](const py::object& self, int env_id) {
             const auto& endpoint = self.cast<const PyWorkerEndpoint&>();
             const ArrayOffsets& arrays = endpoint.layout().action;
             py::list views;
             for (std::size_t i = 0; i < arrays.arrays.size(); ++i) {
               views.append(ViewOf(arrays.arrays[i], endpoint.action(env_id, i),
                                   endpoint.layout().max_players, self));
             }
             return views;
           })
      .def("states", [](const py::object& self, int env_id, int buffer) {
        const auto& endpoint = self.cast<const PyWorkerEndpoint&>();
        const ArrayOffsets& arrays = endpoint.layout().state;
        py::list views;
        for (std::size_t i = 0; i < arrays.arrays.size(); ++i) {
          views.append(ViewOf(arrays.arrays[i], endpoint.state(env_id, buffer, i),
                              endpoint.layout().max_players, self));
        }
        return views;
      });
  Register<RemoteEnv>(m, "Remote");
}
