// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <algorithm>
#include <sstream>

namespace vizdoom {

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

void CheckOption(const std::string& name, int value, int low, int high) {
  if (value >= low && value <= high) return;
  throw envpool::OptionError(name, std::to_string(value),
                             std::to_string(low) + " .. " + std::to_string(high),
                             "pass a " + name + " in this range");
}

}  // namespace vizdoom
