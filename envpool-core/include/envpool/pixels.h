// SPDX-License-Identifier: Apache-2.0
// FromPixels<E>: the environment E, seen by its frames.
//
//   PYBIND11_MODULE(_toy, m) {
//     envpool::Register<Toy>(m, "Toy");
//     envpool::Register<envpool::FromPixels<Toy>>(m, "ToyPixels");
//   }
//
// In Python the family offers it with envpool.pixels; then
//
//   envpool.make("Toy-v0", from_pixels=True, frame_stack=4, render_width=64, render_height=64)
//
// E has Render and RenderSize. If it also has
//
//   void CheckRender(int width, int height, int camera_id);
//
// it is called when an environment is made, and may throw Error(kConfig), so that `make` refuses
// frames that cannot be drawn, as those of a camera that does not exist. The observation is one
// array "obs:pixels", uint8, of shape (3 * frame_stack, render_height, render_width): red, green
// and blue planes of the oldest frame first; after Reset all frames are the first one. Rewards,
// infos, actions, seeds and saved states are those of E.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "envpool/engine/batch.h"
#include "envpool/engine/env_array.h"
#include "envpool/env.h"
#include "envpool/error.h"
#include "envpool/frame_stack.h"
#include "envpool/state_io.h"

namespace envpool {

namespace detail {
template <typename E>
struct PixelDescription;
// Whether a done flag at the time limit counts has to be as it is for E; see CountsOwnSteps. The
// generator is E's, so that of the Env around it should be small.
template <typename E>
using PixelEnv = Env<std::conditional_t<decltype(CountsOwnSteps(static_cast<E*>(nullptr)))::value,
                                        EnvSpec<PixelDescription<E>>, PixelDescription<E>>,
                     std::minstd_rand>;
}  // namespace detail

template <typename E>
class FromPixels : public detail::PixelEnv<E> {
  static_assert(detail::Renderable<E>, "FromPixels<E>: E needs RenderSize() and Render()");
  using Base = detail::PixelEnv<E>;

 public:
  using typename Base::Action;
  using typename Base::Spec;
  using typename Base::State;
  static_assert(std::is_same_v<Action, typename E::Action>);

  static constexpr StepKind kStepKind =
      StepKindOf<E>() == StepKind::kTrivial ? StepKind::kDefault : StepKindOf<E>();

  static constexpr bool kHasCameras = detail::HasCameras<E>();

  /// Throws Error(kConfig) if E does not draw in the size that the options ask for.
  FromPixels(const Spec& spec, int env_id);
  ~FromPixels() override { batch_.FreeDynamic(0, 1); }

  bool IsDone() override { return env_.E::IsDone(); }
  void Reset() override {
    Begin();
    env_.E::Reset();
    Finish("Reset", true);
  }
  void Step(const Action& action) override {
    Begin();
    env_.E::Step(action);
    Finish("Step", false);
  }
  auto Kept() const
    requires detail::Keeping<E>
  {
    return env_.Kept();
  }
  void Keep(const auto& kept)
    requires detail::Keeping<E>
  {
    env_.Keep(kept);
  }
  bool Continue()
    requires detail::Continuing<E>
  {
    Begin();
    if (!env_.E::Continue()) return false;
    Finish("Continue", true);
    return true;
  }
  bool IsTerminalState()
    requires detail::MarkingTerminalStates<E>
  {
    return env_.E::IsTerminalState();
  }
  bool IsTruncated()
    requires detail::Truncating<E>
  {
    return env_.E::IsTruncated();
  }

  std::pair<int, int> RenderSize(int width, int height) { return env_.RenderSize(width, height); }
  void Render(int width, int height, int camera_id, unsigned char* rgb) {
    env_.Render(width, height, camera_id, rgb);
  }

  std::string Call(const std::string& request)
    requires detail::Callable<E>
  {
    return env_.Call(request);
  }

  void SaveState(StateWriter& out)
    requires detail::Savable<E>
  {
    auto& base = detail::BaseOf(env_);
    out.Write(static_cast<EnvBase&>(env_).seed_, base.generator());
    frames_.SaveState(out);
    env_.SaveState(out);
  }
  void LoadState(StateReader& in)
    requires detail::Savable<E>
  {
    auto& base = detail::BaseOf(env_);
    in.Read(static_cast<EnvBase&>(env_).seed_, base.generator());
    frames_.LoadState(in);
    env_.LoadState(in);
  }

