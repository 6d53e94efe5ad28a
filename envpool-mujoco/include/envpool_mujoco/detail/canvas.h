// SPDX-License-Identifier: Apache-2.0
// Canvas: a thread's resources for drawing a model in one size.
//
//   Canvas canvas({shared_model, 480, 480, Quality::kFull, kMujocoLook});
//   canvas.Draw(model, data, camera, rgb);
//
// It has its own OpenGL context and takes about 0.1 s to make, so there is one per render thread,
// not one per environment.
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

/// The quality of frames.
enum class Quality {
  kFull,  ///< as Gymnasium and dm_control draw them
  kFast   ///< no shadows, reflections, smooth edges and sky: a tenth of the time, for small frames
};

/// The settings of programs that draw with MuJoCo, where they differ from MuJoCo's.
struct Look {
  int most_geoms;            ///< with all decoration; further geoms are left out
  std::uint64_t shown = 0;   ///< mjtVisFlag that are set unlike MuJoCo's default, a bit for each
  std::uint64_t hidden = 0;  ///< and flags that are not set

  bool operator==(const Look&) const = default;
  auto operator<=>(const Look&) const = default;
};

/// The shared part of all canvases of a kind.
struct Picture {
  SharedModel model;
  int width, height;
  Quality quality;
  Look look;

  auto Key() const { return std::tuple(model.get(), width, height, quality, look); }
};

/// The target of a frame: colors, height x width x 3 bytes, or depths, height x width numbers of
/// OpenGL's depth buffer, 0 at the nearest plane and 1 at the farthest. The upper row is first.
struct Pixels {
  Pixels(unsigned char* to) : rgb(to) {}  // NOLINT(google-explicit-constructor)
  Pixels(float* to) : depth(to) {}        // NOLINT(google-explicit-constructor)
  unsigned char* rgb = nullptr;
  float* depth = nullptr;
};

class Canvas final : public RenderThreads::Resource {
 public:
  /// Throws GlMissing if there is no OpenGL, MujocoError if it does not suffice.
  explicit Canvas(const Picture& picture);
  ~Canvas() override;
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  /// Draws a simulation. `model` is the picture's model, or a copy with some arrays of its own.
  void Draw(const mjModel& model, mjData& data, mjvCamera camera, Pixels to);

 private:
  void UploadHeights(const mjModel& model);

  const Picture picture_;
  const std::unique_ptr<GlContext> gl_;
  const std::unique_ptr<mjrContext> context_;  // on the heap, because it is large
  mjvScene scene_;
  mjvOption options_;
  mjvPerturb perturb_;                // empty: no perturbation
  const float* heights_;              // heights that OpenGL has
  std::vector<unsigned char> frame_;  // upside down, as in OpenGL
  std::vector<float> depth_;          // upside down, too; empty until depths are requested
};

}  // namespace envpool::mujoco
