// SPDX-License-Identifier: Apache-2.0
// What Python sees: Remote, the environment of every pool; Layout; Office, of the parent; Channel,
// of a worker.
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

#include "channel.h"
#include "office.h"
#include "remote_env.h"

namespace envpool::remote {
namespace {

namespace py = pybind11;
using python::NumpyType;

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
                 .inner_shape = {}};
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

Lifeline lifeline;  // of the process

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
  Segment& segment = self.cast<Office&>().segment();
  const auto stride = static_cast<py::ssize_t>(segment.shape().slot_size);
  return py::array(py::dtype::of<std::uint32_t>(),
                   std::vector<py::ssize_t>{segment.shape().num_envs, 2},
                   std::vector<py::ssize_t>{stride, sizeof(std::uint32_t)},
                   segment.slot_head(0).info_size, self);
}
/// Those infos, uint8 of shape (num_envs, 2, kInfoBytes).
py::array Infos(const py::object& self, const Layout& layout) {
  Segment& segment = self.cast<Office&>().segment();
  const auto stride = static_cast<py::ssize_t>(segment.shape().slot_size);
  constexpr auto kBytes = static_cast<py::ssize_t>(kInfoBytes);
  return py::array(
      py::dtype::of<std::uint8_t>(), std::vector<py::ssize_t>{segment.shape().num_envs, 2, kBytes},
      std::vector<py::ssize_t>{stride, kBytes, 1}, segment.slot(0) + layout.infos_at, self);
}

Segment::Shape ShapeOf(int num_envs, int num_workers, const Layout& layout) {
  return {.num_envs = num_envs, .num_workers = num_workers, .slot_size = layout.slot_size};
}

/// What a worker's Python loop uses, in the order in which it does.
class PyChannel : public Channel {
 public:
  PyChannel(int fd, int num_envs, int num_workers, const std::shared_ptr<Layout>& layout,
            int worker)
      : Channel(fd, ShapeOf(num_envs, num_workers, *layout), layout, worker, lifeline) {}

  /// What is to be done next: env_id << 3 | set << 2 | op, or kCall; None when the parent has
  /// ended.
  py::object Wait() {
    std::int32_t entry = 0;
    bool found = IsWaiting() && Next(entry);
    while (!found) {
      if (has_ended()) return py::none();
      {
        const py::gil_scoped_release release;
        found = Next(entry);
      }
      if (!found && PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
    if (entry == kCall) return py::int_(kCall);
    const SlotHead& slot = head(entry);
    return py::int_(std::int64_t{entry} << 3 | std::int64_t{slot.set} << 2 |
                    static_cast<std::int64_t>(slot.op));
  }
  /// `(seed, life, num_actions)` of what is being done.
  py::tuple Turn(int env_id) const {
    const SlotHead& slot = head(env_id);
    return py::make_tuple(slot.seed, slot.life, slot.num_actions);
  }
  /// Ends a step of one player; true if the next episode has to follow first.
  bool FinishStep(int env_id, const py::object& reward, bool terminated, bool truncated) {
    rewards(env_id)[0] = PyFloat_AsDouble(reward.ptr());
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    return FinishPlayers(env_id, 1, terminated, truncated);
  }
  /// Ends a step whose rewards are written.
  bool FinishPlayers(int env_id, int players, bool terminated, bool truncated) {
    SlotHead& slot = head(env_id);
    slot.players = players;
    slot.terminated = terminated;
    slot.truncated = truncated;
    if (slot.goes_on != 0 && (terminated || truncated || slot.last != 0)) return true;
    Done(env_id);
    return false;
  }
  /// Ends a reset.
  void FinishReset(int env_id, int players) {
    head(env_id).players = players;
    Done(env_id);
  }
  /// Ends a step after which an episode has begun.
  void FinishNext(int env_id, int players) {
    head(env_id).has_next = 1;
    head(env_id).next_players = players;
    Done(env_id);
  }
};

}  // namespace
}  // namespace envpool::remote

