// SPDX-License-Identifier: Apache-2.0
// MappedLibrary: a copy of libnethack.so that shares its code pages with all other copies, and has
// its own data, heap and stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>
#include <utility>
#include <vector>

#include "library/fault_guard.h"
#include "library/game_heap.h"
#include "library/game_library.h"
#include "library/image.h"

namespace envpool::nethack {

class MappedLibrary final : public GameLibrary {
 public:
  explicit MappedLibrary(std::shared_ptr<const Image> image);
  ~MappedLibrary() override;

  Outcome Start(Observation& observation, StartSettings& settings, std::int64_t clock,
                std::FILE* recording) override;
  Outcome Press(Observation& observation) override;
  bool guards() const override { return true; }
  bool SaveMemory(StateWriter& out) const override;
  bool LoadMemory(StateReader& in) override;

  // For the replaced imports:

  /// The copy whose game runs in this thread.
  static MappedLibrary* running() { return running_; }
  std::int64_t clock() const { return clock_; }
  std::tm* broken_down() { return &broken_down_; }
  GameHeap& heap() { return heap_; }
  /// Ends the game and returns to the caller of Start or Press.
  [[noreturn]] void Leave() { guard_.Leave(); }
  std::FILE* Open(const char* path, const char* mode);
  std::FILE* Keep(std::FILE* file);
  int Close(std::FILE* file);
  /// Memory for a stack, with room and a guard page below; null if there is no memory.
  void* TakeStack(std::size_t size);

 private:
  template <typename Call>
  Outcome Run(Observation& observation, const Call& call);
  template <typename Use>
  void ForEachData(const Use& use) const;
  void Renew();
  void Finish();

  static thread_local MappedLibrary* running_ [[gnu::tls_model("initial-exec")]];
  const std::shared_ptr<const Image> image_;
  std::uint8_t* base_ = nullptr;
  GameHeap heap_;
  FaultGuard guard_;
  void* game_ = nullptr;
  const std::uint64_t start_, step_, end_;  // addresses of the functions
  std::int64_t clock_ = 0;
  std::FILE* recording_ = nullptr;
  std::tm broken_down_{};
  const std::uint64_t number_;  // unique number of this copy, in all processes
  std::vector<std::FILE*> files_;
  std::FILE* data_ = nullptr;  // stays open, since saved games point to it
  bool data_is_open_ = false;  // open from the game's view
  bool is_used_ = false;       // true after a game was begun: data are no longer zeros
  std::uint8_t* stack_ = nullptr;
  std::size_t stack_size_ = 0;
};

}  // namespace envpool::nethack
