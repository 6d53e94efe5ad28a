// SPDX-License-Identifier: Apache-2.0
// What `render` shows: the engine's screen, of the last frame that it drew.
#pragma once

#include <utility>

#include "engine_process/engine.h"
#include "game/scenario.h"
#include "image/resize.h"

namespace envpool::vizdoom {

/// The size of the picture that is drawn when one is asked for; 0: no wish. One side alone keeps
/// the screen's shape.
std::pair<int, int> PictureSize(const Scenario& scenario, int width, int height);

/// Draws into height x width x 3 bytes.
void DrawPicture(const Scenario& scenario, const Engine& engine, drawing::Size size,
                 unsigned char* rgb);

}  // namespace envpool::vizdoom