 private:
  // An array that goes from E's row to the row of the pool.
  struct Copy {
    std::size_t from, to, size;
    bool dynamic;
  };
  // A piece of memory for elements of any type.
  struct alignas(alignof(std::max_align_t)) Aligned {
    std::byte bytes[alignof(std::max_align_t)];
  };

  static typename E::Spec::Config ConfigFor(const Spec& spec, int env_id);
  void MakeRow();
  void Begin();
  void Finish(const char* function, bool first);
  void Draw(bool first, std::uint8_t* observation);

  const typename E::Spec env_spec_;
  E env_;
  Batch batch_;  ///< one row, for E to write into
  Row row_of_env_;
  std::vector<Aligned> memory_;
  std::vector<Copy> copies_;
  int width_, height_, camera_id_;
  std::vector<std::uint8_t> rgb_;          ///< one frame as E draws it: height x width x 3
  FrameStack<std::uint8_t> frames_{1, 0};  ///< frames of 3 planes
};

namespace detail {

template <typename Field>
inline constexpr bool kIsObservation = Field::name == "obs" || Field::name.starts_with("obs:");

template <typename F>
auto UnlessObservation([[maybe_unused]] F field) {
  if constexpr (kIsObservation<F>) {
    return Dict<>{};
  } else {
    return Dict<F>{std::move(field)};
  }
}
template <typename... F>
auto WithoutObservations(Dict<F...> dict) {
  return (Dict<>{} + ... + UnlessObservation<F>(static_cast<F&&>(dict)));
}

/// `dict`, and `field` after its own ones unless it has one of that name.
template <typename D, FixedString Name, typename T>
auto WithDefault(D dict, Field<Name, T> field) {
  if constexpr (HasField<D, Name>) {
    return dict;
  } else {
    return std::move(dict) + Dict<Field<Name, T>>{std::move(field)};
  }
}

/// The fields of `dict` that a smaller one has.
template <typename... F>
Dict<F...> Narrowed(const auto& dict, std::type_identity<Dict<F...>>) {
  return {static_cast<const F&>(dict)...};
}

template <typename E>
struct PixelDescription {
  using Inner = typename E::Spec;
  using Description = typename Inner::Description;

