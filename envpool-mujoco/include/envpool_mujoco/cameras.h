// SPDX-License-Identifier: Apache-2.0
// The cameras of frames: Gymnasium's rule and dm_control's.
//
//   GymnasiumCamera camera;            // one per environment
//   camera.Of(model, data, config);    // its free camera
//   ModelCamera(model);                // dm_control's
//   FixedCamera(0);                    // a camera of the model
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "envpool/error.h"
#include "envpool/state_io.h"

namespace envpool::mujoco {

/// DEFAULT_CAMERA_CONFIG of a Gymnasium task: its free camera's differences from the default. It
/// also names a body to track, but a free camera tracks none.
struct CameraConfig {
  std::optional<double> distance{};
  std::optional<std::array<double, 3>> lookat{};
  std::optional<double> azimuth{};
  std::optional<double> elevation{};
};

/// Parses the option `default_camera_config`: numbers by name; a single number is a list of one.
/// Throws OptionError.
inline CameraConfig CameraConfigOf(const std::map<std::string, std::vector<double>>& option) {
  CameraConfig config;
  for (const auto& [name, numbers] : option) {
    const std::size_t size = name == "lookat" ? 3 : 1;
    const bool known = name == "distance" || name == "azimuth" || name == "elevation" ||
                       name == "lookat" || name == "trackbodyid";
    if (!known || numbers.size() != size) {
      throw envpool::OptionError(
          "default_camera_config",
          "'" + name + "' of " + std::to_string(numbers.size()) + " numbers",
          "distance, azimuth and elevation, a number each, lookat, three, and trackbodyid, which "
          "changes nothing",
          "pass some of these");
    }
    if (name == "distance") config.distance = numbers[0];
    if (name == "azimuth") config.azimuth = numbers[0];
    if (name == "elevation") config.elevation = numbers[0];
    if (name == "lookat") config.lookat = {numbers[0], numbers[1], numbers[2]};
  }
  return config;
}

/// Throws Error(kind) if the model has no such camera; -1 is the free camera.
inline void CheckCamera(const mjModel& model, int camera_id, envpool::ErrorKind kind) {
  const int count = static_cast<int>(model.ncam);
  if (camera_id >= -1 && camera_id < count) return;
  std::string names;
  for (int i = 0; i < count; ++i) {
    const char* name = mj_id2name(&model, mjOBJ_CAMERA, i);
    names += ", " + std::to_string(i) + (name == nullptr ? "" : " (" + std::string(name) + ")");
  }
  envpool::Error error(kind, "render_camera_id or camera_id", std::to_string(camera_id),
                       "-1 (the free camera)" + names, "pass one of these numbers");
  if (kind == envpool::ErrorKind::kConfig) {
    throw envpool::OptionError("render_camera_id", error.got, error.allowed, error.hint);
  }
  throw error;
}

/// The index of a camera by name. Throws OptionError for `option`.
inline int NamedCamera(const mjModel& model, const std::string& option, const std::string& name) {
  if (const int id = mj_name2id(&model, mjOBJ_CAMERA, name.c_str()); id >= 0) return id;
  std::vector<std::string> names;
  std::string text;
  for (int i = 0; i < static_cast<int>(model.ncam); ++i) {
    const char* known = mj_id2name(&model, mjOBJ_CAMERA, i);
    if (known == nullptr) continue;
    text += (text.empty() ? "" : ", ") + std::string(known);
    names.emplace_back(known);
  }
  throw envpool::OptionError(option, "'" + name + "'",
                             "cameras of the model, by name: " + (text.empty() ? "none" : text),
                             "name one of them, or none", names);
}

inline mjvCamera FixedCamera(int camera_id) {
  mjvCamera camera;
  mjv_defaultCamera(&camera);
  camera.type = mjCAMERA_FIXED;
  camera.fixedcamid = camera_id;
  return camera;
}

/// The free camera as the model describes it: dm_control's Physics.render and MuJoCo's own programs
/// use it.
inline mjvCamera ModelCamera(const mjModel& model) {
  mjvCamera camera;
  mjv_defaultCamera(&camera);
  mjv_defaultFreeCamera(&model, &camera);
  return camera;
}

/// Gymnasium's free camera. It looks at the middle of the geoms at its first use, and stays there,
/// also in later episodes; so it is part of a saved state.
class GymnasiumCamera {
 public:
  mjvCamera Of(const mjModel& model, const mjData& data, const CameraConfig& config) {
    if (!placed_) {
      for (std::size_t i = 0; i < 3; ++i) lookat_[i] = Median(model, data, i);
      placed_ = true;
    }
    mjvCamera camera;
    mjv_defaultCamera(&camera);
    const std::array<double, 3> lookat = config.lookat.value_or(lookat_);
    std::copy(lookat.begin(), lookat.end(), camera.lookat);
    camera.distance = config.distance.value_or(model.stat.extent);
    camera.azimuth = config.azimuth.value_or(camera.azimuth);
    camera.elevation = config.elevation.value_or(camera.elevation);
    return camera;
  }

  void SaveState(envpool::StateWriter& out) const { out.Write(placed_, lookat_); }
  void LoadState(envpool::StateReader& in) { in.Read(placed_, lookat_); }

 private:
  /// np.median(data.geom_xpos[:, i])
  static double Median(const mjModel& model, const mjData& data, std::size_t i) {
    std::vector<double> values(static_cast<std::size_t>(model.ngeom));
    if (values.empty()) return 0;
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = data.geom_xpos[3 * k + i];
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  }

  bool placed_ = false;
  std::array<double, 3> lookat_{};
};

}  // namespace envpool::mujoco
