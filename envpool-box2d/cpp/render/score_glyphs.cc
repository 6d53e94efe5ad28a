// SPDX-License-Identifier: Apache-2.0
#include "render/score_glyphs.h"

#include <mutex>
#include <utility>

namespace envpool::box2d {
namespace {
std::mutex mutex;
std::shared_ptr<const ScoreGlyphs> current;
}  // namespace

void ScoreGlyphs::Set(ScoreGlyphs glyphs) {
  const std::lock_guard lock(mutex);
  current = std::make_shared<const ScoreGlyphs>(std::move(glyphs));
}

std::shared_ptr<const ScoreGlyphs> ScoreGlyphs::Get() {
  const std::lock_guard lock(mutex);
  return current;
}

}  // namespace envpool::box2d
