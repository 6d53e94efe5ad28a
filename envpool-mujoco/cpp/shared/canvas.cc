// SPDX-License-Identifier: Apache-2.0

#include "envpool_mujoco/detail/canvas.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "envpool_mujoco/library.h"

namespace envpool::mujoco {
namespace {

// After an internal error mjr_makeContext would wait for ever: it must not be called again.
std::atomic<bool> has_failed{false};

// MuJoCo must not detect the error itself, see above.
void CheckSize(int width, int height) {
  // 4 samples of 4 bytes per pixel, in one piece of memory; Mesa allows 1 GB.
  constexpr int kMostBytes = 1 << 30, kPixelBytes = 16;
  const int side = GlPlatform::Get().info().most_pixels;
  if (width <= side && height <= side && width <= kMostBytes / kPixelBytes / height) return;
  throw MujocoError("a frame of " + std::to_string(width) + " x " + std::to_string(height) +
                    ", where OpenGL draws " + std::to_string(side) + " pixels each way, and " +
                    std::to_string(kMostBytes / kPixelBytes) + " in all, at most");
}

void MakeContext(const mjModel& model, mjrContext& context) {
  static std::mutex& one_at_a_time = *new std::mutex;
  const std::scoped_lock lock(one_at_a_time);
  if (has_failed) throw MujocoError("MuJoCo could not use OpenGL before in this process");
  try {
    mjr_makeContext(&model, &context, mjFONTSCALE_150);
  } catch (...) {
    has_failed = true;
    throw;
  }
}

/// OpenGL's lowest row comes first; turns the frame upside down.
template <typename T>
void CopyUpsideDown(const std::vector<T>& from, std::size_t row, T* to) {
  for (std::size_t end = from.size(); end > 0; end -= row, to += row) {
    std::copy_n(from.data() + end - row, row, to);
  }
}

}  // namespace

Canvas::Canvas(const Picture& picture)
    : picture_(picture),
      gl_(GlPlatform::Get().NewContext()),
      context_(std::make_unique<mjrContext>()),
      heights_(picture.model->hfield_data) {
  const int width = picture.width, height = picture.height;
  CheckSize(width, height);
  InstallLogHandler();
  const LibraryCall call;
  // The arrays are shared; only this copy of the struct is changed.
  mjModel model = *picture.model;
  model.vis.global.offwidth = width;
  model.vis.global.offheight = height;
  if (picture.quality == Quality::kFast) {
    model.vis.quality.shadowsize = 0;
    model.vis.quality.offsamples = 0;
  }
  mjr_defaultContext(context_.get());
  MakeContext(model, *context_);
  mjr_setBuffer(mjFB_OFFSCREEN, context_.get());
  mjv_defaultOption(&options_);
  for (int flag = 0; flag < mjNVISFLAG; ++flag) {
    if (picture.look.shown >> flag & 1) options_.flags[flag] = 1;
    if (picture.look.hidden >> flag & 1) options_.flags[flag] = 0;
  }
  mjv_defaultPerturb(&perturb_);
  mjv_defaultScene(&scene_);
  mjv_makeScene(&model, &scene_, picture.look.most_geoms);
  if (picture.quality == Quality::kFast) {
    for (const int flag : {mjRND_SHADOW, mjRND_REFLECTION, mjRND_SKYBOX}) scene_.flags[flag] = 0;
  }
}

Canvas::~Canvas() {
  const LibraryCall call;
  mjv_freeScene(&scene_);
  try {
    gl_->MakeCurrent();
    mjr_freeContext(context_.get());
  } catch (const std::exception&) {
    // Another user closed the library, which freed its resources.
  }
}

void Canvas::Draw(const mjModel& model, mjData& data, mjvCamera camera, Pixels to) {
  const LibraryCall call;
  gl_->MakeCurrent();
  UploadHeights(model);
  mjv_updateScene(&model, &data, &options_, &perturb_, &camera, mjCAT_ALL, &scene_);
  const mjrRect all{0, 0, picture_.width, picture_.height};
  mjr_render(all, &scene_, context_.get());
  const auto width = static_cast<std::size_t>(picture_.width);
  const auto height = static_cast<std::size_t>(picture_.height);
  if (to.rgb != nullptr) {
    frame_.resize(3 * width * height);
    mjr_readPixels(frame_.data(), nullptr, all, context_.get());
    CopyUpsideDown(frame_, 3 * width, to.rgb);
  } else {
    depth_.resize(width * height);
    mjr_readPixels(nullptr, depth_.data(), all, context_.get());
    CopyUpsideDown(depth_, width, to.depth);
  }
}

void Canvas::UploadHeights(const mjModel& model) {
  // A simulation's heights may have changed since they were last drawn.
  const bool shared = model.hfield_data == picture_.model->hfield_data;
  if (model.nhfield == 0 || (shared && heights_ == model.hfield_data)) return;
  for (int i = 0; i < static_cast<int>(model.nhfield); ++i) {
    mjr_uploadHField(&model, context_.get(), i);
  }
  heights_ = model.hfield_data;
}

}  // namespace envpool::mujoco
