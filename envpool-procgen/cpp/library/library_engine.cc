// SPDX-License-Identifier: Apache-2.0
#include "library/library_engine.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "library/saved_state.h"

namespace envpool::procgen {
namespace {

// More steps than are ever taken: the pool counts steps, and the engine must not end levels.
constexpr std::int32_t kNoLimit = 1 << 30;

// The options in the library's form. Owns the memory that they point to.
class OptionList {
 public:
  void Add(const char* name, std::int32_t value) {
    integers_.push_back(value);
    kinds_.push_back({name, 2, {}});
  }
  void Add(const char* name, bool value) { kinds_.push_back({name, 1, std::string(1, value)}); }
  void Add(const char* name, std::string text) { kinds_.push_back({name, 1, std::move(text)}); }
  std::vector<LibraryOption> items() const {
    std::vector<LibraryOption> items;
    std::size_t integer = 0;
    for (const auto& [name, dtype, bytes] : kinds_) {
      LibraryOption item{};
      std::strncpy(item.name, name, sizeof(item.name) - 1);
      item.dtype = dtype;
      item.count = dtype == 2 ? 1 : static_cast<int>(bytes.size());
      item.data = dtype == 2 ? static_cast<const void*>(&integers_[integer++]) : bytes.data();
      items.push_back(item);
    }
    return items;
  }

 private:
  struct Kind {
    const char* name;
    int dtype;
    std::string bytes;
  };
  std::vector<Kind> kinds_;
  std::vector<std::int32_t> integers_;
};

void* MakeGame(const Library& library, const Settings& settings, bool draws_pictures) {
  OptionList options;
  options.Add("env_name", std::string(settings.game->name));
  const bool all = settings.levels == LevelRange{};
  options.Add("num_levels", all ? 0 : settings.levels.high - settings.levels.low);
  options.Add("start_level", all ? 0 : settings.levels.low);
  options.Add("num_actions", std::int32_t{kNumActions});
  options.Add("rand_seed", settings.seed);
  options.Add("num_threads", std::int32_t{0});
  options.Add("resource_root", library.assets());
  options.Add("render_human", draws_pictures);
  options.Add("use_sequential_levels", settings.sequential_levels);
  options.Add("distribution_mode", std::int32_t{settings.mode});
  options.Add("center_agent", settings.center_agent);
  options.Add("use_backgrounds", settings.backgrounds);
  options.Add("use_monochrome_assets", settings.monochrome_assets);
  options.Add("restrict_themes", settings.restrict_themes);
  options.Add("use_generated_assets", settings.generated_assets);
  options.Add("paint_vel_info", settings.paint_vel_info);
  options.Add("use_easy_jump", settings.easy_jump);
  options.Add("debug_mode", settings.debug_mode);
  const auto items = options.items();
  return library.Make(items.data(), static_cast<int>(items.size()));
}

struct Problem {
  std::mutex mutex;
  std::string text;
};
Problem& SharedProblem() {
  static Problem problem;
  return problem;
}

}  // namespace

LibraryEngine::LibraryEngine(const Library& library, const Settings& settings,
                             bool keeps_last_state)
    : library_(library),
      generated_assets_(settings.generated_assets),
      keeps_last_state_(keeps_last_state && !settings.generated_assets),
      levels_(settings.levels),
      frame_(kFrameBytes),
      last_frame_(kFrameBytes) {
  handle_ = MakeGame(library_, settings, false);
  std::string problem = EndHook::Attach(library_, handle_, std::string(settings.game->name));
  void* obs[] = {frame_.data()};
  void* info[] = {&previous_level_, &level_complete_, &level_};
  void* action[] = {&action_};
  {
    const Listening listening(this);
    library_.SetBuffers(handle_, {obs, &reward_, &first_, info, action});
  }
  if (problem.empty() && calls_ != 1) problem = "a first level that was made unseen";
  hooked_ = problem.empty();
  if (!hooked_) {
    const std::lock_guard lock(SharedProblem().mutex);
    SharedProblem().text = problem;
  }
  if (settings.limit() == 0) {
    std::string state = Save();
    SavedState(state).set_timeout(kNoLimit);
    library_.SetState(handle_, state);
  }
}

LibraryEngine::~LibraryEngine() { library_.Close(handle_); }

void LibraryEngine::Act(int action) {
  action_ = action;
  wants_last_frame_ = action != kEndEpisode;
  if (!hooked_) {
    library_.Act(handle_);
    return;
  }
  const Listening listening(this);
  library_.Act(handle_);
}

void LibraryEngine::BeforeNewLevel(void (*draw)(void* game), void* game) {
  ++calls_;
  if (!wants_last_frame_) return;
  draw(game);
  std::copy(frame_.begin(), frame_.end(), last_frame_.begin());
  if (keeps_last_state_) last_state_ = Save();
}

Outcome LibraryEngine::outcome() const {
  return {reward_, first_ != 0, previous_level_, level_complete_ != 0, level_};
}

void LibraryEngine::Load(const std::string& state) {
  std::string copy = state;
  const SavedState parts(copy);
  levels_ = {parts.level_low(), parts.level_high()};
  last_state_.clear();
  library_.SetState(handle_, state);
}

void LibraryEngine::SetLevels(LevelRange levels) {
  std::string state = Save();
  SavedState(state).set_levels(levels.low, levels.high);
  library_.SetState(handle_, state);
  levels_ = levels;
}

std::string LibraryEngine::HookProblem() {
  const std::lock_guard lock(SharedProblem().mutex);
  return SharedProblem().text;
}

void DrawPicture(const Library& library, const Settings& settings, const std::string& state,
                 std::uint8_t* rgb) {
  std::vector<std::uint8_t> frame(kFrameBytes);
  float reward = 0;
  std::uint8_t first = 0, level_complete = 0;
  std::int32_t previous_level = 0, level = 0, no_action = 0;
  void* const handle = MakeGame(library, settings, true);
  void* obs[] = {frame.data()};
  void* info[] = {&previous_level, &level_complete, &level, rgb};
  void* action[] = {&no_action};
  library.SetBuffers(handle, {obs, &reward, &first, info, action});
  library.SetState(handle, state);
  library.Observe(handle);
  library.Close(handle);
}

}  // namespace envpool::procgen
