// SPDX-License-Identifier: Apache-2.0
// Engine: one running game, computed here or by the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "settings.h"

namespace envpool::procgen {

inline constexpr int kSide = 64;  ///< pixels of a frame's side
inline constexpr std::size_t kFrameBytes = std::size_t{kSide} * kSide * 3;
inline constexpr int kPictureSide = 512;  ///< side in pixels of a picture of `render`
inline constexpr int kNumActions = 15;
inline constexpr int kEndEpisode = -1;  ///< an action that does nothing and ends the episode

/// The engine's outcome after it was made and after each action.
struct Outcome {
  float reward = 0;
  bool ended = true;  ///< true: the frame is the first frame of a new episode
  std::int32_t previous_level = 0;
  bool level_complete = false;
  std::int32_t level = 0;
};

/// A game in its first level or in a later level. When an action ends an episode the engine begins
/// the next level by itself, as Procgen does.
class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  /// Takes an action, 0 .. 14 or kEndEpisode.
  virtual void Act(int action) = 0;
  /// The outcome of the last action, or of a load.
  virtual Outcome outcome() const = 0;
  /// The frame, 64 x 64 x 3 bytes, RGB.
  virtual const std::uint8_t* frame() const = 0;
  /// True if last_frame() is available.
  virtual bool knows_last_frames() const = 0;
  /// The last frame of the episode that the last action ended.
  virtual const std::uint8_t* last_frame() const = 0;
  /// The state at that frame; empty if it was not requested.
  virtual const std::string& last_state() const = 0;

  /// True if the game can be saved.
  virtual bool saves() const = 0;
  /// The whole state, in the layout of Procgen's own states.
  virtual std::string Save() const = 0;
  /// Restores a saved state of the same game and kind of engine.
  virtual void Load(const std::string& state) = 0;
  /// The range from which the next levels are drawn.
  virtual LevelRange levels() const = 0;
  virtual void SetLevels(LevelRange levels) = 0;
};

}  // namespace envpool::procgen
