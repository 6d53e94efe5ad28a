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
#include "express.h"
#endif

PYBIND11_MODULE(_native, module) {
#ifdef __linux__
  namespace py = pybind11;
  using envpool_ray::Actions;
  using envpool_ray::Express;
  using envpool_ray::Layout;
  py::class_<Express>(module, "Express")
      .def(py::init([](const std::vector<std::tuple<int, int, int, bool>>& lanes,
                       const py::list& fields, const py::object& tree, py::dtype action_dtype,
                       std::vector<py::ssize_t> action_item, std::vector<std::uint64_t> action_most,
                       int batch_size, int chunk_rows, py::object lease, py::object head) {
             return std::make_unique<Express>(
                 lanes, Layout(fields, tree),
                 Actions(std::move(action_dtype), std::move(action_item), std::move(action_most)),
                 batch_size, chunk_rows, std::move(lease), std::move(head));
           }),
           py::kw_only(), py::arg("lanes"), py::arg("fields"), py::arg("tree"),
           py::arg("action_dtype"), py::arg("action_item"), py::arg("action_most"),
           py::arg("batch_size"), py::arg("chunk_rows"), py::arg("lease"), py::arg("head"))
      .def("expect",
           [](Express& self, std::size_t lane, bool shared, int rows, const py::bytes& head,
              std::vector<std::size_t> fields) {
             self.Expect(lane, shared, rows, head, std::move(fields));
           })
      .def("expects", &Express::Expects)
      .def("arm", &Express::Arm)
      .def("settle", &Express::Settle)
      .def("retire", &Express::Retire)
      .def("step", &Express::Step)
      .def("send", &Express::Send)
      .def("recv", &Express::Recv)
      .def("take_back", &Express::TakeBack)
      .def_property_readonly("busy", &Express::busy)
      .def_property_readonly("num_in_flight", &Express::num_in_flight)
      .def_property_readonly("count", &Express::count)
      .def_property_readonly("last", &Express::last);
#endif
}
