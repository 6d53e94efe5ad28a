// SPDX-License-Identifier: Apache-2.0
// Renderer: how one environment is drawn. It costs a few bytes; what takes memory is shared by all
// environments of a model, and there is as much of it as frames are drawn at a time.
//
//   Renderer renderer("full", kMujocoLook, {480, 480});
//   renderer.Draw(simulation, {width, height}, camera_id, [&] { return ModelCamera(model); }, rgb);
//
// SimulatedEnv has one, so that few others need it.
//
// The drawing is done by threads of ours while this one waits. See render_threads.h.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "envpool/error.h"
#include "envpool_mujoco/detail/canvas.h"
#include "envpool_mujoco/detail/gl.h"
#include "envpool_mujoco/simulation.h"

namespace envpool::mujoco {

using FrameSize = std::pair<int, int>;  // width and height

/// That of MuJoCo's own class Renderer.
inline constexpr Look kMujocoLook{10000};
/// Gymnasium's, by its options `max_geom` and `visual_options`. Throws OptionError.
Look LookOf(int max_geom, const std::map<int, bool>& visual_options);
/// dm_control's, for a model of this size.
Look DmControlLook(const mjModel& model);

/// What the option `render_quality` says. Throws OptionError.
Quality QualityOf(const std::string& option);

/// What OpenGL there is. Throws GlMissing.
GlInfo FindGl();

class Renderer {
 public:
  /// `quality` is the option `render_quality`, `size` that of a frame where none is asked for.
  Renderer(const std::string& quality, Look look, FrameSize size)
      : quality_(QualityOf(quality)), look_(look), size_(size) {}

  /// What RenderSize returns: one number alone keeps the proportions.
  FrameSize Size(int width, int height) const;
  /// Throws Error(kConfig) where there is no OpenGL, or no such camera.
  void Check(const Simulation& simulation, int camera_id) const;
  /// Draws into `to`, colours or depths. Camera -1 is the one that `free_camera` returns.
  /// Throws Error(kRender). `show` may change the data first, as to put a goal's site where it
  /// belongs; the simulation knows nothing of that afterwards.
  void Draw(Simulation& simulation, FrameSize size, int camera_id,
            const std::function<mjvCamera()>& free_camera, Pixels to,
            const std::function<void(mjData&)>& show = nullptr);

 private:
  class Surface;

  const Quality quality_;
  const Look look_;
  const FrameSize size_;
  std::shared_ptr<Surface> surface_;  // once something was drawn
};

}  // namespace envpool::mujoco
