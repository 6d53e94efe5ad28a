// SPDX-License-Identifier: Apache-2.0
// Folder: where a game keeps its files: levels that it left, scores, and a link to its data.
#pragma once

#include <set>
#include <string>

#include "envpool/state_io.h"

namespace envpool::nethack {

class Folder {
 public:
  /// Makes one, with a link to the game's data. Throws std::runtime_error.
  explicit Folder(const std::string& data);
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();

  const std::string& path() const { return path_; }
  /// Takes away what a game left. Its scores would show on the last screen of the next one. Returns
  /// false where somebody took the folder away, as those do who clean up old files: it is a new
  /// one, without what was put into it.
  bool Clear();
  /// Writes a file of the next games, which stays.
  void Put(const std::string& name, const std::string& bytes);

  /// The files that a game left, with what is in them.
  void Save(StateWriter& out) const;
  /// The other way; returns what Clear returns.
  bool Load(StateReader& in);

 private:
  void Fill();

  std::string path_;
  std::string data_;
  std::set<std::string> kept_{"nhdat", "save"};
};

}  // namespace envpool::nethack
