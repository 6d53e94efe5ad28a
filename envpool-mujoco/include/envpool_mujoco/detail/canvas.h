// SPDX-License-Identifier: Apache-2.0
// Canvas: what one thread needs to draw a model in one size.
//
//   Canvas canvas({shared_model, 480, 480, Quality::kFull, kMujocoLook});
//   canvas.Draw(model, data, camera, rgb);
//
// It has an OpenGL context of its own and takes about 0.1 s to make, so there is one for each
// render thread, not for each environment.
#pragma once

#include <mujoco/mujoco.h>

#include <compare>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "envpool_mujoco/detail/gl.h"
#include "envpool_mujoco/detail/render_threads.h"
#include "envpool_mujoco/model_store.h"

namespace envpool::mujoco {

/// How frames look.
enum class Quality {
  kFull,  ///< as Gymnasium and dm_control draw them
  kFast   ///< no shadows, reflections, smooth edges and sky: a tenth of the time, for small frames
};

/// What programs that draw with MuJoCo have otherwise than others.
struct Look {
  int most_geoms;            ///< with all decoration; what is beyond is left out
  std::uint64_t shown = 0;   ///< mjtVisFlag that are set otherwise than MuJoCo does, a bit for each
  std::uint64_t hidden = 0;  ///< and those that are not set

  bool operator==(const Look&) const = default;
  auto operator<=>(const Look&) const = default;
};

/// What all canvases of a kind have in common.
struct Picture {
  SharedModel model;
  int width, height;
  Quality quality;
  Look look;

  auto Key() const { return std::tuple(model.get(), width, height, quality, look); }
};

/// Where a frame goes: colours, height x width x 3 bytes, or depths, height x width numbers of
/// OpenGL's depth buffer, 0 at the nearest plane and 1 at the farthest. The upper row is first.
struct Pixels {
  Pixels(unsigned char* to) : rgb(to) {}  // NOLINT(google-explicit-constructor)
  Pixels(float* to) : depth(to) {}        // NOLINT(google-explicit-constructor)
  unsigned char* rgb = nullptr;
  float* depth = nullptr;
};

class Canvas final : public RenderThreads::Resource {
 public:
  /// Throws GlMissing where there is no OpenGL, MujocoError where it does not suffice.
  explicit Canvas(const Picture& picture);
  ~Canvas() override;
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  /// Draws a simulation. `model` is the one of the picture, or has arrays of its own for some of
  /// its.
  void Draw(const mjModel& model, mjData& data, mjvCamera camera, Pixels to);

 private:
  void UploadHeights(const mjModel& model);

  const Picture picture_;
  const std::unique_ptr<GlContext> gl_;
  const std::unique_ptr<mjrContext> context_;  // as large as it is, on the heap
  mjvScene scene_;
  mjvOption options_;
  mjvPerturb perturb_;                // nobody pulls at anything
  const float* heights_;              // that OpenGL knows
  std::vector<unsigned char> frame_;  // upside down, as OpenGL has it
  std::vector<float> depth_;          // as well; empty until depths are asked for
};

}  // namespace envpool::mujoco
