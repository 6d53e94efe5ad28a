// SPDX-License-Identifier: Apache-2.0
// OpenGL without a window: EGL, or OSMesa if there is no EGL.
//
//   std::unique_ptr<GlContext> context = GlPlatform::Get().NewContext();
//   context->MakeCurrent();
//
// Nothing is linked or shipped: the system's library is opened when a frame is requested. All
// functions are for render threads only (render_threads.h). Contexts that are current in other
// threads, as another renderer's in Python's thread, are never changed.
//
// A graphics card is preferred, the one numbered MUJOCO_EGL_DEVICE_ID; else Mesa draws on the CPU.
// MUJOCO_GL=egl or osmesa allows one library only. Both variables have the same meaning as in the
// package `mujoco`.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

namespace envpool::mujoco {

/// The names of the libraries.
struct GlNames {
  std::string egl = "libEGL.so.1";
  std::string osmesa = "libOSMesa.so.8";
};

/// There is no OpenGL here; the text lists the attempts.
class GlMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The remedy for the user.
inline constexpr char kInstallGl[] =
    "run `apt-get install libegl1 libgl1-mesa-dri`, or `apt-get install libosmesa6`";

/// The OpenGL that was found.
struct GlInfo {
  std::string library;   ///< "EGL" or "OSMesa"
  std::string renderer;  ///< the renderer: "llvmpipe (LLVM 15.0.6, 256 bits)", or a card
  std::string version;   ///< the version of OpenGL
  int most_pixels = 0;   ///< per side of a frame
};

/// A context. It is destroyed in the thread that made it.
class GlContext {
 public:
  virtual ~GlContext() = default;
  /// Makes it the thread's current context, unless it is. Throws GlMissing on failure.
  virtual void MakeCurrent() = 0;
};

class GlPlatform {
 public:
  virtual ~GlPlatform() = default;

  /// The process's platform, opened at the first call. Throws GlMissing if there is none; a later
  /// call tries again.
  static GlPlatform& Get();
  /// Sets other library names, if none was opened yet. For tests.
  static void LookFor(const GlNames& names);

  /// A new context, current in this thread.
  virtual std::unique_ptr<GlContext> NewContext() = 0;
  const GlInfo& info() const { return info_; }

 protected:
  /// A function of OpenGL, or null.
  virtual void* Function(const char* name) const = 0;
  /// Queries a current context. MuJoCo must never get an insufficient context: after an error of
  /// mjr_makeContext its next call waits for ever.
  void Examine();

  GlInfo info_;
};

}  // namespace envpool::mujoco
