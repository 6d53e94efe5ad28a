// SPDX-License-Identifier: Apache-2.0
// Small grey pictures, the last of them stacked: the reference's GrayscaleObservation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../frame.h"
#include "observer.h"

namespace envpool::highway {

class Grayscale final : public Observer {
 public:
  explicit Grayscale(const Options& options)
      : weights_(options["observation_weights"_]), stack_(options["observation_stack_size"_]) {
    const std::vector<int>& shape = options["observation_shape"_];
    CheckLength("observation_shape", shape, 2);
    CheckLength("observation_weights", weights_, 3);
    CheckRange("observation_stack_size", stack_, 1, 1000);
    for (int side : shape) CheckRange("observation_shape", side, 1, 1 << 14);
    const std::vector<double>& own = options["observation_centering_position"_];
    const std::vector<double>& centering = own.empty() ? options["centering_position"_] : own;
    CheckLength("observation_centering_position", centering, 2);
    const double scaling = options["observation_scaling"_];
    CheckRange("observation_scaling", scaling, 0, 1000);
    view_ = {{shape[0], shape[1]},
             scaling == 0 ? static_cast<double>(options["scaling"_]) : scaling,
             {centering[0], centering[1]}};
    rgb_.resize(view_.size.Bytes());
    pictures_.resize(static_cast<std::size_t>(stack_) * view_.size.Pixels());
  }

  std::vector<ArraySpec> Specs(bool players) const override {
    const std::vector<int> shape{stack_, view_.size.width, view_.size.height};
    return {MakeArraySpec("obs", Box<std::uint8_t>(Shape(players, shape), 0, 255))};
  }
  void Begin() override { std::fill(pictures_.begin(), pictures_.end(), std::uint8_t{0}); }

  void Observe(Scene& scene, const Vehicle& ego, std::span<std::byte* const> arrays) override {
    const drawing::Canvas canvas(rgb_.data(), view_.size);
    Frame(canvas, view_, ego.position).Draw(scene.road);
    const std::size_t count = view_.size.Pixels();
    std::copy(pictures_.begin() + static_cast<std::ptrdiff_t>(count), pictures_.end(),
              pictures_.begin());
    std::uint8_t* newest = pictures_.data() + pictures_.size() - count;
    for (int x = 0; x < view_.size.width; ++x) {
      for (int y = 0; y < view_.size.height; ++y) {
        const std::uint8_t* pixel = canvas.At(x, y);
        const double grey =
            pixel[0] * weights_[0] + pixel[1] * weights_[1] + pixel[2] * weights_[2];
        *newest++ = static_cast<std::uint8_t>(Clip(grey, 0, 255));
      }
    }
    std::copy(pictures_.begin(), pictures_.end(), reinterpret_cast<std::uint8_t*>(arrays[0]));
  }
  void Save(StateWriter& out) const override { out.Write(pictures_); }
  void Load(StateReader& in) override { in.Read(pictures_); }

 private:
  std::vector<double> weights_;
  int stack_;
  FrameView view_;
  std::vector<std::uint8_t> rgb_, pictures_;
};

}  // namespace envpool::highway
