// SPDX-License-Identifier: Apache-2.0
// A cartridge's address space for the CPU, and the effects of its hot spots.
//
//   Mapper mapper(cartridge, state.cartridge);
//   if (mapper.IsPlain(address)) byte = mapper.Plain(address);
//   else byte = mapper.Read(address, cycle);       // may switch banks
//   const MicroOp* op = mapper.Code(pc);           // the instruction at pc
//
// type   bytes  hot spots           effect
// 2K 4K    2-4  none
// F8 F6   8-16  FF8-FF9, FF6-FF9    select one of 2 or 4 banks of 4 KiB
// ..SC    8-16  the same            and 128 bytes of RAM: written at 000-07F, read at 080-0FF
// E0         8  FE0-FE7 -EF -F7     select one of 8 banks of 1 KiB for the 1st, 2nd, 3rd kilobyte
// FE         8  none                address bit 13 is the bank
// DPC       10  FF8-FF9, 000-07F    as F8, and a chip of its own (dpc.h)
#ifndef ENVPOOL_ATARI_CONSOLE_MAPPER_H_
#define ENVPOOL_ATARI_CONSOLE_MAPPER_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "console/cartridge.h"
#include "console/dpc.h"
#include "console/state.h"

namespace envpool::atari {

class Mapper {
 public:
  Mapper(const Cartridge& cartridge, CartridgeState& state)
      : cartridge_(cartridge),
        s_(state),
        plain_begin_(static_cast<std::uint32_t>(cartridge.plain_begin())),
        plain_size_(static_cast<std::uint32_t>(cartridge.plain_end() - cartridge.plain_begin())) {
    if (cartridge.type() == CartridgeType::kE0) copy_ = std::make_unique<std::uint8_t[]>(4096);
    PowerOn();
  }

  void PowerOn() {
    dpc::PowerOn(s_.dpc);
    Reset();
  }

  // Resets the banks. The caller resets the RAM of the SC types.
  void Reset() {
    switch (cartridge_.type()) {
      case CartridgeType::kE0:
        s_.slice = {4, 5, 6, 7};
        break;
      case CartridgeType::kF8:
      case CartridgeType::kF8SC:
      case CartridgeType::kDPC:
        s_.slice = {1, 0, 0, 0};
        break;
      default:
        s_.slice = {0, 0, 0, 0};
        break;
    }
    Update();
  }

  // Maps the banks that the state names. Call it after the state was replaced.
  void Update() {
    switched_ = true;
    const CartridgeType type = cartridge_.type();
    if (type == CartridgeType::kE0) {
      for (std::size_t i = 0; i < 4; ++i) MapSlice(i);
      image_ = copy_.get();
      return;
    }
    for (std::size_t i = 0; i < code_.size(); ++i) {
      int bank = s_.slice[0];
      if (type == CartridgeType::kFE) bank = i & 8 ? 2 : 0;
      code_[i] = cartridge_.code(bank) + 1024 * static_cast<std::ptrdiff_t>(i & 3);
    }
    image_ = cartridge_.bank(type == CartridgeType::kFE ? 0 : s_.slice[0]);
    mask_ = type == CartridgeType::kFE ? 0x2FFF : 0xFFF;
  }

  bool HasRam() const {
    return cartridge_.type() == CartridgeType::kF8SC || cartridge_.type() == CartridgeType::kF6SC;
  }

  // Addresses have bit 12 set from here on: other addresses are not the cartridge's.
  bool IsPlain(std::uint32_t address) const {
    return (address & 0xFFF) - plain_begin_ < plain_size_;
  }
  std::uint8_t Plain(std::uint32_t address) const { return image_[address & mask_]; }

  std::uint8_t Read(std::uint32_t address, std::int32_t cycle) {
    const std::uint32_t offset = address & 0xFFF;
    if (IsPlain(address)) return Plain(address);
    if (cartridge_.type() == CartridgeType::kDPC) {
      dpc::ClockRandom(s_.dpc);
      if (offset < 0x40) return dpc::Read(s_.dpc, cartridge_.display_data(), offset, cycle);
      if (offset < 0x100) return 0;
    } else if (offset < 0x100) {
      return ReadRam(offset);
    }
    Switch(offset);
    return Plain(address);
  }

  void Write(std::uint32_t address, std::uint8_t value) {
    const std::uint32_t offset = address & 0xFFF;
    if (cartridge_.type() == CartridgeType::kDPC) dpc::ClockRandom(s_.dpc);
    if (IsPlain(address)) return;
    if (offset >= 0x100) {
      Switch(offset);
    } else if (HasRam()) {
      if (offset < 0x80) s_.ram[offset] = value;
    } else if (offset >= 0x40) {
      dpc::Write(s_.dpc, offset, value);
    }
  }

  // The instruction at a program counter; code() + 1, + 2, ... are the instructions behind it.
  const MicroOp* Code(std::uint32_t pc) const {
    return code_[pc >> 10 & 15] + static_cast<std::ptrdiff_t>(pc & 0x3FF);
  }

  // The table of Code(): one pointer per value of the address bits 10-13.
  const MicroOp* const* Regions() const { return code_.data(); }
  // The bytes of Plain(), by the lower bits of an address; not for FE.
  const std::uint8_t* Image() const { return image_; }
  // The bits of an address that are the offset in a bank.
  std::uint32_t BankMask() const { return static_cast<std::uint32_t>(cartridge_.bank_size()) - 1; }
  // nullptr: the interpreter must play.
  const Native* native() const { return cartridge_.native(); }

  // True if banks have been switched since the last call.
  bool TakeSwitched() { return std::exchange(switched_, false); }

 private:
  std::uint8_t ReadRam(std::uint32_t offset) {
    if (offset >= 0x80) return s_.ram[offset - 0x80];
    return 0;
  }

  void Switch(std::uint32_t offset) {
    if (cartridge_.type() == CartridgeType::kE0) {
      if (offset >= 0xFF8) return;
      const std::size_t i = (offset - 0xFE0) / 8;
      const std::uint8_t bank = offset & 7;
      if (s_.slice[i] == bank) return;
      s_.slice[i] = bank;
      MapSlice(i);
      switched_ = true;
    } else {
      const std::uint32_t first = cartridge_.banks() == 4 ? 0xFF6 : 0xFF8;
      const std::uint32_t bank = offset - first;
      if (bank >= static_cast<std::uint32_t>(cartridge_.banks()) || bank == s_.slice[0]) return;
      s_.slice[0] = static_cast<std::uint8_t>(bank);
      Update();
    }
  }

  void MapSlice(std::size_t i) {
    const int bank = s_.slice[i];
    std::copy_n(cartridge_.bank(bank), 1024, copy_.get() + 1024 * i);
    for (const std::size_t region : {i, i + 4, i + 8, i + 12}) {
      code_[region] = cartridge_.code(bank);
    }
  }

  const Cartridge& cartridge_;
  CartridgeState& s_;
  std::uint32_t plain_begin_;
  std::uint32_t plain_size_;
  std::uint32_t mask_ = 0xFFF;
  const std::uint8_t* image_ = nullptr;
  bool switched_ = false;
  std::array<const MicroOp*, 16> code_{};  // by bits 10-13 of the address
  std::unique_ptr<std::uint8_t[]> copy_;   // E0: its four banks side by side
};

}  // namespace envpool::atari

#endif  // ENVPOOL_ATARI_CONSOLE_MAPPER_H_
