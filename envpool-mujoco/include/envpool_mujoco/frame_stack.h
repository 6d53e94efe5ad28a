// SPDX-License-Identifier: Apache-2.0
// The options frame_skip and frame_stack, and the observations that a stack keeps.
//
//   FrameStack frames(4, size);
//   const auto observe = [&](double* out) { return Observe(out); };   // returns where it ends
//   frames.Write(first, observe, out);                                // 4 * size numbers
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/error.h"
#include "envpool/state_io.h"

namespace envpool::mujoco {

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
      : size_(size), before_(static_cast<std::size_t>(count - 1) * size) {}

  /// Adds what `observe` writes, and writes all to `out`, the oldest first. The first of an episode
  /// stands for those before it, too.
  template <typename Observe>
  void Write(bool first, const Observe& observe, double* out) {
    double* newest = out + before_.size();
    if (observe(newest) != newest + size_) {
      throw std::logic_error("a task wrote another observation than it announced");
    }
    for (double* at = out; first && at != newest; at += size_) std::copy_n(newest, size_, at);
    if (!first) std::copy(before_.begin(), before_.end(), out);
    std::copy_n(out + (before_.empty() ? 0 : size_), before_.size(), before_.begin());
  }

  void SaveState(envpool::StateWriter& out) const { out.Write(before_); }
  void LoadState(envpool::StateReader& in) {
    std::vector<double> frames;
    in.Read(frames);
    if (frames.size() != before_.size()) {
      throw std::out_of_range("the saved frames have another size");
    }
    before_ = std::move(frames);
  }

 private:
  std::size_t size_;
  std::vector<double> before_;  // all but the newest
};

}  // namespace envpool::mujoco
