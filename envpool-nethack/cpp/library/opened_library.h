// SPDX-License-Identifier: Apache-2.0
// OpenedLibrary: a copy of libnethack.so that the system's loader makes. Games are the same, but a
// crash ends the process, and the clock is the machine's.
#pragma once

#include <cstdint>
#include <string>

#include "library/game_library.h"

namespace envpool::nethack {

class OpenedLibrary final : public GameLibrary {
 public:
  /// Throws std::runtime_error if the file cannot be copied.
  explicit OpenedLibrary(const std::string& path);
  ~OpenedLibrary() override;

  Outcome Start(Observation& observation, StartSettings& settings, std::int64_t clock,
                std::FILE* recording) override;
  Outcome Press(Observation& observation) override;
  bool guards() const override { return false; }

 private:
  void Finish();

  int file_ = -1;
  void* library_ = nullptr;
  void* game_ = nullptr;
  std::FILE* recording_ = nullptr;
  StepFunction step_ = nullptr;
  EndFunction end_ = nullptr;
};

}  // namespace envpool::nethack
