// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-mujoco. Python: `envpool.make("Ant-v5")`.

#include "envpool/module.h"

#include <string>

#include "envpool/pixels.h"
#include "gymnasium/ant.h"
#include "gymnasium/half_cheetah.h"
#include "rendering/python.h"

namespace mujoco {
namespace {

/// A task, and the same with images as observations: "Ant" and "AntPixels".
template <typename E>
void Register(pybind11::module_& m, const std::string& name) {
  envpool::Register<E>(m, name.c_str());
  envpool::Register<envpool::FromPixels<E>>(m, (name + "Pixels").c_str());
}

}  // namespace
}  // namespace mujoco

PYBIND11_MODULE(_mujoco, m) {
  mujoco::RegisterGl(m);
  mujoco::Register<mujoco::Ant>(m, "Ant");
  mujoco::Register<mujoco::HalfCheetah>(m, "HalfCheetah");
}
