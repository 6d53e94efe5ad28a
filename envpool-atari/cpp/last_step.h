// SPDX-License-Identifier: Apache-2.0
// What an environment did last, so that it can be done again with the screen drawn.
//
//   last.Begin(game, move);  // before the frames
//   last.frames = 3;         // as they are played
//   ...
//   last.Restart(game);      // to play the same 3 frames again
//
// Frames that nobody looks at are not drawn, and a saved state has no pixels: when they are wanted
// after all, they are found in this way.
#pragma once

#include <cstdint>

#include "games/game.h"
#include "joystick.h"
#include "snapshot.h"

namespace atari {

class LastStep {
 public:
  /// Frames with an action are about to be played.
  void Begin(const Game& game, const Move& move) {
    before_.Take(game);
    move_ = move;
    frames = 0;
    starts_ = false;
  }
  /// A new game is about to be started.
  void BeginStart(const Game& game) {
    Begin(game, {});
    starts_ = true;
  }

  /// Goes back to where it began, with no frames played.
  void Restart(Game& game) {
    before_.Restore(game);
    frames = 0;
  }
  /// Whether a new game is started before the frames.
  bool starts_game() const { return starts_; }
  /// What is done in each of the frames.
  const Move& move() const { return move_; }

  std::int32_t frames = 0;  ///< that have been played since Begin

 private:
  Snapshot<> before_;
  Move move_;
  bool starts_ = false;
};

}  // namespace atari
