// SPDX-License-Identifier: Apache-2.0
// The RIOT (6532): RAM, a timer, and the ports of the controllers and of the console's switches.
//
//   WriteRiot(state.riot, 0x296, 43, cycle);          // TIM64T
//   std::uint8_t left = ReadRiot(state.riot, ports, 0x284, cycle);  // INTIM
#ifndef ENVPOOL_ATARI_CONSOLE_RIOT_H_
#define ENVPOOL_ATARI_CONSOLE_RIOT_H_

#include <array>
#include <cstdint>

#include "console/state.h"

namespace envpool::atari {

// The levels that the console's switches and the controllers put on the wires during a frame.
struct Ports {
  std::uint8_t port_a = 0xFF;  // directions of the joysticks, buttons of the paddles; low: pressed
  std::uint8_t switches = 0x3F;                     // port B
  std::array<std::uint8_t, 2> fire = {0x80, 0x80};  // INPT4, INPT5; 0: pressed
  // Number of cycles in which the capacitors of INPT0-3 charge; 0: at once, kNeverCharged: no
  // paddle.
  std::array<std::int32_t, 4> charge = {-1, -1, -1, -1};
};
inline constexpr std::int32_t kNeverCharged = -1;

inline constexpr std::array<std::uint8_t, 4> kTimerShifts = {0, 3, 6, 10};

// The timer's value `passed` cycles after it was set; 0 or less: it has run out. Measured: it has
// also run out in the cycle in which it is set (-1 here), unless it counts single cycles.
inline std::int32_t Left(const RiotState& riot, std::int32_t passed) {
  const std::uint32_t counts = static_cast<std::uint32_t>(passed) >> riot.timer_shift;
  return Since(static_cast<std::int32_t>(counts), riot.timer);
}

// The timer and its read-out, measured cycle for cycle: the read happens a cycle before the
// instruction ends.
inline std::uint8_t ReadTimer(RiotState& riot, std::int32_t cycle) {
  const std::int32_t passed = Since(riot.timer_set, cycle - 1);
  const std::int32_t left = Left(riot, passed);
  if (left > 0) return static_cast<std::uint8_t>(left - 1);
  // After it runs out it counts single cycles, until the first read restores the set interval.
  const std::int32_t span = riot.timer << riot.timer_shift;
  std::int32_t value = Since(passed, span - 1);
  if (value <= -2 && !riot.timer_read) {
    riot.timer_read = 1;
    riot.timer_restart = cycle;
  }
  if (riot.timer_read) {
    const std::int32_t offset = Since(span, Since(riot.timer_set, riot.timer_restart));
    value = Since(offset, left);
  }
  return static_cast<std::uint8_t>(value);
}

inline std::uint8_t ReadRiot(RiotState& riot, const Ports& ports, std::uint32_t address,
                             std::int32_t cycle) {
  switch (address & 7) {
    case 0:
      return ports.port_a;
    case 1:
      return riot.direction_a;
    case 2:
      return ports.switches;
    case 3:
      return 0;  // direction of port B
    case 4:
    case 6:
      return ReadTimer(riot, cycle);
    default: {
      const std::int32_t passed = Since(riot.timer_set, cycle - 1);
      const bool running = Left(riot, passed) > 0;
      return running || riot.timer_read ? 0x00 : 0x80;
    }
  }
}

inline void WriteRiot(RiotState& riot, std::uint32_t address, std::uint8_t value,
                      std::int32_t cycle) {
  if ((address & 0x14) == 0x14) {
    riot.timer = value;
    riot.timer_shift = kTimerShifts[address & 3];
    riot.timer_set = cycle;
    riot.timer_read = 0;
  } else if ((address & 7) == 1) {
    riot.direction_a = value;
  }
}

}  // namespace envpool::atari

#endif  // ENVPOOL_ATARI_CONSOLE_RIOT_H_
