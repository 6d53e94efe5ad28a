// SPDX-License-Identifier: Apache-2.0
#include "envpool/module.h"
#include "envpool/pixels.h"
#include "maze.h"
#include "register.h"

namespace envpool::robotics {

void RegisterMaze(pybind11::module_& m) {
  Register<PointMaze>(m, "PointMaze");
  Register<FromPixels<PointMaze>>(m, "PointMazePixels");
  Register<AntMaze>(m, "AntMaze");
  Register<FromPixels<AntMaze>>(m, "AntMazePixels");
}

}  // namespace envpool::robotics
