// SPDX-License-Identifier: Apache-2.0
#include "library/image.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

#include "envpool/assets.h"
#include "envpool/shared_asset.h"
#include "library/imports.h"

namespace envpool::nethack {
namespace {

[[noreturn]] void Refuse(const std::string& why) {
  throw std::runtime_error("the loader does not know a library with " + why);
}

}  // namespace

// Addresses and sizes from the dynamic section.
struct Image::Tables {
  std::uint64_t relocations = 0, relocations_size = 0, jumps = 0, jumps_size = 0;
  std::uint64_t constructors = 0, constructors_size = 0, names = 0, names_size = 0, symbols = 0;
};

Image::Image(const std::string& path) {
#ifndef __x86_64__
  Refuse("code for another CPU than x86-64");
#endif
  file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) throw std::runtime_error("cannot open " + path);
  struct stat status{};
  fstat(file_, &status);
  size_ = static_cast<std::size_t>(status.st_size);
  void* const mapped = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file_, 0);
  try {
    if (mapped == MAP_FAILED) throw std::runtime_error("cannot map " + path);
    bytes_ = static_cast<const std::uint8_t*>(mapped);
    Tables tables;
    ReadSegments(tables);
    ReadRelocations(tables.relocations, tables.relocations_size);
    ReadRelocations(tables.jumps, tables.jumps_size);
    for (std::uint64_t i = 0; i < tables.constructors_size / sizeof(std::uint64_t); ++i) {
      constructors_.push_back(tables.constructors + i * sizeof(std::uint64_t));
    }
  } catch (...) {
    if (bytes_ != nullptr) munmap(const_cast<std::uint8_t*>(bytes_), size_);
    close(file_);
    throw;
  }
}

Image::~Image() {
  munmap(const_cast<std::uint8_t*>(bytes_), size_);
  close(file_);
}

std::shared_ptr<const Image> Image::Of(const std::string& path) {
  struct Shared {
    std::unique_ptr<Image> image;
  };
  const auto shared = SharedAsset<Shared>::Get(
      FileKey(path), [&] { return Shared{std::make_unique<Image>(path)}; });
  return {shared, shared->image.get()};
}

const std::uint8_t* Image::At(std::uint64_t address, std::size_t size) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (address >= segment.p_vaddr && address - segment.p_vaddr <= segment.p_filesz &&
        size <= segment.p_filesz - (address - segment.p_vaddr)) {
      return bytes_ + segment.p_offset + (address - segment.p_vaddr);
    }
  }
  Refuse("a table outside its segments");
}

void Image::ReadSegments(Tables& tables) {
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(bytes_);
  if (size_ < sizeof(*header) || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64 ||
      header->e_type != ET_DYN || header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr) > size_) {
    Refuse("another header than that of a shared library for x86-64");
  }
  const auto* segments = reinterpret_cast<const Elf64_Phdr*>(bytes_ + header->e_phoff);
  const Elf64_Phdr* dynamic = nullptr;
  for (int i = 0; i < header->e_phnum; ++i) {
    const Elf64_Phdr& segment = segments[i];
    if (segment.p_type == PT_TLS) Refuse("thread-local storage");
    if (segment.p_type == PT_DYNAMIC) dynamic = &segment;
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_offset + segment.p_filesz > size_) Refuse("a segment outside the file");
    segments_.push_back(segment);
    span_ = (segment.p_vaddr + segment.p_memsz + 4095) & ~std::size_t{4095};
  }
  if (dynamic == nullptr) Refuse("no dynamic section");
  const auto* entry = reinterpret_cast<const Elf64_Dyn*>(At(dynamic->p_vaddr, dynamic->p_filesz));
  for (; entry->d_tag != DT_NULL; ++entry) {
    const std::uint64_t value = entry->d_un.d_val;
    switch (entry->d_tag) {
      case DT_RELA:
        tables.relocations = value;
        break;
      case DT_RELASZ:
        tables.relocations_size = value;
        break;
      case DT_JMPREL:
        tables.jumps = value;
        break;
      case DT_PLTRELSZ:
        tables.jumps_size = value;
        break;
      case DT_INIT:
        init_ = value;
        break;
      case DT_INIT_ARRAY:
        tables.constructors = value;
        break;
      case DT_INIT_ARRAYSZ:
        tables.constructors_size = value;
        break;
      case DT_STRTAB:
        tables.names = value;
        break;
      case DT_STRSZ:
        tables.names_size = value;
        break;
      case DT_SYMTAB:
        tables.symbols = value;
        break;
      case DT_REL:
      case DT_RELR:
        Refuse("relocations of another format");
      default:
        break;
    }
  }
  // Every common linker puts the names after the symbols; nothing else gives the number of symbols.
  if (tables.names <= tables.symbols) Refuse("names before its symbols");
  num_symbols_ = (tables.names - tables.symbols) / sizeof(Elf64_Sym);
  symbols_ =
      reinterpret_cast<const Elf64_Sym*>(At(tables.symbols, num_symbols_ * sizeof(Elf64_Sym)));
  names_size_ = tables.names_size;
  names_ = reinterpret_cast<const char*>(At(tables.names, names_size_));
}

