// SPDX-License-Identifier: Apache-2.0
#include "game/game_port.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <set>
#include <system_error>

namespace envpool::vizdoom {
namespace {

constexpr int kMostDraws = 1000;  // the system draws from about 28,000 ports

struct Taken {
  std::mutex mutex;
  std::set<int> numbers;
};

Taken& TakenPorts() {
  static auto& taken = *new Taken;  // never destroyed: games may end after main does
  return taken;
}

[[noreturn]] void Fail(int cause) {
  throw std::system_error(cause, std::generic_category(), "a port for a game");
}

/// A port that the system reports as free at this moment.
int Draw() {
  const int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t size = sizeof(address);
  const bool good = file >= 0 &&
                    bind(file, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
                    getsockname(file, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  const int cause = errno;
  if (file >= 0) close(file);
  if (!good) Fail(cause);
  return ntohs(address.sin_port);
}

}  // namespace

GamePort::GamePort() {
  Taken& taken = TakenPorts();
  const std::lock_guard lock(taken.mutex);
  for (int i = 0; i < kMostDraws; ++i) {
    number_ = Draw();
    if (taken.numbers.insert(number_).second) return;
  }
  Fail(EADDRINUSE);
}

GamePort::~GamePort() {
  Taken& taken = TakenPorts();
  const std::lock_guard lock(taken.mutex);
  taken.numbers.erase(number_);
}

}  // namespace envpool::vizdoom
