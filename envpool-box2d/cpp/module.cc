// SPDX-License-Identifier: Apache-2.0
// The compiled part of envpool-box2d. Python: `envpool.make("LunarLander-v3")`.

// Before module.h, which otherwise defines its own PYBIND11_MODULE.
// clang-format off
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "envpool/module.h"
// clang-format on

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bipedal_walker.h"
#include "car_racing.h"
#include "lunar_lander.h"

namespace {

using Ink = pybind11::array_t<std::uint8_t, pybind11::array::c_style | pybind11::array::forcecast>;

// `ink` has an array (height, width) for each of ScoreGlyphs::kCharacters, `kerning` 1/64 pixel for
// each pair of characters.
void SetScoreGlyphs(const std::vector<Ink>& ink, const std::vector<std::vector<int>>& kerning) {
  envpool::box2d::ScoreGlyphs glyphs;
  if (ink.size() != glyphs.glyphs.size() || kerning.size() != ink.size()) {
    throw std::invalid_argument("score glyphs are eleven characters");
  }
  for (std::size_t i = 0; i < ink.size(); ++i) {
    if (ink[i].ndim() != 2 || ink[i].shape(0) != ink[0].shape(0) ||
        kerning[i].size() != ink.size()) {
      throw std::invalid_argument("score glyphs are of shape (height, width), of one height");
    }
    glyphs.glyphs[i].width = static_cast<int>(ink[i].shape(1));
    glyphs.glyphs[i].ink.assign(ink[i].data(), ink[i].data() + ink[i].size());
    std::copy(kerning[i].begin(), kerning[i].end(), glyphs.kerning[i].begin());
  }
  glyphs.height = static_cast<int>(ink[0].shape(0));
  envpool::box2d::ScoreGlyphs::Set(std::move(glyphs));
}

}  // namespace

PYBIND11_MODULE(_box2d, m) {
  namespace box2d = envpool::box2d;
  envpool::Register<box2d::BipedalWalker>(m, "BipedalWalker");
  envpool::Register<box2d::CarRacing>(m, "CarRacing");
  envpool::Register<box2d::CarRacingDiscrete>(m, "CarRacingDiscrete");
  envpool::Register<box2d::LunarLander>(m, "LunarLander");
  envpool::Register<box2d::LunarLanderContinuous>(m, "LunarLanderContinuous");
  m.def("set_score_glyphs", SetScoreGlyphs, pybind11::arg("ink"), pybind11::arg("kerning"),
        "Keeps the characters of CarRacing's score.");
}
