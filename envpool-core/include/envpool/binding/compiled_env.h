// SPDX-License-Identifier: Apache-2.0
// CompiledEnv: an environment type without its type, as Python sees it: its options, its arrays,
// and pools of it.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "envpool/binding/compiled_pool.h"
#include "envpool/binding/convert.h"
#include "envpool/binding/native_pool.h"
#include "envpool/binding/xla.h"
#include "envpool/engine/cpus.h"
#include "envpool/engine/pool.h"
#include "envpool/env.h"
#include "envpool/step_kind.h"
#include "envpool/version.h"

namespace envpool::python {

struct CompiledEnv {
  std::string name;
  bool renders = false;
  bool saves = false;
  StepKind step_kind = StepKind::kDefault;
  py::dict (*default_config)() = nullptr;
  py::tuple (*describe)(const std::string& name, const py::dict& config) = nullptr;
  std::unique_ptr<CompiledPool> (*make)(const std::string& name, const py::dict& config,
                                        const std::string& task_id,
                                        const std::string& autoreset_mode) = nullptr;
};

template <typename Config>
py::dict ConfigToPython(const Config& config) {
  py::dict result;
  config.ForEach([&](std::string_view name, const auto& value) {
    result[py::str(name.data(), name.size())] = py::cast(value);
  });
  return result;
}

/// The options that differ from an environment's defaults, for a message.
template <typename Spec>
std::string ChangedOptions(const py::dict& values) {
  std::string text;
  Spec::DefaultConfig().ForEach([&](std::string_view key, const auto& value) {
    const py::str py_key(key.data(), key.size());
    if (!values.contains(py_key)) return;
    const std::string given = Text(values[py_key]);
    if (given == Text(py::cast(value))) return;
    text += (text.empty() ? "" : ", ") + std::string(key) + "=" + given;
  });
  return text.empty() ? "the defaults" : text;
}

inline std::string TextAndType(const py::object& value) {
  const py::str type(py::type::of(value).attr("__name__"));
  return Text(value) + " (" + type.cast<std::string>() + ")";
}

/// What may stand in the place of a default, for a message.
template <typename T>
std::string Allowed(const T& value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return "a whole number of " + std::to_string(std::numeric_limits<T>::min()) + " .. " +
           std::to_string(std::numeric_limits<T>::max());
  } else {
    return "a value like the default, " + TextAndType(py::cast(value));
  }
}

/// Throws Error(kConfig) naming the key whose value has another type.
template <typename Spec>
std::unique_ptr<Spec> SpecFromPython(const std::string& name, const py::dict& values) {
  auto config = Spec::DefaultConfig();
  config.ForEach([&](std::string_view key, auto& value) {
    using T = std::remove_reference_t<decltype(value)>;
    const py::str py_key(key.data(), key.size());
    if (!values.contains(py_key)) return;
    const py::object given = values[py_key];
    const auto refusal = [&] {
      return OptionError(std::string(key), TextAndType(given), Allowed(value), "correct the value");
    };
    try {
      value = FromPython<T>(given);
    } catch (const py::cast_error&) {
      throw refusal();
    } catch (py::error_already_set& raised) {
      if (!raised.matches(PyExc_Exception)) throw;
      throw ErrorWithCause(refusal(), raised.value());
    }
  });
  try {
    return std::make_unique<Spec>(std::move(config));
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorKind::kConfig, envpool::detail::TextFirst(error.what(), "config of " + name),
                ChangedOptions<Spec>(values), "options that its StateSpec and ActionSpec accept",
                "correct the config");
  }
}

inline py::object BoundsToPython(const ArraySpec& spec, const std::vector<double>& bounds,
                                 const std::vector<std::int64_t>& exact) {
  std::vector<py::ssize_t> shape;
  if (bounds.size() > 1) {
    for (int dim : spec.item_shape()) shape.push_back(dim);
  }
  const py::object array = exact.empty()
                               ? py::object(py::array_t<double>(shape, bounds.data()))
                               : py::object(py::array_t<std::int64_t>(shape, exact.data()));
  return array.attr("astype")(NumpyType(spec.dtype));
}

