// SPDX-License-Identifier: Apache-2.0
// The 6507's operations, one function each. cpu_access.h has their operands.
#ifndef ENVPOOL_ATARI_CONSOLE_CPU_EXECUTE_H_
#define ENVPOOL_ATARI_CONSOLE_CPU_EXECUTE_H_

#include <cstdint>

#include "console/cpu_access.h"

namespace envpool::atari::detail {

ATARI_INLINE void SetNz(Registers& r, std::uint32_t value) { r.n = r.z = value; }

ATARI_INLINE std::uint32_t Status(const Registers& r, const Program& p) {
  return (r.n & kNegativeBit) | (p.v ? kOverflowBit : 0) | kUnusedBit | kBreakBit | p.decimal |
         p.no_irq | (r.z ? 0 : kZeroBit) | r.c;
}

ATARI_INLINE void SetStatus(Registers& r, Program& p, std::uint32_t status) {
  r.n = status;
  p.v = status & kOverflowBit;
  p.decimal = status & kDecimalBit;
  p.no_irq = status & kInterruptBit;
  r.z = ~status & kZeroBit;
  r.c = status & kCarryBit;
}

ATARI_INLINE void Add(Registers& r, Program& p, std::uint32_t value) {
  const std::uint32_t old = r.a;
  if (!p.decimal) [[likely]] {
    const std::uint32_t sum = old + value + r.c;
    p.v = ~(old ^ value) & (old ^ sum) & 0x80;
    r.c = sum >> 8;
    r.a = sum & 0xFF;
  } else {
    const std::uint32_t sum = ToBinary(old) + ToBinary(value) + r.c;
    r.c = sum > 99;
    r.a = ToBcd(sum & 0xFF);
    p.v = ~(old ^ value) & (old ^ r.a) & 0x80;
  }
  SetNz(r, r.a);
}

ATARI_INLINE void Subtract(Registers& r, Program& p, std::uint32_t value) {
  const std::uint32_t old = r.a;
  if (!p.decimal) [[likely]] {
    const std::uint32_t sum = old + (value ^ 0xFF) + r.c;
    p.v = (old ^ value) & (old ^ sum) & 0x80;
    r.c = sum >> 8;
    r.a = sum & 0xFF;
  } else {
    const std::uint32_t borrow = 1 - r.c;
    auto difference = static_cast<std::int32_t>(ToBinary(old) - ToBinary(value) - borrow);
    if (difference < 0) difference += 100;
    // The difference is still negative only if an operand has digits above 9. Measured: the result
    // is then converted to binary, not to BCD.
    const auto low = static_cast<std::uint32_t>(difference) & 0xFF;
    r.a = difference < 0 ? ToBinary(low) : ToBcd(low);
    p.v = (old ^ r.a) & (r.a ^ value) & 0x80;
    // The carry is the carry of the binary difference.
    r.c = old >= value + borrow;
  }
  SetNz(r, r.a);
}

ATARI_INLINE void Compare(Registers& r, std::uint32_t reg, std::uint32_t value) {
  r.c = reg >= value;
  SetNz(r, (reg - value) & 0xFF);
}

ATARI_INLINE std::uint32_t ShiftRight(Registers& r, std::uint32_t value, std::uint32_t carry) {
  r.c = value & 1;
  value = value >> 1 | carry << 7;
  SetNz(r, value);
  return value;
}

ATARI_INLINE std::uint32_t ShiftLeft(Registers& r, std::uint32_t value, std::uint32_t carry) {
  r.c = value >> 7;
  value = (value << 1 | carry) & 0xFF;
  SetNz(r, value);
  return value;
}

// A AND value, then rotated right: C and V come from the result, and in decimal mode both nibbles
// are adjusted.
ATARI_INLINE void AndRotate(Registers& r, Program& p, std::uint32_t value) {
  value &= r.a;
  const std::uint32_t carry = r.c;
  r.a = value >> 1 | carry << 7;
  SetNz(r, r.a);
  p.v = (value ^ r.a) & 0x40;
  if (!p.decimal) {
    r.c = r.a >> 6 & 1;
    return;
  }
  if ((value & 0x0F) + (value & 0x01) > 0x05) r.a = (r.a & 0xF0) | ((r.a + 0x06) & 0x0F);
  r.c = (value & 0xF0) + (value & 0x10) > 0x50;
  if (r.c) r.a = (r.a + 0x60) & 0xFF;
}

template <Operation kOperation>
ATARI_INLINE void Use(Registers& r, Program& p, std::uint32_t value) {
  using enum Operation;
  if constexpr (kOperation == kAdc) {
    Add(r, p, value);
  } else if constexpr (kOperation == kSbc) {
    Subtract(r, p, value);
  } else if constexpr (kOperation == kCmp) {
    Compare(r, r.a, value);
  } else if constexpr (kOperation == kCpx) {
    Compare(r, r.x, value);
  } else if constexpr (kOperation == kCpy) {
    Compare(r, r.y, value);
  } else if constexpr (kOperation == kAnd) {
    SetNz(r, r.a &= value);
  } else if constexpr (kOperation == kOra) {
    SetNz(r, r.a |= value);
  } else if constexpr (kOperation == kEor) {
    SetNz(r, r.a ^= value);
  } else if constexpr (kOperation == kLda) {
    SetNz(r, r.a = value);
  } else if constexpr (kOperation == kLdx) {
    SetNz(r, r.x = value);
  } else if constexpr (kOperation == kLdy) {
    SetNz(r, r.y = value);
  } else if constexpr (kOperation == kLax) {
    SetNz(r, r.a = r.x = value);
  } else if constexpr (kOperation == kBit) {
    r.n = value;
    p.v = value & 0x40;
    r.z = r.a & value;
  } else if constexpr (kOperation == kAnc) {
    SetNz(r, r.a &= value);
    r.c = r.a >> 7;
  } else if constexpr (kOperation == kAsr) {
    r.a = ShiftRight(r, r.a & value, 0);
  } else if constexpr (kOperation == kArr) {
    AndRotate(r, p, value);
  } else if constexpr (kOperation == kAne) {
    SetNz(r, r.a = (r.a | 0xEE) & r.x & value);
  } else if constexpr (kOperation == kLxa) {
    SetNz(r, r.a = r.x = (r.a | 0xEE) & value);
  } else if constexpr (kOperation == kLas) {
    SetNz(r, r.a = r.x = p.sp = p.sp & value);
  } else if constexpr (kOperation == kSbx) {
    const std::uint32_t both = r.a & r.x;
    Compare(r, both, value);
    r.x = r.z;
  }
}

template <Operation kOperation>
ATARI_INLINE std::uint32_t Stored(Registers& r, Program& p, std::uint32_t address) {
  using enum Operation;
  if constexpr (kOperation == kSta) return r.a;
  if constexpr (kOperation == kStx) return r.x;
  if constexpr (kOperation == kSty) return r.y;
  if constexpr (kOperation == kSax) return r.a & r.x;
  const std::uint32_t next = (address >> 8) + 1;
  if constexpr (kOperation == kSha) return r.a & r.x & next & 0xFF;
  if constexpr (kOperation == kShx) return r.x & next & 0xFF;
  if constexpr (kOperation == kShy) return r.y & next & 0xFF;
  if constexpr (kOperation == kShs) {
    p.sp = r.a & r.x;
    return p.sp & next & 0xFF;
  }
}

// Returns the operand's new value.
template <Operation kOperation>
ATARI_INLINE std::uint32_t Modified(Registers& r, std::uint32_t value) {
  using enum Operation;
  if constexpr (kOperation == kInc || kOperation == kIsb) {
    value = (value + 1) & 0xFF;
    if constexpr (kOperation == kInc) SetNz(r, value);
  } else if constexpr (kOperation == kDec || kOperation == kDcp) {
    value = (value - 1) & 0xFF;
    if constexpr (kOperation == kDec) SetNz(r, value);
  } else if constexpr (kOperation == kAsl || kOperation == kSlo) {
    value = ShiftLeft(r, value, 0);
  } else if constexpr (kOperation == kRol || kOperation == kRla) {
    value = ShiftLeft(r, value, r.c);
  } else if constexpr (kOperation == kLsr || kOperation == kSre) {
    value = ShiftRight(r, value, 0);
  } else {
    static_assert(kOperation == kRor || kOperation == kRra);
    value = ShiftRight(r, value, r.c);
  }
  return value;
}

// The second part of the undocumented instructions: they use the new value.
template <Operation kOperation>
ATARI_INLINE void UseModified(Registers& r, Program& p, std::uint32_t value) {
  using enum Operation;
  if constexpr (kOperation == kIsb) Use<kSbc>(r, p, value);
  if constexpr (kOperation == kDcp) Use<kCmp>(r, p, value);
  if constexpr (kOperation == kSlo) Use<kOra>(r, p, value);
  if constexpr (kOperation == kRla) Use<kAnd>(r, p, value);
  if constexpr (kOperation == kSre) Use<kEor>(r, p, value);
  if constexpr (kOperation == kRra) Use<kAdc>(r, p, value);
}

template <Operation kOperation>
ATARI_INLINE void Transfer(Registers& r, Program& p) {
  using enum Operation;
  if constexpr (kOperation == kClc) r.c = 0;
  if constexpr (kOperation == kSec) r.c = 1;
  if constexpr (kOperation == kCld) p.decimal = 0;
  if constexpr (kOperation == kSed) p.decimal = kDecimalBit;
  if constexpr (kOperation == kCli) p.no_irq = 0;
  if constexpr (kOperation == kSei) p.no_irq = kInterruptBit;
  if constexpr (kOperation == kClv) p.v = 0;
  if constexpr (kOperation == kDex) SetNz(r, r.x = (r.x - 1) & 0xFF);
  if constexpr (kOperation == kDey) SetNz(r, r.y = (r.y - 1) & 0xFF);
  if constexpr (kOperation == kInx) SetNz(r, r.x = (r.x + 1) & 0xFF);
  if constexpr (kOperation == kIny) SetNz(r, r.y = (r.y + 1) & 0xFF);
  if constexpr (kOperation == kTax) SetNz(r, r.x = r.a);
  if constexpr (kOperation == kTay) SetNz(r, r.y = r.a);
  if constexpr (kOperation == kTsx) SetNz(r, r.x = p.sp);
  if constexpr (kOperation == kTxa) SetNz(r, r.a = r.x);
  if constexpr (kOperation == kTya) SetNz(r, r.a = r.y);
  if constexpr (kOperation == kTxs) p.sp = r.x;
}

template <Operation kOperation>
ATARI_INLINE bool Taken(const Registers& r, const Program& p) {
  using enum Operation;
  if constexpr (kOperation == kBcc) return !r.c;
  if constexpr (kOperation == kBcs) return r.c;
  if constexpr (kOperation == kBne) return r.z;
  if constexpr (kOperation == kBeq) return !r.z;
  if constexpr (kOperation == kBpl) return !(r.n & 0x80);
  if constexpr (kOperation == kBmi) return r.n & 0x80;
  if constexpr (kOperation == kBvc) return !p.v;
  if constexpr (kOperation == kBvs) return p.v;
}

}  // namespace envpool::atari::detail

#endif  // ENVPOOL_ATARI_CONSOLE_CPU_EXECUTE_H_
