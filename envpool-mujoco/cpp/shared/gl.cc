// SPDX-License-Identifier: Apache-2.0
// Opens EGL or OSMesa. The constants are those of the Khronos registry and of Mesa's osmesa.h; so
// few of them do not need the headers.

#include "envpool_mujoco/detail/gl.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace envpool::mujoco {
namespace {

struct OpenNames {
  std::mutex mutex;
  GlNames names;
  std::unique_ptr<GlPlatform> opened;
};
// Never destroyed: threads may still draw while the process ends.
OpenNames& State() {
  static auto& state = *new OpenNames;
  return state;
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Mesa would start a thread per CPU to draw parts of a frame. Environments are drawn in parallel
// anyway, and one thread per frame costs less CPU time. Mesa reads the variable when a display is
// opened; afterwards its old value is restored, also for child processes.
class OneThreadAFrame {
 public:
  OneThreadAFrame() : set_(std::getenv(kName) == nullptr && setenv(kName, "0", 0) == 0) {}
  ~OneThreadAFrame() {
    if (set_) unsetenv(kName);
  }
  OneThreadAFrame(const OneThreadAFrame&) = delete;
  OneThreadAFrame& operator=(const OneThreadAFrame&) = delete;

 private:
  static constexpr char kName[] = "LP_NUM_THREADS";
  const bool set_;
};

class Library {
 public:
  /// RTLD_GLOBAL, since MuJoCo searches eglGetProcAddress and similar functions among global
  /// symbols.
  explicit Library(const std::string& name)
      : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL)) {
    if (handle_ == nullptr) throw GlMissing(dlerror());
  }
  ~Library() { dlclose(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  template <typename F>
  void Find(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(dlsym(handle_, name));
    if (function == nullptr) throw GlMissing(std::string("no function ") + name);
  }

 private:
  void* handle_;
};

// ------------------------------------------------------------------------------------------- EGL

using Display = void*;
using Device = void*;
using Config = void*;
using Context = void*;
constexpr int kNone = 0x3038, kExtensions = 0x3055, kSurfacelessMesa = 0x31DD,
              kPlatformDevice = 0x313F;
constexpr unsigned kOpenGlApi = 0x30A2;
constexpr std::array kAttributes = {0x3024, 8,       // red
                                    0x3023, 8,       // green
                                    0x3022, 8,       // blue
                                    0x3021, 8,       // alpha
                                    0x3025, 24,      // depth
                                    0x3026, 8,       // stencil
                                    0x303F, 0x308E,  // color buffer: RGB
                                    0x3033, 0x0001,  // surfaces: pbuffer
                                    0x3040, 0x0008,  // draws OpenGL
                                    kNone};

struct EglFunctions {
  explicit EglFunctions(const Library& library) {
    library.Find(get_function, "eglGetProcAddress");
    library.Find(initialize, "eglInitialize");
    library.Find(bind_api, "eglBindAPI");
    library.Find(choose_config, "eglChooseConfig");
    library.Find(create_context, "eglCreateContext");
    library.Find(destroy_context, "eglDestroyContext");
    library.Find(make_current, "eglMakeCurrent");
    library.Find(current_context, "eglGetCurrentContext");
    library.Find(release_thread, "eglReleaseThread");
    library.Find(query_string, "eglQueryString");
    Extension(get_display, "eglGetPlatformDisplayEXT");
    Extension(query_devices, "eglQueryDevicesEXT");
    Extension(query_device, "eglQueryDeviceStringEXT");
  }
  template <typename F>
  void Extension(F*& function, const char* name) const {
    function = reinterpret_cast<F*>(get_function(name));
  }

  void* (*get_function)(const char*);
  unsigned (*initialize)(Display, int*, int*);
  unsigned (*bind_api)(unsigned);
  unsigned (*choose_config)(Display, const int*, Config*, int, int*);
  Context (*create_context)(Display, Config, Context, const int*);
  unsigned (*destroy_context)(Display, Context);
  unsigned (*make_current)(Display, void*, void*, Context);
  Context (*current_context)();
  unsigned (*release_thread)();
  const char* (*query_string)(Display, int);
  // These three are null if EGL is too old.
  Display (*get_display)(unsigned, void*, const int*);
  unsigned (*query_devices)(int, Device*, int*);
  const char* (*query_device)(Device, int);
};

bool HasWord(const char* list, std::string_view word) {
  const std::string words = std::string(" ") + (list == nullptr ? "" : list) + " ";
  return words.find(" " + std::string(word) + " ") != words.npos;
}

class Egl final : public GlPlatform {
 public:
  explicit Egl(const std::string& name) : library_(name), egl_(library_) {
    info_.library = "EGL";
    const OneThreadAFrame one_thread;
    if (!FindDisplay()) throw GlMissing("no display could be opened: is a driver installed?");
    int found = 0;
    if (!egl_.bind_api(kOpenGlApi) ||
        !egl_.choose_config(display_, kAttributes.data(), &config_, 1, &found) || found < 1) {
      throw GlMissing("the driver has no OpenGL for frames of 8 bits a colour");
    }
    const auto context = NewContext();
    Examine();
  }

  std::unique_ptr<GlContext> NewContext() override {
    auto context = std::make_unique<EglContext>(*this);
    context->MakeCurrent();
    return context;
  }

 private:
  class EglContext final : public GlContext {
   public:
    explicit EglContext(const Egl& egl) : egl_(egl) {
      egl.egl_.bind_api(kOpenGlApi);  // of this thread
      context_ = egl.egl_.create_context(egl.display_, egl.config_, nullptr, nullptr);
      if (context_ == nullptr) throw GlMissing("EGL made no context");
    }
    ~EglContext() override {
      const EglFunctions& egl = egl_.egl_;
      if (egl.current_context() == context_) {
        egl.make_current(egl_.display_, nullptr, nullptr, nullptr);
      }
      egl.destroy_context(egl_.display_, context_);
      egl.release_thread();
    }
    void MakeCurrent() override {
      const EglFunctions& egl = egl_.egl_;
      if (egl.current_context() == context_) return;
      if (!egl.make_current(egl_.display_, nullptr, nullptr, context_) ||
          egl.current_context() != context_) {
        throw GlMissing("EGL cannot draw without a window");
      }
    }

   private:
    const Egl& egl_;
    Context context_;
  };

  void* Function(const char* name) const override { return egl_.get_function(name); }

  bool Open(unsigned platform, void* device) {
    const Display display = egl_.get_display(platform, device, nullptr);
    if (display == nullptr || !egl_.initialize(display, nullptr, nullptr)) return false;
    display_ = display;
    return true;
  }

  // All users of a device in this process share its display, and one of them may close it. So a
  // device's display is opened only if there is no other way to Mesa.
  bool FindDisplay() {
    if (egl_.get_display == nullptr) return false;
    std::vector<Device> cards, others;
    for (Device device : Devices()) {
      const bool is_mesa =
          egl_.query_device != nullptr &&
          HasWord(egl_.query_device(device, kExtensions), "EGL_MESA_device_software");
      (is_mesa ? others : cards).push_back(device);
    }
    for (Device device : cards) {
      if (Open(kPlatformDevice, device)) return true;
    }
    if (HasWord(egl_.query_string(nullptr, kExtensions), "EGL_MESA_platform_surfaceless") &&
        Open(kSurfacelessMesa, nullptr)) {
      return true;
    }
    for (Device device : others) {
      if (Open(kPlatformDevice, device)) return true;
    }
    return false;
  }

  std::vector<Device> Devices() const {
    int count = 0;
    if (egl_.query_devices == nullptr || !egl_.query_devices(0, nullptr, &count)) return {};
    std::vector<Device> devices(static_cast<std::size_t>(count));
    if (!egl_.query_devices(count, devices.data(), &count)) return {};
    devices.resize(static_cast<std::size_t>(count));
    const std::string wanted = Variable("MUJOCO_EGL_DEVICE_ID");
    if (wanted.empty()) return devices;
    char* end = nullptr;
    const unsigned long index = std::strtoul(wanted.c_str(), &end, 10);
    if (*end != '\0' || index >= devices.size()) {
      throw GlMissing("MUJOCO_EGL_DEVICE_ID is '" + wanted + "', and there are " +
                      std::to_string(devices.size()) + " devices");
    }
    return {devices[index]};
  }

  const Library library_;
  const EglFunctions egl_;
  Display display_ = nullptr;  // never closed: others may use it
  Config config_ = nullptr;
};

// ---------------------------------------------------------------------------------------- OSMesa

class OsMesa final : public GlPlatform {
 public:
  explicit OsMesa(const std::string& name) : library_(name) {
    library_.Find(create_, "OSMesaCreateContextExt");
    library_.Find(destroy_, "OSMesaDestroyContext");
    library_.Find(make_current_, "OSMesaMakeCurrent");
    library_.Find(current_, "OSMesaGetCurrentContext");
    library_.Find(get_function_, "OSMesaGetProcAddress");
    info_.library = "OSMesa";
    const OneThreadAFrame one_thread;
    const auto context = NewContext();
    Examine();
  }

  std::unique_ptr<GlContext> NewContext() override {
    auto context = std::make_unique<OsContext>(*this);
    context->MakeCurrent();
    return context;
  }

 private:
  static constexpr unsigned kRgba = 0x1908, kBytes = 0x1401;

  class OsContext final : public GlContext {
   public:
    explicit OsContext(const OsMesa& mesa)
        : mesa_(mesa), context_(mesa.create_(kRgba, 24, 8, 0, nullptr)) {
      if (context_ == nullptr) throw GlMissing("OSMesa made no context");
    }
    ~OsContext() override {
      if (mesa_.current_() == context_) mesa_.make_current_(nullptr, nullptr, kBytes, 0, 0);
      mesa_.destroy_(context_);
    }
    void MakeCurrent() override {
      if (mesa_.current_() == context_) return;
      // Frames are drawn into buffers that MuJoCo makes; this buffer is never read.
      if (!mesa_.make_current_(context_, window_.data(), kBytes, kSide, kSide)) {
        throw GlMissing("OSMesa cannot make its context current");
      }
    }

   private:
    static constexpr int kSide = 8;
    const OsMesa& mesa_;
    std::array<std::uint32_t, kSide * kSide> window_{};
    Context context_;
  };

  void* Function(const char* name) const override { return get_function_(name); }

  const Library library_;
  Context (*create_)(unsigned, int, int, int, Context);
  void (*destroy_)(Context);
  unsigned char (*make_current_)(Context, void*, unsigned, int, int);
  Context (*current_)();
  void* (*get_function_)(const char*);
};

}  // namespace

void GlPlatform::Examine() {
  constexpr unsigned kRenderer = 0x1F01, kVersion = 0x1F02, kMostPixels = 0x84E8;
  const auto get_string =
      reinterpret_cast<const unsigned char* (*)(unsigned)>(Function("glGetString"));
  const auto get_integer = reinterpret_cast<void (*)(unsigned, int*)>(Function("glGetIntegerv"));
  const auto text = [&](unsigned name) -> std::string {
    const auto* value = get_string == nullptr ? nullptr : get_string(name);
    return value == nullptr ? "" : reinterpret_cast<const char*>(value);
  };
  info_.renderer = text(kRenderer);
  info_.version = text(kVersion);
  // Frames without a window need OpenGL 3.0.
  if (std::strtol(info_.version.c_str(), nullptr, 10) < 3 || get_integer == nullptr) {
    throw GlMissing("OpenGL '" + info_.version + "' of '" + info_.renderer +
                    "', which is older than 3.0");
  }
  get_integer(kMostPixels, &info_.most_pixels);
}

GlPlatform& GlPlatform::Get() {
  OpenNames& state = State();
  const std::scoped_lock lock(state.mutex);
  if (state.opened != nullptr) return *state.opened;
  const std::string wanted = Variable("MUJOCO_GL");
  std::string tried;
  const auto open = [&]<typename Platform>(const char* word, const std::string& name) {
    const bool other = (wanted == "egl" || wanted == "osmesa") && wanted != word;
    if (state.opened != nullptr || other) return;
    try {
      state.opened = std::make_unique<Platform>(name);
    } catch (const GlMissing& missing) {
      const std::string text = missing.what();
      tried += (tried.empty() ? "" : "; ") + (text.starts_with(name) ? "" : name + ": ") + text;
    }
  };
  open.template operator()<Egl>("egl", state.names.egl);
  open.template operator()<OsMesa>("osmesa", state.names.osmesa);
  if (state.opened == nullptr) throw GlMissing(tried);
  return *state.opened;
}

void GlPlatform::LookFor(const GlNames& names) {
  OpenNames& state = State();
  const std::scoped_lock lock(state.mutex);
  state.names = names;
}

}  // namespace envpool::mujoco
