// SPDX-License-Identifier: Apache-2.0
// Games that run at the same time have different ports.
#include <memory>
#include <set>
#include <vector>

#include "../../../envpool-core/tests/cpp/support.h"
#include "game/game_port.h"

namespace vizdoom = envpool::vizdoom;

int main() {
  // The system draws from about 28,000 ports: 1,000 draws contain equal ports, with probability 1 -
  // e^-17.
  std::vector<std::unique_ptr<vizdoom::GamePort>> ports;
  std::set<int> numbers;
  for (int i = 0; i < 1000; ++i) {
    ports.push_back(std::make_unique<vizdoom::GamePort>());
    EXPECT(numbers.insert(ports.back()->number()).second);
  }
}