void Image::ReadRelocations(std::uint64_t table, std::size_t size) {
  if (size == 0) return;
  const auto* relocations = reinterpret_cast<const Elf64_Rela*>(At(table, size));
  for (std::size_t i = 0; i < size / sizeof(Elf64_Rela); ++i) {
    const Elf64_Rela& relocation = relocations[i];
    const auto addend = static_cast<std::uint64_t>(relocation.r_addend);
    std::uint64_t added = 0;
    switch (ELF64_R_TYPE(relocation.r_info)) {
      case R_X86_64_RELATIVE:  // a pointer into the library
        patches_.push_back({relocation.r_offset, addend, true});
        continue;
      case R_X86_64_64:  // a pointer to a symbol plus an offset
        added = addend;
        break;
      case R_X86_64_GLOB_DAT:   // the address of a variable or function
      case R_X86_64_JUMP_SLOT:  // the address of a called function
        break;
      default:
        Refuse("relocations of kind " + std::to_string(ELF64_R_TYPE(relocation.r_info)));
    }
    const std::size_t index = ELF64_R_SYM(relocation.r_info);
    if (index >= num_symbols_ || symbols_[index].st_name >= names_size_) Refuse("unknown symbols");
    const Elf64_Sym& symbol = symbols_[index];
    if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC) Refuse("functions that choose themselves");
    // The library's own symbols come first, so that its error() is not glibc's.
    if (symbol.st_shndx != SHN_UNDEF) {
      patches_.push_back({relocation.r_offset, symbol.st_value + added, true});
      continue;
    }
    const char* const name = names_ + symbol.st_name;
    const void* target = ReplacedImport(name);
    if (target == nullptr) target = dlsym(RTLD_DEFAULT, name);
    if (target == nullptr && ELF64_ST_BIND(symbol.st_info) != STB_WEAK) {
      Refuse(std::string("the import ") + name + ", which nothing has");
    }
    const std::uint64_t value =
        target == nullptr ? 0 : reinterpret_cast<std::uint64_t>(target) + added;
    patches_.push_back({relocation.r_offset, value, false});
  }
}

std::uint64_t Image::Find(std::string_view name) const {
  for (std::size_t i = 0; i < num_symbols_; ++i) {
    const Elf64_Sym& symbol = symbols_[i];
    if (symbol.st_shndx != SHN_UNDEF && symbol.st_name < names_size_ &&
        name == names_ + symbol.st_name) {
      return symbol.st_value;
    }
  }
  throw std::runtime_error("the library has no function " + std::string(name));
}

}  // namespace envpool::nethack
