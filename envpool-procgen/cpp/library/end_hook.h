// SPDX-License-Identifier: Apache-2.0
// EndHook: is called before a game of the library makes its next level.
//
// The library draws a frame only after it has made the next level, so the last frame of an episode
// is never drawn. Its step calls the game's virtual function "make the next level". The hook gives
// a game a copy of its table of virtual functions, with that entry replaced; the replacement is
// called first, and can ask the game to draw.
//
// This relies on the library's binary layout. All of it is checked; if a check fails there is no
// hook, and games lack their last frames:
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
  /// A new level is about to be made; `draw` draws the frame of the present level.
  virtual void BeforeNewLevel(void (*draw)(void* game), void* game) = 0;

  /// While an object exists, games in this thread call `hook`.
  class Listening {
   public:
    explicit Listening(EndHook* hook);
    ~Listening();
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;
  };
  /// Makes a game call the hook. Returns "", or the failed check.
  static std::string Attach(const Library& library, void* handle, const std::string& game_name);
};

}  // namespace envpool::procgen
