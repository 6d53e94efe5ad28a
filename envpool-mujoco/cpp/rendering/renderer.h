// SPDX-License-Identifier: Apache-2.0
// Renderer: how one environment is drawn. It costs a few bytes; what takes memory is shared by all
// environments of a model, and there is as much of it as frames are drawn at a time.
//
//   Renderer renderer(QualityOf(config), kGymnasiumGeoms);
//   renderer.Check(simulation, camera_id);                       // where images are observations
//   renderer.Draw(simulation, camera, width, height, rgb);
//
// The drawing is done by threads of ours while this one waits. See render_threads.h.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "envpool/error.h"
#include "rendering/canvas.h"
#include "rendering/gl.h"
#include "simulation/simulation.h"

namespace mujoco {

/// Gymnasium's limit.
inline constexpr int kGymnasiumGeoms = 1000;
/// dm_control's limit, which it makes of the size of the model.
int DmControlGeoms(const mjModel& model);

/// What the option `render_quality` says. Throws OptionError.
Quality QualityOf(const std::string& option);

/// The size of a frame when (width, height) is asked for, of a task whose frames are squares.
inline std::pair<int, int> SquareSize(int width, int height, int own) {
  if (width <= 0 && height <= 0) return {own, own};
  return {width > 0 ? width : height, height > 0 ? height : width};
}

/// What OpenGL there is. Throws GlMissing.
GlInfo FindGl();

class Renderer {
 public:
  Renderer(Quality quality, int most_geoms) : quality_(quality), most_geoms_(most_geoms) {}

  /// Throws Error(kConfig) where there is no OpenGL, or no such camera.
  void Check(const Simulation& simulation, int camera_id) const;
  /// Draws into `rgb`, height x width x 3 bytes. Throws Error(kRender).
  void Draw(Simulation& simulation, const mjvCamera& camera, int width, int height,
            unsigned char* rgb);

 private:
  class Surface;

  const Quality quality_;
  const int most_geoms_;
  std::shared_ptr<Surface> surface_;  // once something was drawn
};

}  // namespace mujoco
