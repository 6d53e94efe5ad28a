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
#include "fast_path.h"
#endif

PYBIND11_MODULE(_native, module) {
#ifdef __linux__
  namespace py = pybind11;
  using envpool::ray_family::ActionReader;
  using envpool::ray_family::FastPath;
  using envpool::ray_family::ResultLayout;
  py::class_<FastPath>(module, "FastPath")
      .def(py::init([](const std::vector<std::tuple<int, int, int, bool>>& channels,
                       const py::list& fields, const py::object& tree, py::dtype action_dtype,
                       std::vector<py::ssize_t> action_item, std::vector<std::uint64_t> action_most,
                       int batch_size, int buffer_rows, py::object acquire, py::object header) {
             return std::make_unique<FastPath>(
                 channels, ResultLayout(fields, tree),
                 ActionReader(std::move(action_dtype), std::move(action_item),
                              std::move(action_most)),
                 batch_size, buffer_rows, std::move(acquire), std::move(header));
           }),
           py::kw_only(), py::arg("channels"), py::arg("fields"), py::arg("tree"),
           py::arg("action_dtype"), py::arg("action_item"), py::arg("action_most"),
           py::arg("batch_size"), py::arg("buffer_rows"), py::arg("acquire"), py::arg("header"))
      .def("expect",
           [](FastPath& self, std::size_t channel, bool shared, int rows, const py::bytes& header,
              std::vector<std::size_t> fields) {
             self.Expect(channel, shared, rows, header, std::move(fields));
           })
      .def("expects", &FastPath::Expects)
      .def("arm", &FastPath::Arm)
      .def("settle", &FastPath::Settle)
      .def("retire", &FastPath::Retire)
      .def("step", &FastPath::Step)
      .def("send", &FastPath::Send)
      .def("recv", &FastPath::Recv)
      .def("take_back", &FastPath::TakeBack)
      .def_property_readonly("busy", &FastPath::busy)
      .def_property_readonly("num_in_flight", &FastPath::num_in_flight)
      .def_property_readonly("count", &FastPath::count)
      .def_property_readonly("last", &FastPath::last);
#endif
}
