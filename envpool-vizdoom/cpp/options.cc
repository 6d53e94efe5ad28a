// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace envpool::vizdoom {

std::vector<int> AllVariables(const Scenario& scenario) {
  std::vector<int> variables = scenario.variables;
  for (int variable : kInfoVariables) {
    if (std::find(variables.begin(), variables.end(), variable) == variables.end()) {
      variables.push_back(variable);
    }
  }
  return variables;
}

std::vector<std::string> SplitArguments(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string GameWad(const std::string& option, const Scenario& scenario,
                    const std::string& program) {
  namespace fs = std::filesystem;
  const auto is_file = [](const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
  };
  const fs::path wanted = !option.empty()             ? option
                          : scenario.game_wad.empty() ? "freedoom2.wad"
                                                      : scenario.game_wad;
  if (is_file(wanted)) return wanted;
  if (option.empty()) {
    const fs::path beside = fs::path(program).parent_path() / wanted.filename();
    if (is_file(beside)) return beside;
  }
  throw envpool::OptionError("iwad_path", "no file " + wanted.string(),
                             "the path of a game's data, as freedoom2.wad or doom2.wad",
                             "correct the path, or leave it out for Freedoom 2");
}

void CheckOption(const std::string& name, int value, int low, int high) {
  if (value >= low && value <= high) return;
  throw envpool::OptionError(name, std::to_string(value),
                             std::to_string(low) + " .. " + std::to_string(high),
                             "pass a " + name + " in this range");
}

}  // namespace envpool::vizdoom
