// SPDX-License-Identifier: Apache-2.0
#include "library/end_hook.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

namespace envpool::procgen {
namespace {

constexpr std::size_t kObserve = 2, kNewLevel = 4;
constexpr std::size_t kHead = 2;     // words before a table: offset and type
constexpr std::size_t kChecked = 9;  // number of entries that every game has
constexpr std::size_t kCopied = 64;  // more entries than any game has
using Function = void (*)(void*);

struct Table {
  Function observe = nullptr, new_level = nullptr;
  std::array<void*, kHead + kCopied> words{};
  void** entries() { return words.data() + kHead; }
};

thread_local EndHook* listening = nullptr;

// The game's present table: a copy made here, which stores the replaced entry beside it.
Table& TableOf(void* game) {
  char* entries = nullptr;
  std::memcpy(&entries, game, sizeof(entries));
  return *reinterpret_cast<Table*>(entries - offsetof(Table, words) - kHead * sizeof(void*));
}

void BeforeNewLevel(void* game) {
  const Table& table = TableOf(game);
  if (listening != nullptr) listening->BeforeNewLevel(table.observe, game);
  table.new_level(game);
}

template <typename T>
T Read(const void* from, std::size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(from) + offset, sizeof(value));
  return value;
}

// The copy of the table at `entries`, made once per game. Null if `entries` does not look like a
// table.
Table* CopyOf(const Library& library, void* entries, const std::string& game_name,
              std::string& problem) {
  static std::mutex mutex;
  static std::map<void*, std::unique_ptr<Table>> copies;
  const std::lock_guard lock(mutex);
  if (const auto found = copies.find(entries); found != copies.end()) return found->second.get();
  char* const begin = static_cast<char*>(entries) - kHead * sizeof(void*);
  if (!library.Contains(begin, (kHead + kCopied) * sizeof(void*))) {
    problem = "no table of functions";
    return nullptr;
  }
  auto table = std::make_unique<Table>();
  std::memcpy(table->words.data(), begin, sizeof(table->words));
  for (std::size_t i = 0; i < kChecked; ++i) {
    if (!library.Contains(table->entries()[i], 1)) {
      problem = "a function outside of the library";
      return nullptr;
    }
  }
  const void* const type = table->words[1];
  const char* name =
      library.Contains(type, 2 * sizeof(void*)) ? Read<const char*>(type, sizeof(void*)) : nullptr;
  if (name == nullptr || !library.Contains(name, 1)) {
    problem = "no type of the game";
    return nullptr;
  }
  std::string lower(name, strnlen(name, 64));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower.find(game_name) == std::string::npos) {
    problem = "another game, " + lower;
    return nullptr;
  }
  table->observe = reinterpret_cast<Function>(table->entries()[kObserve]);
  table->new_level = reinterpret_cast<Function>(table->entries()[kNewLevel]);
  table->entries()[kNewLevel] = reinterpret_cast<void*>(&BeforeNewLevel);
  return copies.emplace(entries, std::move(table)).first->second.get();
}

}  // namespace

EndHook::Listening::Listening(EndHook* hook) { listening = hook; }
EndHook::Listening::~Listening() { listening = nullptr; }

std::string EndHook::Attach(const Library& library, void* handle, const std::string& game_name) {
  constexpr std::size_t kShared = 2 * sizeof(void*);  // size of a std::shared_ptr
  if (Read<int>(handle, 72) != 1 || Read<int>(handle, 80) != 15) return "other numbers in a handle";
  const auto begin = Read<std::uintptr_t>(handle, 88), end = Read<std::uintptr_t>(handle, 96);
  if (begin == 0 || end - begin != kShared) return "no list of one game in a handle";
  void* const game = Read<void*>(reinterpret_cast<const void*>(begin), 0);
  if (game == nullptr) return "no game in a handle";
  std::string problem;
  Table* const table = CopyOf(library, Read<void*>(game, 0), game_name, problem);
  if (table == nullptr) return problem;
  void** const entries = table->entries();
  std::memcpy(game, &entries, sizeof(entries));
  return {};
}

}  // namespace envpool::procgen
