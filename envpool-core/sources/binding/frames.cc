// SPDX-License-Identifier: Apache-2.0
// The part of CompiledPool that draws environments.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiled_pool.h"
#include "envpool/binding/gil.h"
#include "envpool/error.h"
#include "numpy.h"

namespace envpool::python {
namespace {

// A frame larger than this in either direction is a mistake.
constexpr int kMostPixels = 16384;

}  // namespace

Object CompiledPool::Render(PyObject* env_ids, int width, int height, int camera_id, bool depth) {
  const PoolCalls::Use use(*calls_);
  const Ids ids = arguments_.ParseIds(env_ids, "render(env_ids=...)");
  if (ids.count == 0) {
    throw Error(ErrorKind::kRender, "render of " + task_id(), "no env ids", "at least one id",
                "pass env_ids, or None for render_env_id");
  }
  EnvArrayBase& envs = pool_->envs();
  std::pair<int, int> size{};
  const auto check_size = [&](int i) {
    pool_->CheckIdle(ids.at(i), "render");
    envs.CheckDrawable(ids.at(i));
    const std::pair<int, int> own = envs.RenderSize(ids.at(i), width, height);
    if (i == 0) size = own;
    if (own == size) return;
    throw Error(ErrorKind::kRender, "render of " + task_id(), "environments of different sizes",
                "frames of one size in a call", "render them one by one");
  };
  {
    const GilRelease release;
    for (int i = 0; i < ids.count; ++i) check_size(i);
  }
  const auto [w, h] = size;
  if (w < 1 || h < 1 || w > kMostPixels || h > kMostPixels) {
    throw Error(ErrorKind::kRender, "render of " + task_id(),
                "a frame of " + std::to_string(w) + " x " + std::to_string(h),
                "1 .. " + std::to_string(kMostPixels) + " pixels each way",
                "correct render_width and render_height");
  }
  const std::intptr_t shape[] = {ids.count, h, w, 3};
  NumpyArray frames = depth ? NumpyArray::Make(NumpyType(DType::kFloat32), 3, shape)
                            : NumpyArray::Make(NumpyType(DType::kUint8), 4, shape);
  {
    const GilRelease release;
    const std::size_t pixels = static_cast<std::size_t>(w) * static_cast<std::size_t>(h);
    for (int i = 0; i < ids.count; ++i) {
      const std::size_t before = static_cast<std::size_t>(i) * pixels;
      if (depth) {
        envs.RenderDepth(ids.at(i), w, h, camera_id, static_cast<float*>(frames.data()) + before);
      } else {
        auto* rgb = static_cast<unsigned char*>(frames.data()) + 3 * before;
        envs.Render(ids.at(i), w, h, camera_id, rgb);
      }
    }
  }
  return frames;
}

void CompiledPool::CheckDrawable(PyObject* env_ids) {
  const PoolCalls::Use use(*calls_);
  const Ids ids = arguments_.ParseIds(env_ids, "render(env_ids=...)");
  for (int i = 0; i < ids.count; ++i) {
    pool_->CheckIdle(ids.at(i), "render");
    pool_->envs().CheckDrawable(ids.at(i));
  }
}

Object CompiledPool::RenderText(PyObject* env_ids) {
  CheckDrawable(env_ids);
  const PoolCalls::Use use(*calls_);
  const Ids ids = arguments_.ParseIds(env_ids, "render(env_ids=...)");
  std::vector<std::string> drawn;
  {
    const GilRelease release;
    for (int i = 0; i < ids.count; ++i) drawn.push_back(pool_->envs().RenderText(ids.at(i)));
  }
  const Object texts = Checked(PyList_New(ids.count));
  Py_ssize_t i = 0;
  for (const std::string& text : drawn) {
    PyList_SET_ITEM(texts.get(), i++, SafeText(text).release());
  }
  return texts;
}

}  // namespace envpool::python
