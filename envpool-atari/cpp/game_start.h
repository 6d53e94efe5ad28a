// SPDX-License-Identifier: Apache-2.0
// GameStart: the state in which a new game begins. Restoring it saves the frames before.
//
//   auto start = GameStart::Of(*FindGame("pong"), /*mode=*/-1, /*difficulty=*/-1);
//   start->Restore(game);  // in place of game.Reset()
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "cartridges.h"
#include "games/game.h"

namespace envpool::atari {

class GameStart {
 public:
  /// The start of a game in a mode (-1: the game's first), played once per process.
  static std::shared_ptr<const GameStart> Of(const GameInfo& info, int mode, int difficulty) {
    static std::mutex mutex;
    static std::map<std::tuple<const GameInfo*, int, int>, std::shared_ptr<const GameStart>> starts;
    const std::lock_guard lock(mutex);
    std::shared_ptr<const GameStart>& start = starts[{&info, mode, difficulty}];
    if (start == nullptr) {
      Game game(Cartridges::Loaded(info.name), 0, 0);
      if (mode != -1) game.SetMode(mode);
      if (difficulty != -1) game.SetDifficulty(difficulty);
      game.Reset();
      auto found = std::make_shared<GameStart>();
      game.SaveState(*found);
      start = std::move(found);
    }
    return start;
  }

  /// Puts a game into this state. Its random generator stays as it is.
  void Restore(Game& game) const {
    Reader reader{bytes_};
    game.LoadState(reader);
  }

  /// Writes what Game::SaveState writes, except the random generator.
  template <typename... T>
  void Write(const T&... values) {
    (Add(values), ...);
  }

 private:
  struct Reader {
    template <typename... T>
    void Read(T&... values) {
      (Take(values), ...);
    }

    const std::string& bytes;
    std::size_t at = 0;

   private:
    template <typename T>
    void Take(T& value) {
      if constexpr (!std::is_same_v<T, MersenneTwister>) Copy(&value, sizeof(T));
    }
    void Take(std::vector<std::uint8_t>& values) {
      std::size_t size = 0;
      Take(size);
      values.resize(size);
      Copy(values.data(), size);
    }
    void Copy(void* to, std::size_t size) {
      if (size > 0) std::memcpy(to, bytes.data() + at, size);
      at += size;
    }
  };

  template <typename T>
  void Add(const T& value) {
    if constexpr (!std::is_same_v<T, MersenneTwister>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    }
  }
  void Add(const std::vector<std::uint8_t>& values) {
    Add(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size());
  }

  std::string bytes_;
};

}  // namespace envpool::atari
