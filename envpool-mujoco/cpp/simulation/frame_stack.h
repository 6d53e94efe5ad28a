// SPDX-License-Identifier: Apache-2.0
// The options frame_skip and frame_stack, and the observations that a stack keeps.
//
//   FrameStack frames(4, size);
//   const auto observe = [&](double* out) { return Observe(out); };   // returns where it ends
//   frames.Push(first, observe);
//   frames.frame(0)[k]                                                // of the oldest
//   frames.Write(first, observe, out);                                // all of them
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/error.h"
#include "envpool/state_io.h"

namespace mujoco {

/// Throws OptionError unless both can be.
inline void CheckFrames(int frame_skip, int frame_stack) {
  // Beyond this the frames of one environment would take gigabytes.
  if (frame_stack < 1 || frame_stack > 1024) {
    throw envpool::OptionError("frame_stack", std::to_string(frame_stack), "1 .. 1024",
                               "pass a frame_stack in this range");
  }
  if (frame_skip < 1) {
    throw envpool::OptionError("frame_skip", std::to_string(frame_skip), "1 or more",
                               "pass how many steps of the simulation an action lasts");
  }
}

/// The last observations, oldest first.
class FrameStack {
 public:
  /// `count` observations of `size` numbers.
  FrameStack(int count, std::size_t size)
      : size_(size), frames_(static_cast<std::size_t>(count) * size) {}

  /// Adds what `observe` writes; the first of an episode stands for those before it, too.
  template <typename Observe>
  void Push(bool first, const Observe& observe) {
    double* newest = frames_.data() + frames_.size() - size_;
    if (!first) std::copy(frames_.data() + size_, frames_.data() + frames_.size(), frames_.data());
    Look(observe, newest);
    for (double* at = frames_.data(); first && at != newest; at += size_) {
      std::copy_n(newest, size_, at);
    }
  }
  /// The same, and writes all of them to `out`, the oldest first.
  template <typename Observe>
  void Write(bool first, const Observe& observe, double* out) {
    if (frames_.size() == size_)
      return Look(observe, out);  // which needs no memory of the last one
    Push(first, observe);
    std::copy(frames_.begin(), frames_.end(), out);
  }
  /// One of them, 0 being the oldest; the next lies behind it.
  const double* frame(std::size_t i) const { return frames_.data() + i * size_; }
  std::size_t count() const { return frames_.size() / std::max<std::size_t>(size_, 1); }

  void SaveState(envpool::StateWriter& out) const { out.Write(frames_); }
  void LoadState(envpool::StateReader& in) {
    std::vector<double> frames;
    in.Read(frames);
    if (frames.size() != frames_.size()) {
      throw std::out_of_range("the saved frames have another size");
    }
    frames_ = std::move(frames);
  }

 private:
  template <typename Observe>
  void Look(const Observe& observe, double* out) const {
    if (observe(out) != out + size_) {
      throw std::logic_error("a task wrote another observation than it announced");
    }
  }

  std::size_t size_;
  std::vector<double> frames_;
};

}  // namespace mujoco
