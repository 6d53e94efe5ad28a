// SPDX-License-Identifier: Apache-2.0
// EnvType: an environment's class without its type: its options, its arrays, and how many of them
// are made. Register<E> makes one, and the binding makes pools of it.
#pragma once

#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "envpool/binding/options.h"
#include "envpool/engine/columns.h"
#include "envpool/engine/env_array.h"
#include "envpool/engine/pool_options.h"
#include "envpool/step_kind.h"

// The engine and its version, as "MuJoCo 3.17.0", for families whose saved states have states of an
// engine inside. States of another version are refused. The build of the family sets it.
#ifndef ENVPOOL_STATE_ENGINE
#define ENVPOOL_STATE_ENGINE ""
#endif

namespace envpool::python {

/// The options of an environment, and then the arrays that they give.
class SpecMaker {
 public:
  virtual ~SpecMaker() = default;
  /// All options, the common ones first. They may be changed until Make. After it only options may
  /// be changed on which no array depends.
  virtual std::vector<Option> options() = 0;
  /// Asks the description for its arrays; exceptions of the description are thrown on.
  virtual void Make() = 0;
  virtual const Columns& state() const = 0;
  virtual const Columns& action() const = 0;
  /// After Make, and once: it takes the spec away.
  virtual std::unique_ptr<EnvArrayBase> MakeEnvs(const PoolOptions& options) = 0;
};

struct EnvType {
  std::string name;
  bool renders = false;
  bool renders_depth = false;
  bool renders_text = false;
  bool saves = false;
  StepKind step_kind = StepKind::kDefault;
  std::unique_ptr<SpecMaker> (*options)() = nullptr;  ///< the defaults
  std::string_view engine{};  ///< the engine whose state a saved state has, with its version
  /// Options that a saved state does not depend on, beside the common ones.
  std::vector<std::string_view> not_in_states{};
  /// Lists the options of a reset; null: there are none.
  std::vector<Option> (*reset_options)(void* options) = nullptr;
};

/// The fields of a Dict of options.
template <typename D>
std::vector<Option> OptionsIn(D& dict) {
  std::vector<Option> options;
  dict.ForEach([&]<typename T>(std::string_view name, T& value) {
    options.push_back({name, &OptionTypeOf<T>(), &value});
  });
  return options;
}

template <typename E>
class SpecMakerOf final : public SpecMaker {
 public:
  using Spec = typename E::Spec;

  std::vector<Option> options() override {
    return OptionsIn(spec_ == nullptr ? config_ : spec_->config);
  }
  void Make() override { spec_ = std::make_unique<Spec>(config_); }
  const Columns& state() const override { return spec_->state; }
  const Columns& action() const override { return spec_->action; }
  std::unique_ptr<EnvArrayBase> MakeEnvs(const PoolOptions& options) override {
    return std::make_unique<EnvArray<E>>(std::move(spec_), options);
  }

 private:
  typename Spec::Config config_ = Spec::DefaultConfig();
  std::unique_ptr<Spec> spec_;
};

template <typename E>
EnvType MakeEnvType(std::string name) {
  EnvType type{
      .name = std::move(name),
      .renders = envpool::detail::Renderable<E>,
      .renders_depth = envpool::detail::DepthRenderable<E>,
      .renders_text = envpool::detail::TextRenderable<E>,
      .saves = envpool::detail::Savable<E>,
      .step_kind = StepKindOf<E>(),
      .options = []() -> std::unique_ptr<SpecMaker> { return std::make_unique<SpecMakerOf<E>>(); },
      .engine = ENVPOOL_STATE_ENGINE};
  if constexpr (requires { E::Spec::Description::kNotInStates; }) {
    type.not_in_states.assign(std::begin(E::Spec::Description::kNotInStates),
                              std::end(E::Spec::Description::kNotInStates));
  }
  if constexpr (envpool::detail::kHasResetOptions<E>) {
    type.reset_options = [](void* options) {
      return OptionsIn(*static_cast<typename E::Spec::ResetOptions*>(options));
    };
  }
  return type;
}

}  // namespace envpool::python
