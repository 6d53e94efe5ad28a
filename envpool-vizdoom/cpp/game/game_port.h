// SPDX-License-Identifier: Apache-2.0
// GamePort: the UDP port through which the engines of one game communicate.
//
//   GamePort port;
//   port.number()
//
// The engine itself binds the port, some time after it was chosen. Until the game is over no other
// game of this process gets the same number.
#pragma once

namespace envpool::vizdoom {

class GamePort {
 public:
  /// Takes a port of this machine that is free now. Throws std::system_error if no port is free.
  GamePort();
  ~GamePort();
  GamePort(const GamePort&) = delete;
  GamePort& operator=(const GamePort&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace envpool::vizdoom
