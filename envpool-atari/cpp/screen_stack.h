// SPDX-License-Identifier: Apache-2.0
// ScreenStack: the last screens of an environment, as an observation shows them.
//
//   ScreenStack stack(options);
// Draw(stack.Next(observation));  // draws the next screen
// stack.Push(observation);        // puts the older screens before it, the oldest first
//
// If the colors are an observation's last axis, the pixels of all screens alternate. The screens
// are then stacked in other memory, and Push interleaves their pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "envpool/frame_stack.h"
#include "options.h"
#include "repeats.h"

namespace envpool::atari {

class ScreenStack {
 public:
  /// A stack of black screens.
  explicit ScreenStack(const Options& options)
      : depth_(options.obs_type == ObsType::kScreen ? static_cast<std::size_t>(options.stack_num)
                                                    : 1),
        channels_(static_cast<std::size_t>(options.Channels())),
        row_(static_cast<std::size_t>(options.img_width) *
             (options.layout == Layout::kChannelFirst ? 1 : channels_)),
        size_(static_cast<std::size_t>(options.img_width * options.img_height) * channels_),
        interleaved_(options.layout == Layout::kChannelLast && depth_ > 1),
        screens_(static_cast<int>(depth_), size_) {}

  /// The memory for the next screen, before Push or Fill of the same observation.
  std::uint8_t* Next(std::uint8_t* observation) const {
    return screens_.Newest(interleaved_ ? Stacked() : observation);
  }
  /// Makes the screen in Next() the newest screen, and completes the observation.
  void Push(std::uint8_t* observation) {
    screens_.Push(interleaved_ ? Stacked() : observation);
    if (interleaved_) Interleave(observation);
  }
  /// Makes all screens equal to the screen in Next(), and completes the observation.
  void Fill(std::uint8_t* observation) {
    screens_.Fill(interleaved_ ? Stacked() : observation);
    if (interleaved_) Interleave(observation);
  }
  /// Makes all screens but the one in Next() black.
  void Clear() { screens_.Clear(); }

  /// Writes the screens that later observations show, compressed.
  template <typename Writer>
  void SaveState(Writer& out) const {
    const std::span<char> ring = Ring();
    out.Write(static_cast<std::uint32_t>(screens_.oldest()),
              EncodeRepeats({ring.data(), ring.size()}, Usual()));
  }
  /// Throws std::out_of_range if the bytes are not those of a stack of this size.
  template <typename Reader>
  void LoadState(Reader& in) {
    std::uint32_t oldest = 0;
    std::string code;
    in.Read(oldest, code);
    DecodeRepeats(code, Ring(), Usual());
    screens_.set_oldest(oldest);
  }

 private:
  /// Memory for the screens of an observation, one after the other.
  std::uint8_t* Stacked() const {
    thread_local std::vector<std::uint8_t> screens;
    if (screens.size() < depth_ * size_) screens.resize(depth_ * size_);
    return screens.data();
  }
  /// Writes an observation from Stacked().
  void Interleave(std::uint8_t* observation) const {
    const std::uint8_t* screen = Stacked();
    for (std::size_t place = 0; place < depth_; ++place, screen += size_) {
      std::uint8_t* to = observation + place * channels_;
      for (std::size_t i = 0; i < size_; i += channels_, to += depth_ * channels_) {
        for (std::size_t c = 0; c < channels_; ++c) to[c] = screen[i + c];
      }
    }
  }
  std::span<char> Ring() const {
    const std::span<std::uint8_t> ring = screens_.ring();
    return {reinterpret_cast<char*>(ring.data()), ring.size()};
  }
  /// A screen resembles the screen before, and a line resembles the line above.
  UsualDistances Usual() const { return {.near = row_, .far = size_}; }

  std::size_t depth_;
  std::size_t channels_;
  std::size_t row_;   // bytes of a line of one screen
  std::size_t size_;  // bytes of one screen
  bool interleaved_;
  FrameStack<std::uint8_t> screens_;
};

}  // namespace envpool::atari
