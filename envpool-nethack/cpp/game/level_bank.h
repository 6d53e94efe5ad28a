// SPDX-License-Identifier: Apache-2.0
// LevelBank: levels that NetHack's compiler made from descriptions. MiniHack's games begin in them.
//
// The file has one line with the levels' sizes in bytes, and then the levels.
#pragma once

#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/assets.h"
#include "envpool/shared_asset.h"

namespace envpool::nethack {

class LevelBank {
 public:
  /// The levels of a file, which all environments share. Throws std::runtime_error if it is not a
  /// level bank.
  static std::shared_ptr<const LevelBank> Of(const std::string& path) {
    return SharedAsset<LevelBank>::Get(FileKey(path), [&] { return LevelBank(path); });
  }

  std::size_t size() const { return levels_.size(); }
  const std::string& level(std::size_t index) const { return levels_[index]; }

 private:
  explicit LevelBank(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string line;
    std::getline(file, line);
    std::istringstream sizes(line);
    for (std::size_t size = 0; sizes >> size;) {
      levels_.emplace_back(size, '\0');
      if (!file.read(levels_.back().data(), static_cast<std::streamsize>(size))) {
        throw std::runtime_error(path + " is cut short: delete it, and make the pool again");
      }
    }
    if (levels_.empty()) throw std::runtime_error(path + " has no levels");
  }

  std::vector<std::string> levels_;
};

}  // namespace envpool::nethack
