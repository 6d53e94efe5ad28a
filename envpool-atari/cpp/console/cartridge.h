// SPDX-License-Identifier: Apache-2.0
// A ROM, translated once and shared by all consoles that play it. It is immutable.
//
//   auto cartridge = std::make_shared<const Cartridge>(rom_bytes, CartridgeType::kF8);
//
// mapper.h has the further behavior of each cartridge type: hot spots that switch banks, RAM, the
// DPC chip.
#ifndef ENVPOOL_ATARI_CONSOLE_CARTRIDGE_H_
#define ENVPOOL_ATARI_CONSOLE_CARTRIDGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "console/micro_op.h"
#include "console/native.h"

namespace envpool::atari {

enum class CartridgeType : std::uint8_t { k2K, k4K, kF8, kF8SC, kF6, kF6SC, kE0, kFE, kDPC };

class Cartridge {
 public:
  // Raises std::invalid_argument if a ROM of this type cannot have this size. native: its program
  // is translated for the host's CPU, if that is possible; it plays the same without.
  Cartridge(std::span<const std::uint8_t> rom, CartridgeType type, bool native = true);
  // Not copied: native code contains its address.
  Cartridge(const Cartridge&) = delete;
  Cartridge& operator=(const Cartridge&) = delete;

  CartridgeType type() const { return type_; }

  // Size in bytes of a bank: 4096, for E0 1024.
  int bank_size() const { return bank_size_; }
  int banks() const { return banks_; }
  const std::uint8_t* bank(int index) const { return rom_.data() + index * bank_size_; }

  // The instructions of a bank. Up to kPadding instructions before and after it are kFetch, so that
  // execution which leaves the bank, by a branch or straight on, is noticed.
  const MicroOp* code(int index) const {
    return code_.data() + index * (bank_size_ + 2 * kPadding) + kPadding;
  }
  static constexpr int kPadding = 160;

  // nullptr: the interpreter must play.
  const Native* native() const { return native_.get(); }

  // Offsets in a 4 KiB page of ROM at which a read does nothing but return a byte.
  int plain_begin() const { return plain_begin_; }
  int plain_end() const { return plain_end_; }

  // DPC: the bytes that its data fetchers read.
  const std::uint8_t* display_data() const { return display_data_.data(); }

 private:
  void Translate(int index);

  CartridgeType type_;
  int bank_size_ = 4096;
  int banks_ = 1;
  int plain_begin_ = 0;
  int plain_end_ = 4096;
  std::vector<std::uint8_t> rom_;
  std::vector<std::uint8_t> display_data_;
  std::vector<MicroOp> code_;
  std::unique_ptr<const Native> native_;
};

}  // namespace envpool::atari

#endif  // ENVPOOL_ATARI_CONSOLE_CARTRIDGE_H_
