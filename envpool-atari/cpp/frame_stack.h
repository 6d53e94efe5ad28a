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
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "options.h"
#include "zero_runs.h"

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

  /// The screens that later observations show, as few bytes: each without what the newer one next
  /// to it has in the same place, the newest without the line above.
  std::string Save() const;
  /// Throws std::out_of_range if the bytes are not of such a stack.
  void Load(std::string_view code);

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
  /// XORs the bytes of `to` from `begin` on with those of `from`, line after line.
  void Subtract(std::uint8_t* to, const std::uint8_t* from, std::size_t begin) const {
    for (std::size_t at = begin; at < size_; at += row_) {
      for (std::size_t i = at; i < at + row_; ++i) to[i] ^= from[i];
    }
  }

  std::size_t depth_;
  std::size_t channels_;
  std::size_t row_;   // bytes of a line of one screen
  std::size_t size_;  // bytes of one screen
  bool interleaved_;
  std::size_t oldest_ = 0;
  std::unique_ptr<std::uint8_t[]> ring_;
};

inline std::string FrameStack::Save() const {
  std::string code;
  std::vector<std::uint8_t> rest(size_);
  for (std::size_t age = 1; age < depth_; ++age) {
    const std::uint8_t* screen = Older(age);
    std::memcpy(rest.data(), screen, size_);
    if (age == 1) {
      Subtract(rest.data(), screen - row_, row_);
    } else {
      Subtract(rest.data(), Older(age - 1), 0);
    }
    EncodeZeroRuns(rest, code);
  }
  return code;
}

inline void FrameStack::Load(std::string_view code) {
  for (std::size_t age = 1; age < depth_; ++age) {
    std::uint8_t* screen = Older(age);
    DecodeZeroRuns(code, {screen, size_});
    if (age == 1) {
      Subtract(screen, screen - row_, row_);  // line by line: each one needs the one above
    } else {
      Subtract(screen, Older(age - 1), 0);
    }
  }
  if (!code.empty()) throw std::out_of_range("more screens than the stack has");
}

}  // namespace atari
