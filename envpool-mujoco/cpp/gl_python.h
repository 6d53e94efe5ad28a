// SPDX-License-Identifier: Apache-2.0
// Python functions that report on OpenGL.
//
//   envpool::mujoco::RegisterGl(m);
//   gl_info()                              -> ("EGL", "llvmpipe (...)", "4.5 (...)")
//   look_for_gl("libEGL.so.1", "libOSMesa.so.8")   # for tests, before the first frame
#pragma once

#include <pybind11/pybind11.h>

#include <stdexcept>
#include <string>

#include "envpool_mujoco/detail/gl.h"
#include "envpool_mujoco/renderer.h"

namespace envpool::mujoco {

inline void RegisterGl(pybind11::module_& m) {
  namespace py = pybind11;
  m.def(
      "gl_info",
      [] {
        GlInfo info;
        {
          const py::gil_scoped_release release;
          info = FindGl();  // a RuntimeError if there is no OpenGL
        }
        return py::make_tuple(info.library, info.renderer, info.version);
      },
      "Library, renderer and version of OpenGL. Raises RuntimeError if there is none.");
  m.def(
      "look_for_gl",
      [](const std::string& egl, const std::string& osmesa) { GlPlatform::LookFor({egl, osmesa}); },
      py::arg("egl"), py::arg("osmesa"));
}

}  // namespace envpool::mujoco
