// SPDX-License-Identifier: Apache-2.0
// NestedNumbers: an option that is arrays by name, of any shape.
//
//   static auto ResetOptions(const auto&) { return Dict{"masses"_ = NestedNumbers{}}; }
//
// In Python a value is a dict of arrays, of numbers, or of lists in lists.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace envpool {

struct NestedNumbers {
  std::map<std::string, std::vector<double>> values;  ///< row after row
};

}  // namespace envpool
