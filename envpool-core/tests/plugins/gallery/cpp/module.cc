// SPDX-License-Identifier: Apache-2.0
// The extension module: walks, and walks that are seen by their images.
#include <envpool/module.h>
#include <envpool/pixels.h>
#include <pybind11/stl.h>

#include "walk.h"

PYBIND11_MODULE(_gallery, m) {
  envpool::Register<gallery::Walk>(m, "Walk");
  envpool::Register<envpool::FromPixels<gallery::Walk>>(m, "WalkPixels");
  m.def("plans_read", [] { return gallery::plans_read.load(); });
  // The palette of the images, which Python reads from a file.
  m.def("set_palette", [](const std::vector<std::uint8_t>& rgb) { gallery::Palette() = rgb; });
}
