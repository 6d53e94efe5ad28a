// SPDX-License-Identifier: Apache-2.0
// OpenGL without a window: EGL, or OSMesa where there is none.
//
//   std::unique_ptr<GlContext> context = GlPlatform::Get().NewContext();
//   context->MakeCurrent();
//
// Nothing is linked or shipped: the library of the system is opened when a frame is wanted. All of
// this is for render threads only (render_threads.h). The context that is current in a thread of
// somebody else, as that of another renderer in Python's, is not ours to change.
//
// A graphics card is preferred, the one that MUJOCO_EGL_DEVICE_ID numbers; else Mesa draws on the
// CPU. MUJOCO_GL=egl or osmesa allows one library only. Both variables are those of the package
// `mujoco`, and mean the same there.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

namespace envpool::mujoco {

/// The libraries that are looked for.
struct GlNames {
  std::string egl = "libEGL.so.1";
  std::string osmesa = "libOSMesa.so.8";
};

/// There is no OpenGL here; the text says what was tried.
class GlMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a user can do about it.
inline constexpr char kInstallGl[] =
    "run `apt-get install libegl1 libgl1-mesa-dri`, or `apt-get install libosmesa6`";

/// What there is of OpenGL.
struct GlInfo {
  std::string library;   ///< "EGL" or "OSMesa"
  std::string renderer;  ///< what draws: "llvmpipe (LLVM 15.0.6, 256 bits)", or a card
  std::string version;   ///< of OpenGL
  int most_pixels = 0;   ///< each way, in a frame
};

/// A context, which is destroyed in the thread that made it.
class GlContext {
 public:
  virtual ~GlContext() = default;
  /// Makes it the current one of this thread, unless it is. Throws GlMissing when that fails.
  virtual void MakeCurrent() = 0;
};

class GlPlatform {
 public:
  virtual ~GlPlatform() = default;

  /// The one of this process, opened at the first call. Throws GlMissing if there is none; a later
  /// call tries again.
  static GlPlatform& Get();
  /// Looks for other libraries from now on, where none was opened yet. For tests.
  static void LookFor(const GlNames& names);

  /// A new context, current in this thread.
  virtual std::unique_ptr<GlContext> NewContext() = 0;
  const GlInfo& info() const { return info_; }

 protected:
  /// A function of OpenGL, or null.
  virtual void* Function(const char* name) const = 0;
  /// Asks a current context what it is. MuJoCo must never see one that has not enough: after an
  /// error of mjr_makeContext the next call of it waits for ever.
  void Examine();

  GlInfo info_;
};

}  // namespace envpool::mujoco
