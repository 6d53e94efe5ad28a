// SPDX-License-Identifier: Apache-2.0
// The animations of players, which all games of a process share. To read them takes a tenth of a
// second, and they are half of what a game needs of memory.
#pragma once

namespace envpool::gfootball {

/// Gives the thread's game the animations, which are read when the first game asks. Nothing of them
/// is written after that: what they compute when they are asked first is computed here, and what
/// they are sorted by is the game's (`animOrder`, see cmake/alter.py).
void TakeAnimations();

}  // namespace envpool::gfootball
