// SPDX-License-Identifier: Apache-2.0
// Image: libnethack.so as a file, read once per process: its segments, the words of its data that
// hold addresses, and the addresses of its functions.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace envpool::nethack {

/// A word of the data that holds an address.
struct Patch {
  std::uint64_t offset;  ///< the offset of the word
  std::uint64_t value;   ///< the address, or its distance from the mapping's begin
  bool relative;
};

class Image {
 public:
  /// Reads a library. Throws std::runtime_error for unknown contents.
  explicit Image(const std::string& path);
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image();
  /// The image of a path, which all environments share.
  static std::shared_ptr<const Image> Of(const std::string& path);

  /// Distance of a function from the mapping's begin. Throws std::runtime_error.
  std::uint64_t Find(std::string_view name) const;

  int file() const { return file_; }
  const std::uint8_t* bytes() const { return bytes_; }
  std::size_t span() const { return span_; }  ///< bytes of address space that a mapping takes
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  const std::vector<Patch>& patches() const { return patches_; }
  const std::vector<std::uint64_t>& constructors() const { return constructors_; }
  std::uint64_t init() const { return init_; }  ///< address of the old kind of constructor; 0: none

 private:
  struct Tables;
  const std::uint8_t* At(std::uint64_t address, std::size_t size) const;
  void ReadSegments(Tables& tables);
  void ReadRelocations(std::uint64_t table, std::size_t size);

  int file_ = -1;
  std::size_t size_ = 0, span_ = 0;
  const std::uint8_t* bytes_ = nullptr;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Patch> patches_;
  std::vector<std::uint64_t> constructors_;  // places of their addresses
  std::uint64_t init_ = 0;
  const Elf64_Sym* symbols_ = nullptr;
  std::size_t num_symbols_ = 0;
  const char* names_ = nullptr;
  std::size_t names_size_ = 0;
};

}  // namespace envpool::nethack
