// SPDX-License-Identifier: Apache-2.0
// FrameStack: the last frames of one kind, and what they become in an observation.
//
//   FrameStack frames(4, size);
//   std::uint8_t* newest = frames.Push();     // write the frame there
//   frames.Fill();                            // at the begin of an episode: it stands for all
//   frames.CopyTo(out);                       // the oldest first
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace vizdoom {

class FrameStack {
 public:
  /// `count` frames of `size` bytes.
  FrameStack(int count, std::size_t size)
      : count_(static_cast<std::size_t>(count)), size_(size), frames_(count_ * size) {}

  /// Where the next frame belongs: in the place of the oldest.
  std::uint8_t* Push() {
    newest_ = (newest_ + 1) % count_;
    return frames_.data() + newest_ * size_;
  }
  /// Makes all frames like the newest.
  void Fill() {
    for (std::size_t i = 0; i < count_; ++i) {
      if (i != newest_) {
        std::memcpy(frames_.data() + i * size_, frames_.data() + newest_ * size_, size_);
      }
    }
  }
  void CopyTo(std::uint8_t* out) const {
    const std::size_t older = (count_ - newest_ - 1) * size_;
    std::memcpy(out, frames_.data() + (newest_ + 1) * size_, older);
    std::memcpy(out + older, frames_.data(), frames_.size() - older);
  }
  /// Bytes of all frames.
  std::size_t bytes() const { return frames_.size(); }

 private:
  std::size_t count_, size_, newest_ = 0;
  std::vector<std::uint8_t> frames_;
};

}  // namespace vizdoom
