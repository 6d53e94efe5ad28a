// SPDX-License-Identifier: Apache-2.0
// EndHook: calls us when a game of the library is about to make its next level.
//
// The library draws a frame after it has made the next level, so the last frame of an episode is
// never drawn. Its step calls the game's virtual function "make the next level"; a game whose table
// of virtual functions is a copy with that entry replaced tells us before, and can be asked to
// draw.
//
// This relies on how the library was compiled. Everything that is relied on is checked, and where a
// check fails there is no hook and games lack their last frames:
//   - handle: a VecGame with num_envs (int, byte 72), num_actions (int, byte 80) and a
//     std::vector<std::shared_ptr<Game>> (byte 88);
//   - entries of a game's table after the two destructors: 2 observe, 3 init, 4 make a level.
#pragma once

#include <string>

#include "library/library.h"

namespace envpool::procgen {

class EndHook {
 public:
  virtual ~EndHook() = default;
  /// A new level is about to be made; `draw` draws the frame of the present one.
  virtual void BeforeNewLevel(void (*draw)(void* game), void* game) = 0;

  /// While one exists, games that this thread runs tell `hook`.
  class Listening {
   public:
    explicit Listening(EndHook* hook);
    ~Listening();
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;
  };
  /// Has a game call the hook. Returns an empty text, or what of the above is not so.
  static std::string Attach(const Library& library, void* handle, const std::string& game_name);
};

}  // namespace envpool::procgen
