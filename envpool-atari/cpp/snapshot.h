// SPDX-License-Identifier: Apache-2.0
// Snapshot: a game at one moment, to come back to within the process.
// GameStart: the moment at which a new game begins, for those who want to save the frames to there.
//
//   Snapshot<> moment;
//   moment.Take(game);
//   ...
//   moment.Restore(game);
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "cartridges.h"
#include "games/game.h"

namespace atari {

/// Takes what Game::SaveState writes, in memory that is used again and again. Without
/// `kWithRandom` the game's generator of random numbers is left out, and goes on when it is
/// restored.
template <bool kWithRandom = true>
class Snapshot {
 public:
  void Take(const Game& game) {
    bytes_.clear();
    game.SaveState(*this);
  }
  /// Throws std::out_of_range if the bytes are not those of such a game.
  void Restore(Game& game) const {
    Reader reader{bytes_};
    game.LoadState(reader);
  }

  template <typename... T>
  void Write(const T&... values) {
    (One(values), ...);
  }

  std::string& bytes() { return bytes_; }
  const std::string& bytes() const { return bytes_; }

 private:
  template <typename T>
  static constexpr bool kKept = kWithRandom || !std::is_same_v<T, MersenneTwister>;

  template <typename T>
  void One(const T& value) {
    if constexpr (kKept<T>) bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  void One(const std::vector<std::uint8_t>& values) {
    One(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size());
  }

  struct Reader {
    const std::string& bytes;
    std::size_t at = 0;

    template <typename... T>
    void Read(T&... values) {
      (One(values), ...);
    }

   private:
    void Copy(void* to, std::size_t size) {
      if (size > bytes.size() - at) throw std::out_of_range("a snapshot is too short");
      if (size > 0) std::memcpy(to, bytes.data() + at, size);
      at += size;
    }
    template <typename T>
    void One(T& value) {
      if constexpr (kKept<T>) Copy(&value, sizeof(T));
    }
    void One(std::vector<std::uint8_t>& values) {
      std::size_t size = 0;
      One(size);
      if (size > bytes.size() - at) throw std::out_of_range("a snapshot is too short");
      values.resize(size);
      Copy(values.data(), size);
    }
  };

  std::string bytes_;
};

struct GameStart {
  Snapshot<false> moment;
  std::vector<std::uint8_t> screen;

  /// The start of a game in a mode (-1: its own): found once in a process, by playing there.
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
      found->moment.Take(game);
      found->screen.assign(game.screen(), game.screen() + game.height() * kScreenWidth);
      start = std::move(found);
    }
    return start;
  }
};

}  // namespace atari
