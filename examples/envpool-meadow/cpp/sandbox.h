// SPDX-License-Identifier: Apache-2.0
// Sandbox: a meadow to set up by hand, for tests and for a look at how things move.
//
//   from envpool_meadow._meadow import Sandbox
//   box = Sandbox(16.0, 12.0)
//   fox = box.add_fox(0.0, 0.0, heading=0.0, velocity=(1.0, 0.0))
//   box.advance(np.array([[1.0, 0.0]]), np.array([0]))
//   box.position  # (1, 2)
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "draw_animals.h"
#include "draw_ground.h"
#include "lidar.h"
#include "physics.h"
#include "view.h"
#include "world.h"

namespace meadow {

class Sandbox {
 public:
  template <typename T>
  using Array = pybind11::array_t<T, pybind11::array::c_style | pybind11::array::forcecast>;
  using Pair = std::pair<double, double>;

  Sandbox(double width, double height) : world_{.half_size = {width / 2, height / 2}} {}

  std::size_t Add(Kind kind, double x, double y, double heading, Pair velocity) {
    world_.animals.push_back({.position = {x, y},
                              .velocity = {velocity.first, velocity.second},
                              .heading = heading,
                              .kind = kind});
    return world_.animals.size() - 1;
  }
  void AddStone(double x, double y, double radius) { world_.stones.push_back({{x, y}, radius}); }
  void AddClover(double x, double y) { world_.clovers.push_back({x, y}); }

  void Advance(const Array<double>& move, const Array<int>& leap) {
    const auto n = static_cast<pybind11::ssize_t>(world_.animals.size());
    if (move.ndim() != 2 || move.shape(0) != n || move.shape(1) != 2 || leap.size() != n) {
      throw std::invalid_argument("move has the shape (animals, 2), leap (animals,)");
    }
    std::vector<Command> commands;
    for (pybind11::ssize_t i = 0; i < n; ++i) {
      commands.push_back({move.at(i, 0), move.at(i, 1), leap.at(i) != 0});
    }
    meadow::Advance(world_, commands);
  }

  Array<float> Scan(std::size_t index, int rays, double range) const {
    Array<float> out({static_cast<pybind11::ssize_t>(rays), pybind11::ssize_t{kSights}});
    if (index >= world_.animals.size()) throw std::out_of_range("there is no such animal");
    Lidar(rays, range).Scan(world_, index, out.mutable_data());
    return out;
  }

  Array<std::uint8_t> Draw(int width, int height, bool plain) const {
    Array<std::uint8_t> out({height, width, 3});
    const Canvas canvas{out.mutable_data(), width, height};
    const View view = WholeMeadow(world_.half_size, width, height);
    const Finish finish = plain ? Finish::kPlain : Finish::kFull;
    DrawGround(canvas, view, world_, finish);
    for (const Animal& animal : world_.animals) DrawAnimal(canvas, view, animal, finish);
    return out;
  }

  Array<double> Position() const {
    return Column([](const Animal& animal) { return animal.position; });
  }
  Array<double> Velocity() const {
    return Column([](const Animal& animal) { return animal.velocity; });
  }
  std::vector<double> Heading() const {
    std::vector<double> result;
    for (const Animal& animal : world_.animals) result.push_back(animal.heading);
    return result;
  }
  std::vector<int> CaughtBy() const {
    std::vector<int> result;
    for (const Animal& animal : world_.animals) result.push_back(animal.caught_by);
    return result;
  }

 private:
  template <typename Member>
  Array<double> Column(const Member& member) const {
    Array<double> out({world_.animals.size(), std::size_t{2}});
    double* to = out.mutable_data();
    for (const Animal& animal : world_.animals) {
      const Vec value = member(animal);
      *to++ = value.x;
      *to++ = value.y;
    }
    return out;
  }

  World world_;
};

inline void BindSandbox(pybind11::module_& m) {
  namespace py = pybind11;
  const auto adder = [](Kind kind) {
    return [kind](Sandbox& box, double x, double y, double heading, Sandbox::Pair velocity) {
      return box.Add(kind, x, y, heading, velocity);
    };
  };
  const auto heading = py::arg("heading") = 0.0;
  const auto velocity = py::arg("velocity") = Sandbox::Pair{0.0, 0.0};
  py::class_<Sandbox>(m, "Sandbox", py::module_local())
      .def(py::init<double, double>(), py::arg("width"), py::arg("height"))
      .def("add_fox", adder(Kind::kFox), py::arg("x"), py::arg("y"), heading, velocity)
      .def("add_hare", adder(Kind::kHare), py::arg("x"), py::arg("y"), heading, velocity)
      .def("add_stone", &Sandbox::AddStone, py::arg("x"), py::arg("y"), py::arg("radius"))
      .def("add_clover", &Sandbox::AddClover, py::arg("x"), py::arg("y"))
      .def("advance", &Sandbox::Advance, py::arg("move"), py::arg("leap"))
      .def("scan", &Sandbox::Scan, py::arg("index"), py::arg("rays"), py::arg("range"))
      .def("draw", &Sandbox::Draw, py::arg("width"), py::arg("height"), py::arg("plain") = false)
      .def_property_readonly("position", &Sandbox::Position)
      .def_property_readonly("velocity", &Sandbox::Velocity)
      .def_property_readonly("heading", &Sandbox::Heading)
      .def_property_readonly("caught_by", &Sandbox::CaughtBy);
}

}  // namespace meadow
