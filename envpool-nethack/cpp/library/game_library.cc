// SPDX-License-Identifier: Apache-2.0
#include "library/game_library.h"

#include <stdexcept>

#include "library/mapped_library.h"
#include "library/opened_library.h"

namespace envpool::nethack {

std::unique_ptr<GameLibrary> LoadLibrary(const std::string& path, const std::string& loader) {
  if (loader == "own" || (loader == "auto" && ProblemOfOwnLoader(path).empty())) {
    return std::make_unique<MappedLibrary>(Image::Of(path));
  }
  return std::make_unique<OpenedLibrary>(path);
}

std::string ProblemOfOwnLoader(const std::string& path) {
  try {
    const auto image = Image::Of(path);
    for (const char* function : {"nle_start", "nle_step", "nle_end"}) image->Find(function);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

}  // namespace envpool::nethack
