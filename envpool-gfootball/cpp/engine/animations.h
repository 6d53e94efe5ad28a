// SPDX-License-Identifier: Apache-2.0
// The players' animations, which all games of a process share. Reading them takes a tenth of a
// second, and they are half of a game's memory.
#pragma once

namespace envpool::gfootball {

/// Gives the thread's game the animations, which are read when the first game needs them. They are
/// not written afterwards: values that they would compute lazily are computed here, and their sort
/// key belongs to the game (`animOrder`, see cmake/alter.py).
void TakeAnimations();

}  // namespace envpool::gfootball
