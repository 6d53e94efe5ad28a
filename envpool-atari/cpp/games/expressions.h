// SPDX-License-Identifier: Apache-2.0
// The notation of the table of games: numbers on the screen, as expressions of bytes of memory.
//
//   constexpr Sum score = 10 * Bcd2(0xBE, 0xBD);                     // two bytes of decimal digits
//   constexpr Sum lives = Bits(0xCC, 0x0F) + 1;                      // (r[0xCC] & 15) + 1
//   constexpr Condition over = All(Byte(0xC7) == 1, Low(0xD3) == 1);
//   if (over.Holds(memory, score.Value(memory, 0))) ...
//
// Everything is a literal type of plain data. An evaluation takes a few nanoseconds and no
// allocation.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "games/short_list.h"

namespace envpool::atari {

/** The memory that a game's rules may read after a frame. */
struct Memory {
  std::span<const std::uint8_t, 128> ram;        ///< the console's, at 0x80..0xFF
  std::span<const std::uint8_t> cartridge = {};  ///< the cartridge's RAM, if it has some

  /** The byte at `address`; 0x00..0x7F and 0x80..0xFF are the same bytes. */
  constexpr std::uint8_t operator[](int address) const {
    return ram[static_cast<std::size_t>(address & 0x7F)];
  }
};

/** The conversion of a byte's bits to a number. */
enum class Coding : std::uint8_t {
  kBits,      ///< unsigned
  kBcd,       ///< two decimal digits: 10 * (b >> 4) + (b & 15), also where a digit is above 9
  kSigned,    ///< two's complement
  kPopcount,  ///< number of set bits
  kEighths,   ///< b / 8 if b is 0, 8, ... 72, otherwise 0
  kScore,     ///< no byte: the score of the same frame
};

/** One number in memory: weight * coding(((r[address] + plus) & mask) >> shift). */
struct Term {
  Coding coding = Coding::kBits;
  std::uint8_t address = 0;
  std::uint8_t mask = 0xFF;
  std::uint8_t shift = 0;
  std::int8_t plus = 0;
  std::int16_t exception = -1;  ///< if the masked byte equals this, the number is `instead`
  std::int16_t instead = 0;
  std::int32_t weight = 1;

  /** The same, but `number` when the masked byte is `byte`. */
  constexpr Term Except(std::int16_t byte, std::int16_t number) const {
    Term term = *this;
    term.exception = byte;
    term.instead = number;
    return term;
  }

  /** The term's value; `score` is this frame's score. */
  constexpr std::int32_t Value(const Memory& memory, std::int32_t score) const {
    if (coding == Coding::kScore) return weight * score;
    const int byte = (memory[address] + plus) & mask;
    if (byte == exception) return weight * instead;
    const int bits = byte >> shift;
    switch (coding) {
      case Coding::kBcd:
        return weight * (10 * (bits >> 4) + (bits & 15));
      case Coding::kSigned:
        return weight * static_cast<std::int8_t>(bits);
      case Coding::kPopcount:
        return weight * std::popcount(static_cast<unsigned>(bits));
      case Coding::kEighths:
        return bits % 8 == 0 && bits <= 72 ? weight * (bits / 8) : 0;
      default:
        return weight * bits;
    }
  }
};

constexpr Term Byte(std::uint8_t address) { return {.address = address}; }
constexpr Term Bcd(std::uint8_t address) { return {.coding = Coding::kBcd, .address = address}; }
/** (r[address] & mask) >> shift. */
constexpr Term Bits(std::uint8_t address, std::uint8_t mask, std::uint8_t shift = 0) {
  return {.address = address, .mask = mask, .shift = shift};
}
constexpr Term Low(std::uint8_t address) { return Bits(address, 0x0F); }
constexpr Term High(std::uint8_t address) { return Bits(address, 0xF0, 4); }
/** r[address] - 1, where 0 gives 255: for games that count from 1. */
constexpr Term Prior(std::uint8_t address) { return {.address = address, .plus = -1}; }
/** The byte + `plus` as a signed number; the sum wraps first. */
constexpr Term Signed(std::uint8_t address, std::int8_t plus = 0) {
  return {.coding = Coding::kSigned, .address = address, .plus = plus};
}
constexpr Term Popcount(std::uint8_t address, std::uint8_t mask) {
  return {.coding = Coding::kPopcount, .address = address, .mask = mask};
}
constexpr Term Eighths(std::uint8_t address) {
  return {.coding = Coding::kEighths, .address = address};
}
/** The score of this frame. */
constexpr Term Score() { return {.coding = Coding::kScore}; }

/** A constant and up to six terms. */
struct Sum {
  constexpr Sum(std::int32_t value = 0) : constant(value) {}
  constexpr Sum(const Term& term) : terms({term}) {}

