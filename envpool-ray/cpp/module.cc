// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool_ray. Local connections and shared memory are Linux's, and so is it.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#ifdef __linux__
#include "steady_calls.h"
#endif

PYBIND11_MODULE(_native, module) {
#ifdef __linux__
  namespace py = pybind11;
  using envpool::ray_family::FieldLayout;
  using envpool::ray_family::SteadyCalls;
  py::class_<SteadyCalls>(module, "SteadyCalls")
      .def(py::init([](const std::vector<std::tuple<int, int, int, bool>>& channels,
                       const py::list& fields, const py::object& tree, int batch_size,
                       int buffer_rows, py::object acquire, py::object header) {
             return std::make_unique<SteadyCalls>(channels, FieldLayout(fields, tree), batch_size,
                                                  buffer_rows, std::move(acquire),
                                                  std::move(header));
           }),
           py::kw_only(), py::arg("channels"), py::arg("fields"), py::arg("tree"),
           py::arg("batch_size"), py::arg("buffer_rows"), py::arg("acquire"), py::arg("header"))
      .def("expect",
           [](SteadyCalls& self, std::size_t channel, bool shared, int rows,
              const py::bytes& header, std::vector<std::size_t> fields) {
             self.Expect(channel, shared, rows, header, std::move(fields));
           })
      .def("expects", &SteadyCalls::Expects)
      .def("arm", &SteadyCalls::Arm)
      .def("settle", &SteadyCalls::Settle)
      .def("retire", &SteadyCalls::Retire)
      .def("step", &SteadyCalls::Step)
      .def("send", &SteadyCalls::Send)
      .def("recv", &SteadyCalls::Recv)
      .def("take_back", &SteadyCalls::TakeBack)
      .def_property_readonly("busy", &SteadyCalls::busy)
      .def_property_readonly("num_in_flight", &SteadyCalls::num_in_flight)
      .def_property_readonly("count", &SteadyCalls::count)
      .def_property_readonly("ready", &SteadyCalls::ready)
      .def_property_readonly("last_ids", &SteadyCalls::last_ids)
      .def_property_readonly("last", &SteadyCalls::last);
#endif
}
