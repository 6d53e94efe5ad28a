// SPDX-License-Identifier: Apache-2.0
// The work that is done once per ROM: checking its size, and translating its bytes.
#include "console/cartridge.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "console/sequences.h"

namespace envpool::atari {
namespace {

constexpr int kDisplayBytes = 2048;  // DPC: graphics behind two banks of program

struct TypeFacts {
  const char* name;
  int rom_bytes;
  int bank_size;
  int plain_begin;  // addresses below: RAM of SC types, registers of the DPC
  int plain_end;    // addresses above: hot spots
};

constexpr TypeFacts FactsOf(CartridgeType type) {
  switch (type) {
    case CartridgeType::k2K:
      return {"2K", 2048, 4096, 0, 0x1000};
    case CartridgeType::k4K:
      return {"4K", 4096, 4096, 0, 0x1000};
    case CartridgeType::kF8:
      return {"F8", 8192, 4096, 0, 0xFF8};
    case CartridgeType::kF8SC:
      return {"F8SC", 8192, 4096, 0x100, 0xFF8};
    case CartridgeType::kF6:
      return {"F6", 16384, 4096, 0, 0xFF6};
    case CartridgeType::kF6SC:
      return {"F6SC", 16384, 4096, 0x100, 0xFF6};
    case CartridgeType::kE0:
      return {"E0", 8192, 1024, 0, 0xFE0};
    case CartridgeType::kFE:
      return {"FE", 8192, 4096, 0, 0x1000};
    case CartridgeType::kDPC:
      // Measured: every access to the last 64 bytes of a bank clocks the chip's random numbers.
      return {"DPC", 8192 + kDisplayBytes, 4096, 0x80, 0xFC0};
  }
  throw std::invalid_argument("there is no cartridge type " +
                              std::to_string(static_cast<int>(type)));
}

}  // namespace

Cartridge::Cartridge(std::span<const std::uint8_t> rom, CartridgeType type, bool native)
    : type_(type) {
  const TypeFacts facts = FactsOf(type);
  const int size = static_cast<int>(rom.size());
  // Dumps of the only DPC cartridge also hold the 255 numbers of its random generator.
  const bool fits = type == CartridgeType::kDPC
                        ? size == facts.rom_bytes || size == facts.rom_bytes + 255
                        : size == facts.rom_bytes;
  if (!fits) {
    throw std::invalid_argument("a cartridge of type " + std::string(facts.name) + " has " +
                                std::to_string(facts.rom_bytes) + " bytes, not " +
                                std::to_string(size));
  }
  bank_size_ = facts.bank_size;
  plain_begin_ = facts.plain_begin;
  plain_end_ = facts.plain_end;
  rom_.assign(rom.begin(), rom.begin() + facts.rom_bytes);
  if (type == CartridgeType::k2K)
    rom_.insert(rom_.end(), rom.begin(), rom.end());  // the page
                                                      // shows it
                                                      // twice
  if (type == CartridgeType::kDPC) {
    display_data_.assign(rom_.end() - kDisplayBytes, rom_.end());
    rom_.erase(rom_.end() - kDisplayBytes, rom_.end());
  }
  if (type == CartridgeType::kFE) {
    // The banks are put where address bits 13 and 12, which are the bank and always 1, select them.
    rom_.insert(rom_.end(), rom_.begin(), rom_.begin() + 4096);
    std::copy_n(rom.begin() + 4096, 4096, rom_.begin());
  }
  banks_ = static_cast<int>(rom_.size()) / bank_size_;
  code_.assign(static_cast<std::size_t>(banks_ * (bank_size_ + 2 * kPadding)), {kFetch, 0});
  for (int index = 0; index < banks_; ++index) Translate(index);
  if (native) native_ = Native::Translate(*this);
}

void Cartridge::Translate(int index) {
  const std::uint8_t* bytes = bank(index);
  MicroOp* ops = const_cast<MicroOp*>(code(index));
  // For E0, only the last bank is visible in the quarter of the page that has the hot spots.
  const bool is_last = index == banks_ - 1;
  const int begin = bank_size_ == 4096 ? plain_begin_ : 0;
  const int end = is_last || bank_size_ == 4096 ? plain_end_ - (4096 - bank_size_) : bank_size_;
  for (int i = begin; i < end; ++i) {
    const int length = Length(kInstructions[bytes[i]].mode);
    if (i + length > end) continue;
    const std::uint8_t low = length > 1 ? bytes[i + 1] : 0;
    const std::uint8_t high = length > 2 ? bytes[i + 2] : 0;
    ops[i] = Decode(bytes[i], low, high, static_cast<std::uint8_t>(i));
    // If execution leaves the cartridge after an instruction, other than by a jump, the next
    // instruction is fetched byte by byte and needs CpuFrame::bus. For E0 it is not known whether
    // that happens.
    const Operation operation = kInstructions[bytes[i]].operation;
    const int target = i + (Branches(operation) ? DistanceOf(ops[i]) : length);
    const bool leaves = i + length == bank_size_ || target < 0 || target >= bank_size_;
    if (leaves && operation < Operation::kBrk && bank_size_ == 4096) ops[i] = {kFetch, 0};
  }
#ifndef ENVPOOL_ATARI_TRACE
  for (int i = begin; i < end; ++i) ops[i].handler = HandlerAt(ops + i);
#endif
}

}  // namespace envpool::atari
