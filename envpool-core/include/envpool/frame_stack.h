// SPDX-License-Identifier: Apache-2.0
// FrameStack: the last few frames of an environment as one observation, the oldest first.
//
//   FrameStack<std::uint8_t> frames(4, size);  // of `size` elements each
//   Draw(frames.Newest(out));                  // `out` has 4 * size elements
//   first ? frames.Fill(out) : frames.Push(out);
//
// A frame is made where it belongs in the observation. The older ones are in a ring, from which
// they are copied to the observation; there the newest takes the place of the oldest. A stack of
// one keeps nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "envpool/error.h"
#include "envpool/state_io.h"

namespace envpool {

/// An action of so many steps takes a simulation of 1 ms a second, in which no Ctrl-C is heard.
inline constexpr int kMostFrameSkip = 1000;

/// Throws OptionError unless an action can last `frame_skip` steps, and an observation can have
/// `frame_stack` frames.
inline void CheckFrames(int frame_skip, int frame_stack, int most_frame_skip = kMostFrameSkip) {
  // Beyond this the frames of one environment would take gigabytes.
  if (frame_stack < 1 || frame_stack > 1024) {
    throw OptionError("frame_stack", std::to_string(frame_stack), "1 .. 1024",
                      "pass a frame_stack in this range");
  }
  if (frame_skip < 1 || frame_skip > most_frame_skip) {
    throw OptionError("frame_skip", std::to_string(frame_skip),
                      "1 .. " + std::to_string(most_frame_skip),
                      "pass how many steps an action lasts");
  }
}

/// The shape of an observation of `size` numbers, `stack` of which are seen at a time.
inline std::vector<int> Stacked(int size, int stack) {
  return stack == 1 ? std::vector{size} : std::vector{stack, size};
}

/// `T` is the type of an element, as std::uint8_t or double.
template <typename T>
class FrameStack {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// `count` frames, at least 1, of `size` elements, which are 0 at first.
  FrameStack(int count, std::size_t size)
      : older_(static_cast<std::size_t>(count - 1)),
        size_(size),
        ring_(older_ > 0 ? std::make_unique<T[]>(older_ * size_) : nullptr) {}

  /// The place of the newest frame in an observation, before Push or Fill of that observation.
  T* Newest(T* observation) const { return observation + older_ * size_; }

  /// Completes an observation, whose newest frame is there, by those before it.
  void Push(T* observation) {
    if (older_ == 0) return;
    const std::size_t first = (older_ - oldest_) * size_;
    std::copy_n(ring_.get() + oldest_ * size_, first, observation);
    std::copy_n(ring_.get(), oldest_ * size_, observation + first);
    std::copy_n(Newest(observation), size_, ring_.get() + oldest_ * size_);
    oldest_ = (oldest_ + 1) % older_;
  }
  /// Completes the first observation of an episode: its frame stands for those before it.
  void Fill(T* observation) {
    for (std::size_t i = 0; i < older_; ++i) {
      std::copy_n(Newest(observation), size_, ring_.get() + i * size_);
    }
    Push(observation);
  }
  /// Writes an observation whose newest frame `observe(T*)` writes; `observe` returns the end of
  /// the frame. Throws std::logic_error if that is not the end of a frame.
  template <typename Observe>
  void Write(bool first, const Observe& observe, T* observation) {
    if (observe(Newest(observation)) != Newest(observation) + size_) {
      throw std::logic_error("a task wrote another observation than it announced");
    }
    first ? Fill(observation) : Push(observation);
  }
  /// Sets the frames that later observations have from now on to 0.
  void Clear() { std::fill_n(ring_.get(), older_ * size_, T{}); }

  /// The frames that are kept for later observations, in the order of the ring.
  std::span<T> ring() const { return {ring_.get(), older_ * size_}; }
  /// The index of the oldest frame in `ring`.
  std::size_t oldest() const { return oldest_; }
  /// Sets the index of the oldest frame, after the ring was written to. Throws std::out_of_range if
  /// there is none of that number.
  void set_oldest(std::size_t oldest) {
    if (oldest != 0 && oldest >= older_) throw std::out_of_range("a stack of other frames");
    oldest_ = oldest;
  }

  /// Writes the bytes that LoadState of a stack of the same size reads.
  void SaveState(StateWriter& out) const {
    std::vector<T> frames(ring_.get(), ring_.get() + older_ * size_);
    std::rotate(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(oldest_ * size_),
                frames.end());
    out.Write(frames);
  }
  /// Throws std::out_of_range if the frames are of another size.
  void LoadState(StateReader& in) {
    std::vector<T> frames;
    in.Read(frames);
    if (frames.size() != older_ * size_) {
      throw std::out_of_range("the saved frames have another size");
    }
    std::copy(frames.begin(), frames.end(), ring_.get());
    oldest_ = 0;
  }

 private:
  std::size_t older_;  // how many frames are kept: all but the newest
  std::size_t size_;
  std::size_t oldest_ = 0;
  std::unique_ptr<T[]> ring_;
};

}  // namespace envpool
