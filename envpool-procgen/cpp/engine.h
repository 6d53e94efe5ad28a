// SPDX-License-Identifier: Apache-2.0
// Engine: one running game, whoever computes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "settings.h"

namespace envpool::procgen {

inline constexpr int kSide = 64;  ///< pixels of a frame's side
inline constexpr std::size_t kFrameBytes = std::size_t{kSide} * kSide * 3;
inline constexpr int kPictureSide = 512;  ///< pixels of the side of a picture for people
inline constexpr int kNumActions = 15;
inline constexpr int kEndEpisode = -1;  ///< an action: does nothing, then ends the episode

/// What an engine says after it was made and after each action.
struct Outcome {
  float reward = 0;
  bool ended = true;  ///< the frame is the first one of a new episode
  std::int32_t previous_level = 0;
  bool level_complete = false;
  std::int32_t level = 0;
};

/// A game in its first level, or in any later one. When an action ends an episode the engine goes
/// on to the next level by itself, as Procgen does.
class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  /// Takes an action, 0 .. 14 or kEndEpisode.
  virtual void Act(int action) = 0;
  /// What the last action, or a load, gave.
  virtual Outcome outcome() const = 0;
  /// The frame, 64 x 64 x 3 bytes, RGB.
  virtual const std::uint8_t* frame() const = 0;
  /// Whether last_frame() is there.
  virtual bool knows_last_frames() const = 0;
  /// The last frame of the episode that ended in the last action, if that ended one.
  virtual const std::uint8_t* last_frame() const = 0;
  /// The state when that frame was drawn; empty where nobody asked for it.
  virtual const std::string& last_state() const = 0;

  /// Whether it can be saved.
  virtual bool saves() const = 0;
  /// Everything that it is, in the layout of Procgen's own states.
  virtual std::string Save() const = 0;
  /// Comes back to a saved state, of the same game and kind of engine.
  virtual void Load(const std::string& state) = 0;
  /// From which levels the next ones are drawn.
  virtual LevelRange levels() const = 0;
  virtual void SetLevels(LevelRange levels) = 0;
};

}  // namespace envpool::procgen
