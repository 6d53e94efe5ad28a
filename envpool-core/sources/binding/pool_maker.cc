// SPDX-License-Identifier: Apache-2.0
#include "pool_maker.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "envpool/binding/gil.h"
#include "envpool/engine/cpus.h"
#include "envpool/engine/pool.h"
#include "envpool/env.h"
#include "envpool/error.h"
#include "envpool/state_io.h"
#include "numpy.h"
#include "option_dict.h"

namespace envpool::python {
namespace {

/// The options that differ from an environment's defaults, for a message.
std::string ChangedOptions(const EnvType& type, PyObject* config) {
  std::string text;
  for (const Option& option : type.options()->options()) {
    const Object given = Given(config, option);
    if (!given || Repr(given.get()) == Repr(ToPython(option).get())) continue;
    text += (text.empty() ? "" : ", ") + std::string(option.name) + "=" + Repr(given.get());
  }
  return text.empty() ? "the defaults" : text;
}

/// The options that a saved state depends on, and the variant of the environment that they chose.
std::vector<SavedOption> SavedOptions(const EnvType& type, const std::vector<Option>& options) {
  const auto checksum = [](const std::string& text) {
    return static_cast<std::uint32_t>(Checksum(text.data(), text.size()));
  };
  std::vector<SavedOption> saved{{"variant", "'" + type.name + "'", checksum(type.name)}};
  const auto common = CommonConfig();
  for (const Option& option : options) {
    bool counts = option.name != "reward_threshold";
    common.ForEach([&](std::string_view name, const auto&) { counts &= name != option.name; });
    for (std::string_view name : type.not_in_states) counts &= name != option.name;
    const Object value = ToPython(option);
    // The text of an object whose repr is its address is that of no other object.
    if (!counts || Py_TYPE(value.get())->tp_repr == PyBaseObject_Type.tp_repr) continue;
    const std::string text = TextOf(Checked(PyObject_Repr(value.get())).get());
    saved.push_back({std::string(option.name), Repr(value.get()), checksum(text)});
  }
  if (!type.engine.empty()) {
    const std::string engine(type.engine);
    saved.push_back({"engine", "'" + engine + "'", checksum(engine)});
  }
  return saved;
}

std::unique_ptr<SpecMaker> MakeSpec(const EnvType& type, PyObject* config) {
  std::unique_ptr<SpecMaker> maker = type.options();
  ReadOptions(maker->options(), config);
  try {
    maker->Make();
    return maker;
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorKind::kConfig,
                envpool::detail::TextFirst(error.what(), "config of " + type.name),
                ChangedOptions(type, config), "options that its StateSpec and ActionSpec accept",
                "correct the config");
  }
}

template <typename Number>
Object NumbersToPython(const ArraySpec& spec, const std::vector<Number>& numbers, DType dtype) {
  std::vector<std::intptr_t> shape;
  if (numbers.size() > 1) {
    for (int dim : spec.item_shape()) shape.push_back(dim);
  }
  const NumpyArray array =
      NumpyArray::Make(NumpyType(dtype), static_cast<int>(shape.size()), shape.data());
  std::copy(numbers.begin(), numbers.end(), static_cast<Number*>(array.data()));
  return Checked(PyObject_CallMethod(array.get(), "astype", "O", NumpyType(spec.dtype).get()));
}

Object BoundsToPython(const ArraySpec& spec, const std::vector<double>& bounds,
                      const std::vector<std::int64_t>& exact) {
  return exact.empty() ? NumbersToPython(spec, bounds, DType::kFloat64)
                       : NumbersToPython(spec, exact, DType::kInt64);
}

Object ShapeToPython(const std::vector<int>& shape) {
  Object tuple = Checked(PyTuple_New(static_cast<Py_ssize_t>(shape.size())));
  Py_ssize_t i = 0;
  for (int dim : shape) PyTuple_SET_ITEM(tuple.get(), i++, Integer(dim).release());
  return tuple;
}

/// The first `common` arrays are those that every environment has.
Object ArraysToPython(const Columns& layout, std::size_t common) {
  Object arrays = Checked(PyList_New(0));
  std::size_t i = 0;
  for (const ArraySpec& spec : layout.arrays) {
    const Object array =
        Tuple(Key(spec.name), Object::Borrow(NumpyType(spec.dtype).get()),
              ShapeToPython(spec.shape), BoundsToPython(spec, spec.low, spec.int_low),
              BoundsToPython(spec, spec.high, spec.int_high), Bool(spec.dynamic()),
              ShapeToPython(spec.inner_shape), Bool(i++ >= common), Bool(spec.categorical));
    Check(PyList_Append(arrays.get(), array.get()));
  }
  return arrays;
}

Autoreset ParseAutoreset(const std::string& mode) {
  if (mode == "next_step") return Autoreset::kNextStep;
  if (mode == "same_step") return Autoreset::kSameStep;
  if (mode == "disabled") return Autoreset::kDisabled;
  throw Error(ErrorKind::kConfig, "autoreset_mode", "'" + mode + "'",
              "'next_step', 'same_step' or 'disabled'", "pass one of these");
}

void CheckRange(std::string_view key, int value, int low, int high) {
  if (value >= low && value <= high) return;
  throw OptionError(std::string(key), std::to_string(value),
                    std::to_string(low) + " .. " + std::to_string(high),
                    "pass a " + std::string(key) + " in this range");
}

/// The options of every environment, where they lie among all.
class CommonOptions {
 public:
  explicit CommonOptions(const std::vector<Option>& options) : options_(options) {}
  template <typename T>
  T& Get(std::string_view name) const {
    for (const Option& option : options_) {
      if (option.name == name) return *static_cast<T*>(option.value);
    }
    throw std::logic_error("no option " + std::string(name));
  }
  int& Int(std::string_view name) const { return Get<int>(name); }