/// The first `common` arrays are those that every environment has.
inline py::list ArraysToPython(const Columns& layout, std::size_t common) {
  py::list arrays;
  for (const ArraySpec& spec : layout.arrays) {
    arrays.append(py::make_tuple(spec.name, NumpyType(spec.dtype), py::tuple(py::cast(spec.shape)),
                                 BoundsToPython(spec, spec.low, spec.int_low),
                                 BoundsToPython(spec, spec.high, spec.int_high), spec.dynamic(),
                                 py::tuple(py::cast(spec.inner_shape)), arrays.size() >= common));
  }
  return arrays;
}

inline Autoreset ParseAutoreset(const std::string& mode) {
  if (mode == "next_step") return Autoreset::kNextStep;
  if (mode == "same_step") return Autoreset::kSameStep;
  if (mode == "disabled") return Autoreset::kDisabled;
  throw Error(ErrorKind::kConfig, "autoreset_mode", "'" + mode + "'",
              "'next_step', 'same_step' or 'disabled'", "pass one of these");
}

inline void CheckRange(std::string_view key, int value, int low, int high) {
  if (value >= low && value <= high) return;
  throw OptionError(std::string(key), std::to_string(value),
                    std::to_string(low) + " .. " + std::to_string(high),
                    "pass a " + std::string(key) + " in this range");
}
inline void CheckOption(std::string_view key, int value) {
  for (const OptionRange& range : kOptionRanges) {
    if (range.name == key) CheckRange(key, value, range.low, range.high);
  }
}

template <typename Config>
PoolOptions MakeOptions(Config& config, const std::string& task_id, Autoreset autoreset,
                        StepKind kind) {
  config.ForEach([](std::string_view key, const auto& value) {
    if constexpr (std::is_same_v<decltype(value), const int&>) CheckOption(key, value);
  });
  const int num_envs = config["num_envs"_];
  if (config["batch_size"_] == 0) config["batch_size"_] = num_envs;
  CheckRange("batch_size", config["batch_size"_], 1, num_envs);
  const auto& seeds = config["env_seed"_];
  if (!seeds.empty() && seeds.size() != static_cast<std::size_t>(num_envs)) {
    throw OptionError("env_seed", std::to_string(seeds.size()) + " seeds",
                      "none, or " + std::to_string(num_envs) + ", one per environment",
                      "correct the seeds");
  }
  if (autoreset == Autoreset::kSameStep && config["max_num_players"_] > 1) {
    throw Error(ErrorKind::kConfig, "autoreset_mode of " + task_id,
                "'same_step' with several players",
                "'next_step' or 'disabled', since the next episode may have other players",
                "choose one of these");
  }
  int threads = config["num_threads"_];
  if (threads == 0) {
    threads = kind == StepKind::kBlocking ? config["batch_size"_] : UsableCpus();
  }
  return {.task_id = task_id,
          .num_envs = num_envs,
          .batch_size = config["batch_size"_],
          .num_threads = std::min(threads, num_envs),
          .affinity_offset = config["thread_affinity_offset"_],
          .max_episode_steps = config["max_episode_steps"_],
          .autoreset = autoreset};
}

template <typename E>
py::tuple Describe(const std::string& type, const py::dict& values) {
  const auto spec = SpecFromPython<typename E::Spec>(type, values);
  return py::make_tuple(ConfigToPython(spec->config),
                        ArraysToPython(spec->state, kNumCommonColumns),
                        ArraysToPython(spec->action, kNumCommonActions));
}

template <typename E>
std::unique_ptr<CompiledPool> MakePool(const std::string& type, const py::dict& values,
                                       const std::string& task_id,
                                       const std::string& autoreset_mode) {
  auto spec = SpecFromPython<typename E::Spec>(type, values);
  const Autoreset autoreset = ParseAutoreset(autoreset_mode);
  const PoolOptions options = MakeOptions(spec->config, task_id, autoreset, StepKindOf<E>());
  auto memory = std::make_unique<ResultMemory>(spec->state, options.batch_size,
                                               autoreset == Autoreset::kSameStep);
  std::unique_ptr<Pool> pool;
  {
    const GilRelease release;
    pool = std::make_unique<AsyncEnvPool<E>>(std::move(spec), options, *memory);
  }
  return std::make_unique<CompiledPool>(std::move(memory), std::move(pool));
}

