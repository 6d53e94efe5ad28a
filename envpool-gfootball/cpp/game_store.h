// SPDX-License-Identifier: Apache-2.0
// GameStore: games of environments that are gone, for those that come. A game takes long to make
// and plays the same, whatever was played before; a new seed makes an environment anew.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "engine/game.h"
#include "envpool/fork_local.h"

namespace envpool::gfootball {

/// Which games are alike: folder of the data, and frames of a step.
using GameKind = std::pair<std::string, int>;

class GameStore {
 public:
  /// A kept game, or a new one.
  static std::unique_ptr<Game> Take(const GameKind& kind) {
    GameStore& store = ForkLocal<GameStore>::Get();
    {
      const std::scoped_lock lock(store.mutex_);
      for (auto it = store.games_.begin(); it != store.games_.end(); ++it) {
        if (it->first != kind) continue;
        std::unique_ptr<Game> game = std::move(it->second);
        store.games_.erase(it);
        return game;
      }
    }
    return std::make_unique<Game>(kind.first, kind.second);
  }
  /// Keeps a game that is in order, and lets the oldest go where there are many.
  static void Give(GameKind kind, std::unique_ptr<Game> game) {
    if (game == nullptr) return;
    GameStore& store = ForkLocal<GameStore>::Get();
    std::unique_ptr<Game> gone;  // without the lock
    const std::scoped_lock lock(store.mutex_);
    store.games_.emplace_back(std::move(kind), std::move(game));
    if (store.games_.size() <= kMost) return;
    gone = std::move(store.games_.front().second);
    store.games_.pop_front();
  }

 private:
  friend class ForkLocal<GameStore>;
  // Enough for the threads of a pool that takes a new seed, where each gives one and takes one.
  static constexpr std::size_t kMost = 4;

  GameStore() = default;

  std::mutex mutex_;
  std::list<std::pair<GameKind, std::unique_ptr<Game>>> games_;
};

}  // namespace envpool::gfootball
