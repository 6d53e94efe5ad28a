// SPDX-License-Identifier: Apache-2.0
#include "observation.h"

#include <algorithm>
#include <cstring>

namespace vizdoom {

std::vector<ImageKind> ImageKinds(const Scenario& scenario, const ObservationOptions& options) {
  std::vector<ImageKind> kinds{{"screen", scenario.channels()}};
  if (options.depth) kinds.push_back({"depth", 1});
  if (options.labels) kinds.push_back({"labels", 1});
  if (options.automap) kinds.push_back({"automap", scenario.channels()});
  return kinds;
}

int SoundLength(const Scenario& scenario) {
  return static_cast<int>(scenario.audio_rate / scenario.tics_per_second * scenario.audio_tics);
}

Observation::Observation(const Scenario& scenario, const ObservationOptions& options) {
  const ImageSize screen{scenario.width, scenario.height};
  for (const ImageKind& kind : ImageKinds(scenario, options)) {
    const Region region = kind.name == "depth"     ? &EngineMemory::depth
                          : kind.name == "labels"  ? &EngineMemory::labels
                          : kind.name == "automap" ? &EngineMemory::automap
                                                   : &EngineMemory::screen;
    // The numbers of labels have no mean, and those of a palette neither.
    const bool names = kind.name == "labels" ||
                       (kind.name != "depth" && scenario.format == ScreenFormat::kPalette);
    const Resize::Method method = names             ? Resize::Method::kNearest
                                  : options.by_area ? Resize::Method::kArea
                                                    : Resize::Method::kLinear;
    images_.push_back({region, kind.channels, Resize(method, screen, options.size),
                       FrameStack(options.stack, static_cast<std::size_t>(kind.channels) *
                                                     options.size.pixels())});
  }
  if (options.audio) sound_.resize(2 * static_cast<std::size_t>(SoundLength(scenario)));
}

void Observation::Look(const Engine& engine, bool first) {
  for (Image& image : images_) {
    const auto pixels = (engine.memory().*image.region)();
    image.resize(pixels.data(), image.channels, image.frames.Push(), scratch_);
    if (first) image.frames.Fill();
  }
  const auto bytes = engine.memory().audio();
  std::memcpy(sound_.data(), bytes.data(),
              std::min(bytes.size(), sound_.size() * sizeof(std::int16_t)));
}

}  // namespace vizdoom