template <typename E>
CompiledEnv MakeCompiledEnv(std::string name) {
  CompiledEnv type;
  type.name = std::move(name);
  type.renders = envpool::detail::Renderable<E>;
  type.saves = envpool::detail::Savable<E>;
  type.default_config = [] { return ConfigToPython(E::Spec::DefaultConfig()); };
  type.describe = Describe<E>;
  type.make = MakePool<E>;
  type.step_kind = StepKindOf<E>();
  return type;
}

/// Defines the classes of a module, once.
inline void Bind(py::module_& m) {
  if (py::hasattr(m, "CompiledPool")) return;
  TranslateErrors();
  const auto none = py::arg("env_id") = py::none();
  py::class_<CompiledPool>(m, "CompiledPool", py::module_local())
      .def("set_result_layouts", &CompiledPool::SetResultLayouts, py::arg("step"), py::arg("reset"))
      .def("set_result_arrays", &CompiledPool::SetResultArrays, py::arg("arrays"))
      .def("step", &CompiledPool::Step, py::arg("action"), none)
      .def("send", &CompiledPool::Send, py::arg("action"), none)
      .def("recv", &CompiledPool::Recv, py::arg("reset") = false, py::arg("timeout") = py::none())
      .def("reset", &CompiledPool::Reset, none, py::arg("seed") = py::none())
      .def("async_reset", &CompiledPool::AsyncReset, none, py::arg("seed") = py::none())
      .def("render", &CompiledPool::Render, py::arg("env_ids"), py::arg("width"), py::arg("height"),
           py::arg("camera_id"))
      .def("save_state", &CompiledPool::SaveState, py::arg("env_ids"))
      .def("load_state", &CompiledPool::LoadState, py::arg("states"), py::arg("env_ids"))
      .def("close", &CompiledPool::Close)
      .def("c_pool", &CompiledPool::CPool)
      .def_property_readonly("closed", &CompiledPool::closed)
      .def_property_readonly("num_threads", &CompiledPool::num_threads)
      .def_property_readonly("num_in_flight", &CompiledPool::num_in_flight)
      .def_property_readonly("received_natively", &CompiledPool::received_natively);
  py::class_<CompiledEnv>(m, "CompiledEnv", py::module_local())
      .def_readonly("name", &CompiledEnv::name)
      .def_property_readonly("xla_handlers", [](const CompiledEnv&) { return XlaHandlers(); })
      .def("xla_register",
           [](const CompiledEnv&, const py::capsule& c_pool,
              const std::vector<std::string>& arrays) { return XlaRegister(c_pool, arrays); })
      .def_readonly("renders", &CompiledEnv::renders)
      .def_readonly("saves", &CompiledEnv::saves)
      .def_property_readonly("step_kind",
                             [](const CompiledEnv& type) {
                               constexpr const char* kNames[] = {"trivial", "default", "blocking",
                                                                 "posted"};
                               return kNames[static_cast<int>(type.step_kind)];
                             })
      .def_property_readonly("option_ranges",
                             [](const CompiledEnv&) {
                               py::dict ranges;
                               for (const OptionRange& range : kOptionRanges) {
                                 ranges[py::str(range.name.data(), range.name.size())] =
                                     py::make_tuple(range.low, range.high);
                               }
                               return ranges;
                             })
      .def_property_readonly("api_version", [](const CompiledEnv&) { return kApiVersion; })
      .def_property_readonly("compiler", [](const CompiledEnv&) { return __VERSION__; })
      .def("default_config", [](const CompiledEnv& type) { return type.default_config(); })
      .def("describe", [](const CompiledEnv& type,
                          const py::dict& config) { return type.describe(type.name, config); })
      .def(
          "make",
          [](const CompiledEnv& type, const py::dict& config, const std::string& task_id,
             const std::string& autoreset_mode) {
            return type.make(type.name, config, task_id, autoreset_mode);
          },
          py::arg("config"), py::arg("task_id"), py::arg("autoreset_mode") = "next_step");
}

}  // namespace envpool::python
