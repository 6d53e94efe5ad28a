// SPDX-License-Identifier: Apache-2.0
// The frames of `render`: the engine's screen, as last drawn.
#pragma once

#include <utility>

#include "engine_process/engine.h"
#include "game/scenario.h"
#include "image/resize.h"

namespace envpool::vizdoom {

/// The size of a rendered picture; 0: not given. One side alone keeps the screen's proportions.
std::pair<int, int> PictureSize(const Scenario& scenario, int width, int height);

/// Draws into height x width x 3 bytes.
void DrawPicture(const Scenario& scenario, const Engine& engine, drawing::Size size,
                 unsigned char* rgb);

}  // namespace envpool::vizdoom
