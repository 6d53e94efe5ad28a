// SPDX-License-Identifier: Apache-2.0
// Observation: the engine's buffers of one player, resized and stacked.
//
//   Observation observation(scenario, options);
//   observation.Look(engine, true);  // the first observation of an episode
//   observation.CopyImages(kind, out);
//   observation.sound();
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine_process/engine.h"
#include "envpool/frame_stack.h"
#include "game/scenario.h"
#include "image/resize.h"

namespace envpool::vizdoom {

/// The observed buffers and their sizes.
struct ObservationOptions {
  bool depth = false, labels = false, automap = false, audio = false;
  drawing::Size size{84, 84};
  int stack = 4;
  bool by_area = true;
};

/// One kind of image.
struct ImageKind {
  std::string name;  ///< "screen", "depth", "labels", "automap"
  int channels;      ///< planes of one frame
};

/// The kinds of observed images, in order; the screen is always the first.
std::vector<ImageKind> ImageKinds(const Scenario& scenario, const ObservationOptions& options);
/// Number of samples for each ear.
int SoundLength(const Scenario& scenario);

class Observation {
 public:
  Observation(const Scenario& scenario, const ObservationOptions& options);

  /// Takes the engine's current buffers. `first`: they also fill the frames before.
  void Look(const Engine& engine, bool first);
  /// Copies the images of one kind, the oldest first.
  void CopyImages(std::size_t kind, std::uint8_t* out) const {
    std::copy(images_[kind].stacked.begin(), images_[kind].stacked.end(), out);
  }
  /// Bytes of the images of one kind.
  std::size_t bytes(std::size_t kind) const { return images_[kind].stacked.size(); }
  /// The sound of the last step.
  const std::vector<std::int16_t>& sound() const { return sound_; }

 private:
  using Region = std::span<const std::uint8_t> (EngineMemory::*)() const;
  struct Image {
    Region region;
    int channels;
    Resize resize;
    FrameStack<std::uint8_t> frames;
    std::vector<std::uint8_t> stacked;  ///< the last frames, the oldest first
  };
  std::vector<Image> images_;
  std::vector<std::int16_t> sound_;  // left and right alternate; empty: not observed
  Resize::Scratch scratch_;
};

}  // namespace envpool::vizdoom
