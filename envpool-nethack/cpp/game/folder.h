// SPDX-License-Identifier: Apache-2.0
// Folder: the folder with a game's files: levels that it left, scores, and a link to its data.
#pragma once

#include <set>
#include <string>

#include "envpool/state_io.h"

namespace envpool::nethack {

class Folder {
 public:
  /// Makes a folder with a link to the game's data. Throws std::runtime_error.
  explicit Folder(const std::string& data);
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();

  const std::string& path() const { return path_; }
  /// Removes the files of the last game; its scores would appear on the last screen of the next
  /// game. Returns false if the folder was deleted, as by programs that clean up old files: it is
  /// then made again, without the files of Put.
  bool Clear();
  /// Writes a file for the next games. Clear keeps it.
  void Put(const std::string& name, const std::string& bytes);

  /// Writes the files of the game, with their contents.
  void Save(StateWriter& out) const;
  /// Reads them; returns what Clear returns.
  bool Load(StateReader& in);

 private:
  void Fill();

  std::string path_;
  std::string data_;
  std::set<std::string> kept_{"nhdat", "save"};
};

}  // namespace envpool::nethack
