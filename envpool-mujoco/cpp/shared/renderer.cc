// SPDX-License-Identifier: Apache-2.0

#include "envpool_mujoco/renderer.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "envpool/fork_local.h"
#include "envpool_mujoco/cameras.h"
#include "envpool_mujoco/detail/render_threads.h"

namespace envpool::mujoco {
namespace {

using envpool::Error;
using envpool::ErrorKind;
using envpool::ForkLocal;

RenderThreads& Threads() { return ForkLocal<RenderThreads>::Get(); }

struct KnownGl {
  std::mutex mutex;
  std::optional<GlInfo> info;
};

constexpr char kNeeds[] = "a machine with EGL or OSMesa";

}  // namespace

/// One kind of picture, for all environments that draw it. The last of them frees its canvases.
class Renderer::Surface {
 public:
  explicit Surface(Picture picture)
      : picture_(std::move(picture)), threads_(Threads()), use_(threads_) {}
  ~Surface() { threads_.Forget(this); }
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  static std::shared_ptr<Surface> Of(const Picture& picture) {
    auto& known = ForkLocal<Known>::Get();
    const std::scoped_lock lock(known.mutex);
    std::weak_ptr<Surface>& place = known.surfaces[picture.Key()];
    if (std::shared_ptr<Surface> surface = place.lock()) return surface;
    auto surface = std::make_shared<Surface>(picture);
    place = surface;
    std::erase_if(known.surfaces, [](const auto& item) { return item.second.expired(); });
    return surface;
  }

  bool Is(const Picture& picture) const { return picture.Key() == picture_.Key(); }

  void Draw(const mjModel& model, mjData& data, const mjvCamera& camera, Pixels to) {
    threads_.Run(this, [&](RenderThreads::Slot& slot) {
      if (slot == nullptr) slot = std::make_unique<Canvas>(picture_);
      static_cast<Canvas&>(*slot).Draw(model, data, camera, to);
    });
  }

 private:
  struct Known {
    std::mutex mutex;
    std::map<decltype(std::declval<Picture>().Key()), std::weak_ptr<Surface>> surfaces;
  };

  const Picture picture_;
  RenderThreads& threads_;
  const RenderThreads::Use use_;
};

Look DmControlLook(const mjModel& model) {
  const auto frames = std::max({model.nbody, model.ngeom, model.nsite, model.ncam, model.nlight});
  const auto most = 3 * frames + 4 * model.ngeom + 3 * model.nbody + model.nsite + model.ntendon +
                    model.njnt + model.nu + model.nskin + model.ncam + model.nlight;
  return {std::max(1000, static_cast<int>(most)), 0, std::uint64_t{1} << mjVIS_RANGEFINDER};
}

Look LookOf(int max_geom, const std::map<int, bool>& visual_options) {
  constexpr int kMostGeoms = 1'000'000;  // 140 MB per drawing thread
  if (max_geom < 1 || max_geom > kMostGeoms) {
    throw envpool::OptionError("max_geom", std::to_string(max_geom),
                               "1 .. " + std::to_string(kMostGeoms), "pass a number in this range");
  }
  Look look{max_geom};
  static_assert(mjNVISFLAG <= 64);
  for (const auto& [flag, shown] : visual_options) {
    if (flag < 0 || flag >= mjNVISFLAG) {
      throw envpool::OptionError("visual_options", std::to_string(flag),
                                 "mjtVisFlag, 0 .. " + std::to_string(mjNVISFLAG - 1),
                                 "pass {flag: True or False}");
    }
    (shown ? look.shown : look.hidden) |= std::uint64_t{1} << flag;
  }
  return look;
}

Quality QualityOf(const std::string& option) {
  if (option == "full") return Quality::kFull;
  if (option == "fast") return Quality::kFast;
  throw envpool::OptionError("render_quality", "'" + option + "'", "'full' or 'fast'",
                             "pass one of them", {"full", "fast"});
}

GlInfo FindGl() {
  auto& known = ForkLocal<KnownGl>::Get();
  const std::scoped_lock lock(known.mutex);
  if (!known.info) {
    const RenderThreads::Use use(Threads());
    Threads().Run(nullptr, [&](RenderThreads::Slot&) { known.info = GlPlatform::Get().info(); });
  }
  return *known.info;
}

FrameSize Renderer::Size(int width, int height) const {
  if (width <= 0 && height <= 0) return size_;
  // The pool checks the upper limit.
  const auto scaled = [](std::int64_t side, std::int64_t to, std::int64_t from) {
    return static_cast<int>(std::clamp<std::int64_t>(side * to / from, 1, 1 << 24));
  };
  if (width <= 0) return {scaled(height, size_.first, size_.second), height};
  if (height <= 0) return {width, scaled(width, size_.second, size_.first)};
  return {width, height};
}

void Renderer::Check(const Simulation& simulation, int camera_id) const {
  CheckCamera(simulation.model(), camera_id, ErrorKind::kConfig);
  try {
    FindGl();
  } catch (const GlMissing& missing) {
    throw envpool::OptionError("from_pixels", std::string("no OpenGL (") + missing.what() + ")",
                               kNeeds, kInstallGl);
  } catch (const std::exception& error) {
    throw envpool::OptionError("from_pixels", error.what(), kNeeds, "see the text for the cause");
  }
}

void Renderer::Draw(Simulation& simulation, FrameSize size, int camera_id,
                    const std::function<mjvCamera()>& free_camera, Pixels to,
                    const std::function<void(mjData&)>& show) {
  CheckCamera(simulation.model(), camera_id, ErrorKind::kRender);
  const mjvCamera camera = camera_id < 0 ? free_camera() : FixedCamera(camera_id);
  const char* asked = "render()";
  try {
    const Picture picture{simulation.shared(), size.first, size.second, quality_, look_};
    if (surface_ == nullptr || !surface_->Is(picture)) surface_ = Surface::Of(picture);
    std::optional<Simulation::ScopedStateRestore> restore;
    if (show) show(restore.emplace(simulation).data());
    simulation.PlaceCameras();
    surface_->Draw(simulation.model(), simulation.data(), camera, to);
  } catch (const GlMissing& missing) {
    throw Error(ErrorKind::kRender, asked, std::string("no OpenGL (") + missing.what() + ")",
                kNeeds, kInstallGl);
  } catch (const std::exception& error) {
    throw Error(ErrorKind::kRender, asked, error.what(), "what OpenGL and MuJoCo can draw",
                "see the text for the cause");
  }
}

}  // namespace envpool::mujoco