PYBIND11_MODULE(_python, m) {
  using namespace envpool;
  using namespace envpool::remote;
  namespace py = pybind11;
  py::class_<Layout, std::shared_ptr<Layout>>(m, "Layout", py::module_local())
      .def(py::init([](const py::list& state, const py::list& action, int max_players) {
             return std::make_shared<Layout>(SpecsOf(state), SpecsOf(action), max_players);
           }),
           py::arg("state"), py::arg("action"), py::arg("max_players"))
      .def_readonly("slot_size", &Layout::slot_size);
  m.def(
      "end_with", [](int socket, int pidfd) { lifeline.EndWith(socket, pidfd); }, py::arg("socket"),
      py::arg("pidfd"));
  m.def(
      "make_file",
      [](int num_envs, int num_workers, const Layout& layout) {
        return Segment::MakeFile(ShapeOf(num_envs, num_workers, layout));
      },
      py::arg("num_envs"), py::arg("num_workers"), py::arg("layout"));
  py::class_<Office, std::shared_ptr<Office>>(m, "Office", py::module_local())
      .def(py::init([](int fd, int num_envs, int num_workers, const Layout& layout, double deadline,
                       const py::object& bury, const py::object& start) {
             // Python functions, called by a thread that may not have the GIL.
             const auto shared = [](const py::object& function) {
               return std::shared_ptr<py::object>(new py::object(function), [](py::object* held) {
                 const py::gil_scoped_acquire gil;
                 delete held;
               });
             };
             Office::Processes processes{
                 .bury =
                     [bury = shared(bury)](int worker, bool too_late) {
                       std::string why;
                       BesideSignals([&] {
                         try {
                           why = (*bury)(worker, too_late).cast<std::string>();
                         } catch (const std::exception& error) {
                           why = error.what();
                         }
                       });
                       return why;
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
             return std::make_shared<Office>(fd, ShapeOf(num_envs, num_workers, layout), deadline,
                                             std::move(processes));
           }),
           py::arg("fd"), py::arg("num_envs"), py::arg("num_workers"), py::arg("layout"),
           py::arg("deadline"), py::arg("bury"), py::arg("start"))
      .def("set_process", &Office::SetProcess, py::arg("worker"), py::arg("pidfd"))
      .def("call", &Office::Call, py::arg("worker"))
      .def("current", &Office::CurrentOf, py::arg("worker"))
      .def("worker_of",
           [](Office& office, int env_id) { return office.segment().worker_of(env_id); })
      .def("clear", &Office::Clear)
      .def_property_readonly("num_problems", &Office::num_problems)
      .def("take_problem",
           [](Office& office, int env_id) { return python::SafeText(office.TakeProblem(env_id)); })
      .def("info_sizes", &InfoSizes)
      .def("infos", &Infos)
      .def("long_info_at", [](Office& office, int env_id,
                              int which) { return office.segment().LongAt(env_id, which); })
      .def("options_at",
           [](Office& office, int env_id) { return office.segment().LongAt(env_id, kOptions); })
      .def("set_options", [](Office& office, int env_id, std::uint32_t size) {
        office.segment().slot_head(env_id).options_size = size;
      });
  py::class_<PyChannel>(m, "Channel", py::module_local())
      .def(py::init<int, int, int, const std::shared_ptr<Layout>&, int>(), py::arg("fd"),
           py::arg("num_envs"), py::arg("num_workers"), py::arg("layout"), py::arg("worker"))
      .def("wait", &PyChannel::Wait)
      .def("turn", &PyChannel::Turn)
      .def("take_options",
           [](PyChannel& channel, int env_id) { return py::bytes(channel.TakeOptions(env_id)); })
      .def("begin_making", &PyChannel::BeginMaking)
      .def("end", &PyChannel::End)
      .def("finish_step", &PyChannel::FinishStep)
      .def("finish_players", &PyChannel::FinishPlayers)
      .def("finish_reset", &PyChannel::FinishReset)
      .def("finish_next", &PyChannel::FinishNext)
      .def("rewards",
           [](const py::object& self, int env_id) {
             const auto& channel = self.cast<const PyChannel&>();
             return py::array_t<double>(channel.layout().max_players, channel.rewards(env_id),
                                        self);
           })
      .def("set_info",
           [](PyChannel& channel, int env_id, int which, const py::bytes& info) {
             channel.SetInfo(env_id, which, std::string_view(info));
           })
      .def("fail", [](PyChannel& channel, int env_id,
                      const std::string& text) { channel.Fail(env_id, text); })
      .def("actions",
           [](const py::object& self, int env_id) {
             const auto& channel = self.cast<const PyChannel&>();
             const Places& places = channel.layout().action;
             py::list views;
             for (std::size_t i = 0; i < places.arrays.size(); ++i) {
               views.append(ViewOf(places.arrays[i], channel.action(env_id, i),
                                   channel.layout().max_players, self));
             }
             return views;
           })
      .def("states", [](const py::object& self, int env_id, int set) {
        const auto& channel = self.cast<const PyChannel&>();
        const Places& places = channel.layout().state;
        py::list views;
        for (std::size_t i = 0; i < places.arrays.size(); ++i) {
          views.append(ViewOf(places.arrays[i], channel.state(env_id, set, i),
                              channel.layout().max_players, self));
        }
        return views;
      });
  Register<RemoteEnv>(m, "Remote");
}
