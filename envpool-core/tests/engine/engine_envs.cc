// SPDX-License-Identifier: Apache-2.0
// The extension module of the engine's tests: environments that a test can foretell or lead astray,
// gates that hold them, a record of who is inside them, and a count of the memory that C++ asks
// for.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "envpool/core/py_envpool.h"
#include "envpool/pixels.h"
#include "envs/arrays.h"
#include "envs/choices.h"
#include "envs/counter.h"
#include "envs/crowd.h"
#include "envs/documented.h"
#include "envs/external.h"
#include "envs/faulty.h"
#include "envs/lives.h"
#include "envs/named.h"
#include "envs/pole.h"
#include "envs/presence.h"
#include "envs/told.h"
#include "envs/uneven.h"
#include "envs/whole.h"

namespace {
std::atomic<long> allocations{0};
}  // namespace

// These serve this module alone: Python and NumPy have their own.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t align) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const auto unit = static_cast<std::size_t>(align);
  if (void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

using DummyEnvSpec = PyEnvSpec<documented::DummyEnvSpec>;
using DummyEnvPool = PyEnvPool<documented::DummyEnvPool>;

PYBIND11_MODULE(engine_envs, m) {
  REGISTER(m, DummyEnvSpec, DummyEnvPool)
  envpool::Register<testing_envs::Counter>(m, "Counter");
  envpool::Register<testing_envs::Gated>(m, "Gated");
  envpool::Register<testing_envs::Crowd>(m, "Crowd");
  envpool::Register<testing_envs::Faulty>(m, "Faulty");
  envpool::Register<testing_envs::Arrays>(m, "Arrays");
  envpool::Register<testing_envs::Choices>(m, "Choices");
  envpool::Register<testing_envs::OneChoice>(m, "OneChoice");
  envpool::Register<testing_envs::Lives>(m, "Lives");
  envpool::Register<envpool::FromPixels<testing_envs::Lives>>(m, "LivesPixels");
  envpool::Register<testing_envs::Image>(m, "Image");
  envpool::Register<testing_envs::Named>(m, "Named");
  envpool::Register<testing_envs::External>(m, "External");
  envpool::Register<testing_envs::Pole>(m, "Pole");
  envpool::Register<testing_envs::Told>(m, "Told");
  envpool::Register<testing_envs::Whole>(m, "Whole");
  envpool::Register<envpool::FromPixels<testing_envs::Told>>(m, "ToldPixels");
  using testing_envs::Pace, testing_envs::Presence, testing_envs::Uneven;
  envpool::Register<Uneven<Pace::kTrivial>>(m, "UnevenTrivial");
  envpool::Register<Uneven<Pace::kDefault>>(m, "Uneven");
  envpool::Register<Uneven<Pace::kBlocking>>(m, "UnevenBlocking");
  namespace py = pybind11;
  Presence::Get().holds_gil = [] { return PyGILState_Check() != 0; };
  m.def("forget_presence", [] { Presence::Get().Forget(); });
  m.def("presence", [] {
    Presence& presence = Presence::Get();
    return py::dict(py::arg("most") = presence.most(), py::arg("calls") = presence.calls(),
                    py::arg("with_gil") = presence.with_gil(),
                    py::arg("threads") = presence.threads());
  });
  m.def("own_thread", &Presence::OwnThread);
  m.def("close_gates", [](const std::vector<int>& ids) { testing_envs::Gates::Get().Close(ids); });
  m.def("open_gates", [] { testing_envs::Gates::Get().Open(); });
  m.def(
      "await_held",
      [](int count, double seconds) {
        return testing_envs::Gates::Get().AwaitHeld(count, seconds);
      },
      py::call_guard<py::gil_scoped_release>());
  m.def("allocations", [] { return allocations.load(); });
}
