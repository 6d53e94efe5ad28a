// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-classic: eleven games of classic control and toy text, Taxi in two
// versions. Python: `envpool.make("CartPole-v1")`.

// Before module.h, which otherwise defines its own PYBIND11_MODULE.
// clang-format off
#include <pybind11/numpy.h>

#include "envpool/module.h"
// clang-format on

#include "acrobot.h"
#include "blackjack.h"
#include "cartpole.h"
#include "catch.h"
#include "cliff_walking.h"
#include "frozen_lake.h"
#include "mountain_car.h"
#include "mountain_car_continuous.h"
#include "nchain.h"
#include "pendulum.h"
#include "render/sprites.h"
#include "taxi.h"

namespace classic = envpool::classic;

namespace {

void SetSprite(const std::string& name,
               const pybind11::array_t<std::uint8_t, pybind11::array::c_style>& rgba) {
  if (rgba.ndim() != 3 || rgba.shape(2) != 4) {
    throw std::invalid_argument("sprite " + name + " needs the shape (height, width, 4)");
  }
  classic::SpriteStore::Set(name, static_cast<int>(rgba.shape(0)), static_cast<int>(rgba.shape(1)),
                            rgba.data());
}

}  // namespace

PYBIND11_MODULE(_classic, m) {
  envpool::Register<classic::Acrobot>(m, "Acrobot");
  envpool::Register<classic::Blackjack>(m, "Blackjack");
  envpool::Register<classic::CartPole>(m, "CartPole");
  envpool::Register<classic::Catch>(m, "Catch");
  envpool::Register<classic::CliffWalking>(m, "CliffWalking");
  envpool::Register<classic::FrozenLake>(m, "FrozenLake");
  envpool::Register<classic::MountainCar>(m, "MountainCar");
  envpool::Register<classic::MountainCarContinuous>(m, "MountainCarContinuous");
  envpool::Register<classic::NChain>(m, "NChain");
  envpool::Register<classic::Pendulum>(m, "Pendulum");
  envpool::Register<classic::Taxi>(m, "Taxi");
  envpool::Register<classic::TaxiV4>(m, "TaxiV4");
  m.def("set_sprite", SetSprite, pybind11::arg("name"), pybind11::arg("rgba"),
        "Keeps an image that drawings are composed of: uint8 (height, width, 4), RGBA.");
}