  std::int32_t constant = 0;
  ShortList<Term, 6> terms = {};

  /** The sum's value; `score` is the value of Score(). */
  constexpr std::int32_t Value(const Memory& memory, std::int32_t score = 0) const {
    std::int32_t value = constant;
    for (const Term& term : terms) value += term.Value(memory, score);
    return value;
  }
};

constexpr Sum operator+(Sum a, const Sum& b) {
  a.constant += b.constant;
  for (const Term& term : b.terms) a.terms.Add(term);
  return a;
}
constexpr Sum operator*(std::int32_t factor, Sum sum) {
  sum.constant *= factor;
  for (Term& term : sum.terms) term.weight *= factor;
  return sum;
}
constexpr Sum operator-(const Sum& a, const Sum& b) { return a + -1 * b; }

/** Four decimal digits in two bytes, the last digits first. */
constexpr Sum Bcd2(std::uint8_t low, std::uint8_t high) { return Bcd(low) + 100 * Bcd(high); }
/** Six decimal digits in three bytes, the last digits first. */
constexpr Sum Bcd3(std::uint8_t low, std::uint8_t middle, std::uint8_t high) {
  return Bcd2(low, middle) + 10000 * Bcd(high);
}

/** A comparison of one number. */
struct Test {
  enum class Is : std::uint8_t { kEqual, kOther, kBelow, kAbove };

  Term term = {};
  Is is = Is::kEqual;
  bool alternative = false;  ///< begins another conjunction, see Condition
  std::int32_t value = 0;

  constexpr bool Holds(const Memory& memory, std::int32_t score) const {
    const std::int32_t number = term.Value(memory, score);
    switch (is) {
      case Is::kEqual:
        return number == value;
      case Is::kOther:
        return number != value;
      case Is::kBelow:
        return number < value;
      default:
        return number > value;
    }
  }
};

constexpr Test operator==(const Term& term, std::int32_t value) { return {term, {}, {}, value}; }
constexpr Test operator!=(const Term& term, std::int32_t value) {
  return {term, Test::Is::kOther, {}, value};
}
constexpr Test operator<(const Term& term, std::int32_t value) {
  return {term, Test::Is::kBelow, {}, value};
}
constexpr Test operator>(const Term& term, std::int32_t value) {
  return {term, Test::Is::kAbove, {}, value};
}
constexpr Test operator>=(const Term& term, std::int32_t value) { return term > value - 1; }

/** Alternatives, each a conjunction of tests; six tests in all. An empty condition never holds. */
struct Condition {
  constexpr Condition() = default;
  constexpr Condition(const Test& test) : tests({test}) {}

  ShortList<Test, 6> tests = {};

  /** True if all tests of one alternative hold; `score` is the value of Score(). */
  constexpr bool Holds(const Memory& memory, std::int32_t score = 0) const {
    bool holds = !tests.empty();
    for (const Test& test : tests) {
      if (test.alternative) {
        if (holds) return true;
        holds = true;
      }
      holds = holds && test.Holds(memory, score);
    }
    return holds;
  }
};

/** A condition that holds if all tests hold. */
template <typename... Tests>
constexpr Condition All(const Tests&... tests) {
  Condition all;
  (all.tests.Add(tests), ...);
  return all;
}

/** A condition that holds if one of the conditions holds. */
template <typename... Conditions>
constexpr Condition Any(const Conditions&... conditions) {
  Condition any;
  const auto add = [&any](const Condition& condition) {
    bool alternative = !any.tests.empty();
    for (Test test : condition.tests) {
      test.alternative = alternative;
      any.tests.Add(test);
      alternative = false;
    }
  };
  (add(conditions), ...);
  return any;
}

}  // namespace envpool::atari
