// SPDX-License-Identifier: Apache-2.0
// The scaling of screens for Python: the tests compare it with OpenCV, in every kind of vector
// instructions that the machine has, and the benchmark measures it.
//
//   scaler = Scaler(210, 84, 84, "area", "gray", "ntsc", "avx2")
//   image = scaler(newer, None)  # (84, 84)
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <time.h>

#include <optional>
#include <string>

#include "envpool/binding/translate.h"
#include "screen/scaler.h"

namespace atari = envpool::atari;

namespace py = pybind11;
using Bytes = py::array_t<std::uint8_t, py::array::c_style>;

namespace {

template <typename T>
T OneOf(const std::string& name, const std::vector<std::pair<std::string, T>>& choices) {
  for (const auto& [choice, value] : choices) {
    if (choice == name) {
      return value;
    }
  }
  throw std::invalid_argument("no such choice: " + name);
}

atari::Simd SimdOf(const std::string& name) {
  using atari::Simd;
  return OneOf<Simd>(name, {{"portable", Simd::kPortable},
                            {"neon", Simd::kNeon},
                            {"avx2", Simd::kAvx2},
                            {"avx512", Simd::kAvx512}});
}

const atari::Palette& PaletteOf(const std::string& name) {
  return *OneOf<const atari::Palette*>(
      name, {{"ntsc", &atari::kNtscPalette}, {"pal", &atari::kPalPalette}});
}

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Scaler {
 public:
  Scaler(int source_height, int width, int height, const std::string& interpolation,
         const std::string& mode, const std::string& palette, const std::string& simd)
      : source_bytes_(source_height * atari::kSourceWidth),
        scaler_(source_height, {width, height},
                OneOf<envpool::drawing::Interpolation>(
                    interpolation, {{"area", envpool::drawing::Interpolation::kArea},
                                    {"linear", envpool::drawing::Interpolation::kLinear}}),
                OneOf<atari::ColorMode>(mode, {{"gray", atari::ColorMode::kGray},
                                               {"planar", atari::ColorMode::kRgbPlanar},
                                               {"last", atari::ColorMode::kRgbLast}}),
                PaletteOf(palette), SimdOf(simd)) {
    shape_ = {height, width};
    if (mode != "gray") {
      shape_.insert(mode == "planar" ? shape_.begin() : shape_.end(), 3);
    }
  }

  Bytes operator()(const Bytes& newer, const std::optional<Bytes>& older) const {
    Bytes out(shape_);
    scaler_(Checked(newer), older ? Checked(*older) : nullptr, out.mutable_data());
    return out;
  }

  /// Seconds of CPU time per call over `calls` calls.
  double Measure(const Bytes& newer, const std::optional<Bytes>& older, int calls) const {
    Bytes out(shape_);
    const std::uint8_t* first = Checked(newer);
    const std::uint8_t* second = older ? Checked(*older) : nullptr;
    std::uint8_t* target = out.mutable_data();
    const double begin = ThreadSeconds();
    for (int i = 0; i < calls; ++i) {
      scaler_(first, second, target);
    }
    return (ThreadSeconds() - begin) / calls;
  }

 private:
  [[nodiscard]] const std::uint8_t* Checked(const Bytes& screen) const {
    if (screen.size() != source_bytes_) {
      throw std::invalid_argument("a screen of the wrong size");
    }
    return screen.data();
  }

  py::ssize_t source_bytes_;
  atari::ScreenScaler scaler_;
  std::vector<py::ssize_t> shape_;
};

/// (256, 4): red, green, blue and gray of every value.
Bytes PaletteArray(const std::string& name) {
  const atari::Palette& palette = PaletteOf(name);
  Bytes out({256, 4});
  auto view = out.mutable_unchecked<2>();
  for (py::ssize_t i = 0; i < 256; ++i) {
    const auto at = static_cast<std::size_t>(i);
    view(i, 0) = palette.red[at];
    view(i, 1) = palette.green[at];
    view(i, 2) = palette.blue[at];
    view(i, 3) = palette.gray[at];
  }
  return out;
}

std::string NameOf(atari::Simd simd) {
  return std::string(atari::kSimdNames[static_cast<std::size_t>(simd)]);
}

}  // namespace

PYBIND11_MODULE(screen_module, m) {
  envpool::python::TranslateErrors();
  py::class_<Scaler>(m, "Scaler")
      .def(py::init<int, int, int, const std::string&, const std::string&, const std::string&,
                    const std::string&>())
      .def("__call__", &Scaler::operator())
      .def("measure", &Scaler::Measure);
  m.def("palette", &PaletteArray);
  m.def("best_simd", [] { return NameOf(atari::BestSimd()); });
  m.def("best_simd_up_to",
        [](const std::string& name) { return NameOf(atari::BestSimdUpTo(name)); });
  m.def("has_simd", [](const std::string& name) { return atari::HasSimd(SimdOf(name)); });
}