  static auto DefaultConfig() {
    // Networks take small frames; this is EnvPool 1.2.5's size.
    auto config = WithDefault(Description::DefaultConfig(), "frame_stack"_ = 1);
    auto sized =
        WithDefault(WithDefault(std::move(config), "render_width"_ = 84), "render_height"_ = 84);
    return WithDefault(std::move(sized), "render_camera_id"_ = -1);
  }
  static auto StateSpec(const auto& config) {
    const int stack = config["frame_stack"_];
    CheckFrames(1, stack);
    return Dict{"obs:pixels"_ = Box<std::uint8_t>(
                    {3 * stack, config["render_height"_], config["render_width"_]}, 0, 255)} +
           WithoutObservations(Description::StateSpec(InnerConfig(config)));
  }
  static auto ActionSpec(const auto& config) {
    return Description::ActionSpec(InnerConfig(config));
  }
  static auto ResetOptions(const auto& config) {
    return ResetOptionsOf<Description>(InnerConfig(config));
  }
  static void CheckResetOptions(const auto& options, const auto& config) {
    if constexpr (HasCheckResetOptions<Description>()) {
      Description::CheckResetOptions(options, InnerConfig(config));
    }
  }
  static typename Inner::Config InnerConfig(const auto& config) {
    return Narrowed(config, std::type_identity<typename Inner::Config>());
  }
};

}  // namespace detail

template <typename E>
FromPixels<E>::FromPixels(const Spec& spec, int env_id)
    : Base(spec, env_id),
      env_spec_(ConfigFor(spec, env_id)),
      env_(env_spec_, env_id),
      batch_(env_spec_.state, 1, 0),
      width_(spec.config["render_width"_]),
      height_(spec.config["render_height"_]),
      camera_id_(spec.config["render_camera_id"_]) {
  const std::pair<int, int> drawn = env_.RenderSize(width_, height_);
  if (width_ < 1 || height_ < 1 || drawn != std::pair(width_, height_)) {
    const auto text = [](std::pair<int, int> size) {
      return std::to_string(size.first) + " x " + std::to_string(size.second);
    };
    throw Error(ErrorKind::kConfig, "observations of " + text({width_, height_}) + " pixels",
                "an environment that draws " + text(drawn), "sizes in which it draws",
                "pass another render_width and render_height");
  }
  if (!kHasCameras && camera_id_ > 0) {
    throw OptionError("render_camera_id", std::to_string(camera_id_),
                      "-1 or 0: the task has one view", "leave it out");
  }
  if constexpr (requires { env_.CheckRender(width_, height_, camera_id_); }) {
    env_.CheckRender(width_, height_, camera_id_);
  }
  MakeRow();
  rgb_.resize(3 * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
  frames_ = FrameStack<std::uint8_t>(spec.config["frame_stack"_], rgb_.size());
}

template <typename E>
typename E::Spec::Config FromPixels<E>::ConfigFor(const Spec& spec, int env_id) {
  auto config = detail::PixelDescription<E>::InnerConfig(spec.config);
  // So that the list of all seeds is not copied into each environment.
  config["env_seed"_].clear();
  config["seed"_] = spec.SeedOf(env_id) - env_id;
  return config;
}

template <typename E>
void FromPixels<E>::MakeRow() {
  const Columns& from = env_spec_.state;
  const Columns& to = this->spec_.state;
  std::vector<std::size_t> begins;
  std::size_t units = 0;
  for (std::size_t size : from.row_sizes) {
    begins.push_back(units);
    units += (size + sizeof(Aligned) - 1) / sizeof(Aligned);
  }
  memory_.resize(units);
  std::size_t column = 0;
  for (std::size_t begin : begins) {
    batch_.columns[column++] = reinterpret_cast<std::byte*>(memory_.data() + begin);
  }
  for (std::size_t i : {kRewardColumn, kDiscountColumn}) {
    copies_.push_back({i, i, from.row_sizes[i], false});
  }
  for (std::size_t i = kNumCommonColumns; i < from.arrays.size(); ++i) {
    for (std::size_t k = kNumCommonColumns; k < to.arrays.size(); ++k) {
      if (to.arrays[k].name != from.arrays[i].name) continue;
      copies_.push_back({i, k, from.row_sizes[i], from.arrays[i].dynamic()});
    }
  }
}

template <typename E>
void FromPixels<E>::Begin() {
  batch_.FreeDynamic(0, 1);
  batch_.Clear(0, 1);
  row_of_env_ = batch_.row(0);
  row_of_env_.reset_options = static_cast<EnvBase&>(*this).row_->reset_options;
  static_cast<EnvBase&>(env_).row_ = &row_of_env_;
}

template <typename E>
void FromPixels<E>::Finish(const char* function, bool first) {
  if (row_of_env_.players == Row::kOffered) {
    throw std::logic_error(std::string(function) + "() returned without calling Allocate()");
  }
  State state = this->Allocate(row_of_env_.players);
  Draw(first, state["obs:pixels"_].data());
  const Row& row = *static_cast<EnvBase&>(*this).row_;
  for (const Copy& copy : copies_) {
    std::byte* from = batch_.columns[copy.from];
    std::memcpy(row.columns[copy.to] + row.index * copy.size, from, copy.size);
    // A dynamic array has one owner, which is the pool from here on.
    if (copy.dynamic) std::memset(from, 0, copy.size);
  }
}

template <typename E>
void FromPixels<E>::Draw(bool first, std::uint8_t* observation) {
  env_.Render(width_, height_, camera_id_, rgb_.data());
  const std::size_t plane = rgb_.size() / 3;
  std::uint8_t* const newest = frames_.Newest(observation);
  // The three arrays do not overlap: the attribute lets the compiler vectorize.
  std::uint8_t* __restrict red = newest;
  std::uint8_t* __restrict green = newest + plane;
  std::uint8_t* __restrict blue = newest + 2 * plane;
  const std::uint8_t* __restrict from = rgb_.data();
  for (std::size_t i = 0; i < plane; ++i) {
    red[i] = from[3 * i];
    green[i] = from[3 * i + 1];
    blue[i] = from[3 * i + 2];
  }
  first ? frames_.Fill(observation) : frames_.Push(observation);
}

}  // namespace envpool
