// SPDX-License-Identifier: Apache-2.0
// Teardown: while an object exists, faults of the engine in this thread throw nothing.
#pragma once

namespace envpool::gfootball {

class Teardown {
 public:
  Teardown();
  Teardown(const Teardown&) = delete;
  Teardown& operator=(const Teardown&) = delete;
  ~Teardown();
};

}  // namespace envpool::gfootball
