// SPDX-License-Identifier: Apache-2.0
#include "observation.h"

#include <algorithm>
#include <cstring>

namespace envpool::vizdoom {

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
  const drawing::Size screen{scenario.width, scenario.height};
  for (const ImageKind& kind : ImageKinds(scenario, options)) {
    const Region region = kind.name == "depth"     ? &EngineMemory::depth
                          : kind.name == "labels"  ? &EngineMemory::labels
                          : kind.name == "automap" ? &EngineMemory::automap
                                                   : &EngineMemory::screen;
    // Neither the numbers of labels nor the indices of a palette have a mean.
    const bool names = kind.name == "labels" ||
                       (kind.name != "depth" && scenario.format == ScreenFormat::kPalette);
    const Resize::Method method = names             ? Resize::Method::kNearest
                                  : options.by_area ? Resize::Method::kArea
                                                    : Resize::Method::kLinear;
    const std::size_t size = static_cast<std::size_t>(kind.channels) * options.size.Pixels();
    images_.push_back({region, kind.channels, Resize(method, screen, options.size),
                       FrameStack<std::uint8_t>(options.stack, size),
                       std::vector<std::uint8_t>(static_cast<std::size_t>(options.stack) * size)});
  }
  if (options.audio) sound_.resize(2 * static_cast<std::size_t>(SoundLength(scenario)));
}

void Observation::Look(const Engine& engine, bool first) {
  for (Image& image : images_) {
    const auto pixels = (engine.memory().*image.region)();
    std::uint8_t* const stacked = image.stacked.data();
    image.resize(pixels.data(), image.channels, image.frames.Newest(stacked), scratch_);
    first ? image.frames.Fill(stacked) : image.frames.Push(stacked);
  }
  const auto bytes = engine.memory().audio();
  const std::size_t size = std::min(bytes.size(), sound_.size() * sizeof(std::int16_t));
  if (size > 0) std::memcpy(sound_.data(), bytes.data(), size);  // without sound both are null
}

}  // namespace envpool::vizdoom
