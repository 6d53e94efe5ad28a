// SPDX-License-Identifier: Apache-2.0
// The files of a model, to detect that one of them was changed.
//
//   const std::vector<FileState> files = FilesOf("/usr/share/robots/walker.xml");
//   const std::vector<FileState> included = FilesOfText("<mujoco><include file=...", folder);
//   ...
//   if (!Unchanged(files)) ...
//
// A `file` attribute in a model may name a file in the folder of the naming file, in the folder of
// the first file, or in a folder of `meshdir` and similar attributes; all of these places are
// checked, and places without a file are remembered as well. A file counts as changed if its size,
// its time or its change time differs; no program can set the change time back.
#pragma once

#include <sys/stat.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace envpool::mujoco {

/// A file, and its state when the model was read.
struct FileState {
  std::string path;
  std::array<std::int64_t, 7> state;  ///< zeros if the file does not exist

  bool exists() const { return state != decltype(state){}; }
  bool is_regular() const { return S_ISREG(static_cast<mode_t>(state[0])); }
  bool is_folder() const { return S_ISDIR(static_cast<mode_t>(state[0])); }
  std::int64_t size() const { return state[2]; }  ///< bytes
};

inline std::array<std::int64_t, 7> StateOf(const std::string& path) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0) return {};
  return {static_cast<std::int64_t>(found.st_mode),
          static_cast<std::int64_t>(found.st_ino),
          found.st_size,
          found.st_mtim.tv_sec,
          found.st_mtim.tv_nsec,
          found.st_ctim.tv_sec,
          found.st_ctim.tv_nsec};
}

inline bool Unchanged(const std::vector<FileState>& files) {
  for (const FileState& file : files) {
    if (StateOf(file.path) != file.state) return false;
  }
  return true;
}

namespace detail {
class FileFinder {
 public:
  /// The files of the model in the file `path`.
  explicit FileFinder(const std::filesystem::path& path)
      : first_(path.parent_path()), folders_{first_} {
    Read(path);
    FollowNames();
  }
  /// The files of the model `text`, parsed like a file in `folder`.
  FileFinder(const std::string& text, const std::filesystem::path& folder)
      : first_(folder), folders_{first_} {
    ReadText(text, folder);
    FollowNames();
  }
  std::vector<FileState> files() const { return files_; }

 private:
  void FollowNames() {
    // A folder may be named after its files, and an included file names further files.
    for (std::size_t before = 0; before != folders_.size() + names_.size();) {
      before = folders_.size() + names_.size();
      const std::vector<std::string> named(names_.begin(), names_.end());
      for (const std::string& name : named) Look(name);
    }
  }
  void Read(const std::filesystem::path& path) {
    if (!seen_.insert(path.lexically_normal().string()).second) return;
    files_.push_back({path.string(), StateOf(path.string())});
    // Opening a pipe would wait for its writer.
    if (!files_.back().is_regular()) return;
    if (path.extension() != ".xml" && path.extension() != ".mjcf" && path.extension() != ".urdf") {
      return;
    }
    std::ifstream in(path, std::ios::binary);
    ReadText({std::istreambuf_iterator<char>(in), {}}, path.parent_path());
  }
  void ReadText(const std::string& text, const std::filesystem::path& folder) {
    AddFolder(folder);
    ForEachAttribute(text, [&](const std::string& key, const std::string& value) {
      if (key.ends_with("dir")) {
        AddFolder(first_ / value);
        AddFolder(folder / value);
      } else if (key.starts_with("file")) {  // file, fileright, ..., filename
        names_.insert(value);
      }
    });
  }
  /// Removes "..": files that include from each other's folders would add ever longer paths.
  void AddFolder(const std::filesystem::path& folder) {
    folders_.insert(folder.lexically_normal());
  }
  /// Calls `act` with each key="value" of a text; a commented-out file is merely an additional
  /// file.
  template <typename Act>
  static void ForEachAttribute(const std::string& text, const Act& act) {
    for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
      std::size_t quote = at + 1, end = at;
      while (quote < text.size() && IsSpace(text[quote])) ++quote;
      if (quote == text.size() || (text[quote] != '"' && text[quote] != '\'')) continue;
      const std::size_t close = text.find(text[quote], quote + 1);
      if (close == std::string::npos) continue;
      while (end > 0 && IsSpace(text[end - 1])) --end;
      std::size_t begin = end;
      while (begin > 0 && IsLetter(text[begin - 1])) --begin;
      act(text.substr(begin, end - begin), text.substr(quote + 1, close - quote - 1));
    }
  }
  static bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  static bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  void Look(const std::string& name) {
    const std::filesystem::path file(name);
    const std::set<std::filesystem::path> folders = folders_;
    for (const auto& folder : folders) {
      Read(folder / file);
      Read(folder / file.filename());  // `strippath`
    }
  }

  const std::filesystem::path first_;
  std::set<std::filesystem::path> folders_;
  std::set<std::string> names_, seen_;
  std::vector<FileState> files_;
};
}  // namespace detail

/// The files of a model, and the places where its files could be.
inline std::vector<FileState> FilesOf(const std::string& path) {
  return detail::FileFinder(std::filesystem::path(path)).files();
}
/// The same for the text of a model that is parsed like a file in `folder`.
inline std::vector<FileState> FilesOfText(const std::string& text, const std::string& folder) {
  return detail::FileFinder(text, folder).files();
}

}  // namespace envpool::mujoco
