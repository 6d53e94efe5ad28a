// SPDX-License-Identifier: Apache-2.0
// Renderer: draws one environment. It takes a few bytes; all environments of a model share the
// large resources, whose number is that of the frames drawn at a time.
//
//   Renderer renderer("full", kMujocoLook, {480, 480});
//   renderer.Draw(simulation, {width, height}, camera_id, [&] { return ModelCamera(model); }, rgb);
//
// SimulatedEnv contains a Renderer, so other classes seldom need one.
//
// Our own threads draw while the caller waits, see render_threads.h.
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

/// The look of MuJoCo's class Renderer.
inline constexpr Look kMujocoLook{10000};
/// Gymnasium's look, by its options `max_geom` and `visual_options`. Throws OptionError.
Look LookOf(int max_geom, const std::map<int, bool>& visual_options);
/// dm_control's look, for a model of this size.
Look DmControlLook(const mjModel& model);

/// Parses the option `render_quality`. Throws OptionError.
Quality QualityOf(const std::string& option);

/// Describes the OpenGL that is used. Throws GlMissing.
GlInfo FindGl();

class Renderer {
 public:
  /// `quality` is the option `render_quality`, `size` the default size of a frame.
  Renderer(const std::string& quality, Look look, FrameSize size)
      : quality_(QualityOf(quality)), look_(look), size_(size) {}

  /// The result of RenderSize: one side alone keeps the proportions.
  FrameSize Size(int width, int height) const;
  /// Throws Error(kConfig) if there is no OpenGL, or no such camera.
  void Check(const Simulation& simulation, int camera_id) const;
  /// Draws into `to`, colors or depths. Camera -1 is the camera that `free_camera` returns. Throws
  /// Error(kRender). `show` may change the data first, as to move a goal's site; these changes do
  /// not affect the simulation.
  void Draw(Simulation& simulation, FrameSize size, int camera_id,
            const std::function<mjvCamera()>& free_camera, Pixels to,
            const std::function<void(mjData&)>& show = nullptr);

 private:
  class Surface;

  const Quality quality_;
  const Look look_;
  const FrameSize size_;
  std::shared_ptr<Surface> surface_;  // null before the first frame
};

}  // namespace envpool::mujoco
