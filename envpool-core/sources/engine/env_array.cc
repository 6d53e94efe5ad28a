// SPDX-License-Identifier: Apache-2.0
#include "envpool/engine/env_array.h"

#include <cstring>

#include "envpool/engine/build.h"

namespace envpool {

void EnvArrayBase::BuildAll(ActionTable& actions, const std::function<void()>& check_signals) {
  Reserve();
  actions_ = &actions;
  try {
    const auto build_one = [this](int env_id) {
      Build(env_id);
      state_of(env_id).todo = kMustReset | kNoEpisode;
    };
    BuildInParallel(options_, build_one, check_signals);
  } catch (...) {
    DestroyAll();
    throw;
  }
}

void EnvArrayBase::DestroyAll() {
  if (actions_ == nullptr) return;
  for (int i = 0; i < options_.num_envs; ++i) {
    if (!(state_of(i).todo & kMissing)) Destroy(i);
  }
  actions_ = nullptr;
  Free();
}

void EnvArrayBase::OfferResetOptions(int env_id, std::shared_ptr<const void> options) {
  if (offered_.empty()) {
    if (options == nullptr) return;
    offered_.resize(seeds_.size());
    given_.resize(seeds_.size());
  }
  offered_[static_cast<std::size_t>(env_id)] = std::move(options);
}

void EnvArrayBase::TakeResetOptions(int env_id, std::uint8_t& todo) {
  const auto i = static_cast<std::size_t>(env_id);
  todo &= static_cast<std::uint8_t>(~kHasOptions);
  given_[i] = std::exchange(offered_[i], nullptr);
  if (given_[i] != nullptr) todo |= kHasOptions;
}

void EnvArrayBase::MarkTerminalState(const Row& row) const {
  std::uint8_t& outcome = row.outcomes[row.index];
  // In a row that shows ends and starts at once, this is both.
  const bool is_end = options_.autoreset == Autoreset::kSameStep && outcome == 0;
  if (is_end) KeepFinal(row, false);
  outcome |= is_end ? kTerminated : kTerminalState;
}

void EnvArrayBase::KeepFinal(const Row& row, bool clears) const {
  const Columns& columns = state();
  for (std::size_t k = 0; k < columns.arrays.size(); ++k) {
    if (row.final_columns[k] == nullptr) continue;
    if (!clears && columns.arrays[k].dynamic()) continue;  // it has one owner: the row
    const std::size_t size = columns.row_sizes[k];
    std::byte* from = row.columns[k] + row.index * size;
    std::memcpy(row.final_columns[k] + row.index * size, from, size);
    if (clears && k >= kNumCommonColumns) std::memset(from, 0, size);
  }
}

void EnvArrayBase::KeepPlayers(const Row& row, std::int32_t& players) {
  if (row.players == Row::kOffered) RefuseMissing(row);
  players = row.players;
}

void EnvArrayBase::RefuseMissing(const Row& row) {
  const bool first = row.outcomes[row.index] & kFirst;
  throw std::logic_error((first ? "Reset" : "Step") +
                         std::string("() returned without calling Allocate()"));
}

void EnvArrayBase::CheckDrawable(int env_id) const {
  if (!(state_of(env_id).todo & kNoEpisode)) return;
  throw Error(ErrorKind::kRender,
              "render of " + options_.task_id + ", env " + std::to_string(env_id), "no episode yet",
              "environments that were reset", "call reset() first");
}

void EnvArrayBase::RenderDepth(int /*env_id*/, int /*width*/, int /*height*/, int /*camera_id*/,
                               float* /*depth*/) {
  RefuseRender();
}

std::string EnvArrayBase::RenderText(int /*env_id*/) { RefuseRender(); }

void EnvArrayBase::RefuseRender() const {
  throw Error(ErrorKind::kRender, "render of " + options_.task_id,
              "an environment that cannot draw itself", "tasks that can render",
              "see `envpool info` for the tasks that can");
}

void EnvArrayBase::RefuseRender(const std::exception& thrown) const {
  if (const auto* error = dynamic_cast<const Error*>(&thrown)) {
    throw Error(ErrorKind::kRender, error->asked, error->got, error->allowed, error->hint);
  }
  throw Error(ErrorKind::kRender, "render of " + options_.task_id, thrown.what(),
              "environments that can draw themselves", "see the text for the cause");
}

void EnvArrayBase::CheckOnlyCamera(int camera_id) const {
  if (camera_id <= 0) return;
  throw Error(ErrorKind::kRender, "render_camera_id or camera_id of " + options_.task_id,
              std::to_string(camera_id), "-1 or 0: the task has one view", "leave it out");
}

void EnvArrayBase::RefuseCall() const {
  throw Error(ErrorKind::kConfig, "a call of an environment of " + options_.task_id,
              "an environment that answers none", "tasks whose environment has Call",
              "leave the call out");
}

void EnvArrayBase::RefuseSave() const {
  throw Error(ErrorKind::kSavedState, "save_state of " + options_.task_id,
              "an environment that cannot be saved", "tasks whose environment has SaveState",
              "see `envpool info` for the tasks that can");
}

}  // namespace envpool