 private:
  const std::vector<Option>& options_;
};

PoolOptions MakeOptions(const CommonOptions& config, const std::string& task_id,
                        Autoreset autoreset, StepKind kind) {
  for (const OptionRange& range : kOptionRanges) {
    CheckRange(range.name, config.Int(range.name), range.low, range.high);
  }
  const int num_envs = config.Int("num_envs");
  int& batch_size = config.Int("batch_size");
  if (batch_size == 0) batch_size = num_envs;
  CheckRange("batch_size", batch_size, 1, num_envs);
  const auto& seeds = config.Get<std::vector<std::int64_t>>("env_seed");
  if (!seeds.empty() && seeds.size() != static_cast<std::size_t>(num_envs)) {
    throw OptionError("env_seed", std::to_string(seeds.size()) + " seeds",
                      "none, or " + std::to_string(num_envs) + ", one per environment",
                      "correct the seeds");
  }
  if (autoreset == Autoreset::kSameStep && config.Int("max_num_players") > 1) {
    throw Error(ErrorKind::kConfig, "autoreset_mode of " + task_id,
                "'same_step' with several players",
                "'next_step' or 'disabled', since the next episode may have other players",
                "choose one of these");
  }
  int threads = config.Int("num_threads");
  if (threads == 0) threads = kind == StepKind::kBlocking ? batch_size : UsableCpus();
  return {.task_id = task_id,
          .num_envs = num_envs,
          .batch_size = batch_size,
          .num_threads = std::min(threads, num_envs),
          .affinity_offset = config.Int("thread_affinity_offset"),
          .max_episode_steps = config.Int("max_episode_steps"),
          .autoreset = autoreset};
}

}  // namespace

Object DefaultConfig(const EnvType& type) { return ToDict(type.options()->options()); }

Object Describe(const EnvType& type, PyObject* config) {
  const std::unique_ptr<SpecMaker> maker = MakeSpec(type, config);
  return Tuple(ToDict(maker->options()), ArraysToPython(maker->state(), kNumCommonColumns),
               ArraysToPython(maker->action(), kNumCommonActions));
}

std::unique_ptr<CompiledPool> MakePool(const EnvType& type, PyObject* config,
                                       const std::string& task_id,
                                       const std::string& autoreset_mode) {
  const std::unique_ptr<SpecMaker> maker = MakeSpec(type, config);
  const Autoreset autoreset = ParseAutoreset(autoreset_mode);
  PoolOptions options =
      MakeOptions(CommonOptions(maker->options()), task_id, autoreset, type.step_kind);
  if (type.saves) options.saved_options = SavedOptions(type, maker->options());
  auto memory = std::make_unique<ResultMemory>(maker->state(), options.batch_size, options.num_envs,
                                               autoreset == Autoreset::kSameStep);
  std::unique_ptr<Pool> pool;
  {
    GilRelease release;
    pool = std::make_unique<Pool>(maker->MakeEnvs(options), options, *memory,
                                  [&release] { release.WithGil(CheckSignals); });
  }
  return std::make_unique<CompiledPool>(std::move(memory), std::move(pool), type.reset_options);
}

Object OptionRanges() {
  Object ranges = Checked(PyDict_New());
  for (const OptionRange& range : kOptionRanges) {
    const Object pair = Tuple(Integer(range.low), Integer(range.high));
    Check(PyDict_SetItem(ranges.get(), Key(range.name).get(), pair.get()));
  }
  return ranges;
}

}  // namespace envpool::python
