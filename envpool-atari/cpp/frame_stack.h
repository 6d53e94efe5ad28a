// SPDX-License-Identifier: Apache-2.0
// The last few screens of an environment, as an observation shows them.
//
//   FrameStack stack(options);
//   Draw(stack.Next(observation));  // where the screen that is to come is to be drawn
//   stack.Push(observation);        // the older ones are put before it, the oldest first
//
// The older screens are a ring. A new one is drawn straight into the observation, the older ones
// are copied to it once, and the new one takes the place of the oldest. A stack of one keeps
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "options.h"
#include "repeats.h"

namespace atari {

class FrameStack {
 public:
  /// A stack of black screens.
  explicit FrameStack(const Options& options)
      : depth_(options.obs_type == ObsType::kScreen ? static_cast<std::size_t>(options.stack_num)
                                                    : 1),
        channels_(static_cast<std::size_t>(options.Channels())),
        row_(static_cast<std::size_t>(options.img_width) *
             (options.layout == Layout::kChannelFirst ? 1 : channels_)),
        size_(static_cast<std::size_t>(options.img_width * options.img_height) * channels_),
        interleaved_(options.layout == Layout::kChannelLast && depth_ > 1),
        ring_(depth_ > 1 ? std::make_unique<std::uint8_t[]>((depth_ - 1) * size_) : nullptr) {}

  /// Where the next screen is to be drawn, before Push or Fill of the same observation.
  std::uint8_t* Next(std::uint8_t* observation) const {
    return interleaved_ ? Scratch() : observation + (depth_ - 1) * size_;
  }
  /// The screen in Next() becomes the newest one; completes the observation.
  void Push(std::uint8_t* observation) {
    if (depth_ == 1) return;
    if (interleaved_) {
      for (std::size_t i = 0; i + 1 < depth_; ++i)
        Interleave(Older(depth_ - 1 - i), i, observation);
      Interleave(Scratch(), depth_ - 1, observation);
    } else {
      const std::size_t first = (depth_ - 1 - oldest_) * size_;
      std::memcpy(observation, ring_.get() + oldest_ * size_, first);
      std::memcpy(observation + first, ring_.get(), oldest_ * size_);
    }
    std::memcpy(ring_.get() + oldest_ * size_, Next(observation), size_);
    oldest_ = (oldest_ + 1) % (depth_ - 1);
  }
  /// The screen in Next() becomes all of them; completes the observation.
  void Fill(std::uint8_t* observation) {
    for (std::size_t i = 0; i + 1 < depth_; ++i) {
      std::memcpy(ring_.get() + i * size_, Next(observation), size_);
    }
    Push(observation);
  }
  /// All screens but the one in Next() become black.
  void Clear() {
    if (depth_ > 1) std::memset(ring_.get(), 0, (depth_ - 1) * size_);
  }

  /// Writes the screens that later observations show, as few bytes.
  template <typename Writer>
  void SaveState(Writer& out) const {
    out.Write(static_cast<std::uint32_t>(oldest_),
              EncodeRepeats({Ring().data(), Ring().size()}, Usual()));
  }
  /// Throws std::out_of_range if the bytes are not of such a stack.
  template <typename Reader>
  void LoadState(Reader& in) {
    std::uint32_t oldest = 0;
    std::string code;
    in.Read(oldest, code);
    DecodeRepeats(code, Ring(), Usual());
    if (oldest != 0 && oldest + 1 >= depth_) throw std::out_of_range("a stack of other screens");
    oldest_ = oldest;
  }

 private:
  /// The screen that is `age` older than the one that is to come.
  std::uint8_t* Older(std::size_t age) const {
    return ring_.get() + (oldest_ + depth_ - 1 - age) % (depth_ - 1) * size_;
  }
  std::uint8_t* Scratch() const {
    thread_local std::vector<std::uint8_t> screen;
    if (screen.size() < size_) screen.resize(size_);
    return screen.data();
  }
  /// Puts the pixels of a screen where number `place` of them belongs.
  void Interleave(const std::uint8_t* screen, std::size_t place, std::uint8_t* observation) const {
    std::uint8_t* to = observation + place * channels_;
    for (std::size_t i = 0; i < size_; i += channels_, to += depth_ * channels_) {
      for (std::size_t c = 0; c < channels_; ++c) to[c] = screen[i + c];
    }
  }
  std::span<char> Ring() const {
    return {reinterpret_cast<char*>(ring_.get()), (depth_ - 1) * size_};
  }
  /// A screen is much like the one before, and a line like the one above.
  UsualDistances Usual() const { return {.near = row_, .far = size_}; }

  std::size_t depth_;
  std::size_t channels_;
  std::size_t row_;   // bytes of a line of one screen
  std::size_t size_;  // bytes of one screen
  bool interleaved_;
  std::size_t oldest_ = 0;
  std::unique_ptr<std::uint8_t[]> ring_;
};

}  // namespace atari
