// SPDX-License-Identifier: Apache-2.0
#include "own/inflate.h"

#include <dlfcn.h>

#include <stdexcept>

namespace envpool::procgen {
namespace {

// As zlib.h declares it, which a build then does not need.
using Uncompress = int(std::uint8_t* to, unsigned long* to_size, const std::uint8_t* from,
                       unsigned long from_size);

Uncompress* FindUncompress() {
  void* const library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  return reinterpret_cast<Uncompress*>(dlsym(library, "uncompress"));
}

}  // namespace

std::vector<std::uint8_t> Inflate(const std::vector<std::uint8_t>& data, std::size_t size) {
  static Uncompress* const uncompress = FindUncompress();
  if (uncompress == nullptr) throw std::runtime_error("no libz.so.1 on this system");
  std::vector<std::uint8_t> out(size);
  unsigned long written = size;
  if (uncompress(out.data(), &written, data.data(), data.size()) != 0 || written != size) {
    throw std::runtime_error("compressed data that is damaged");
  }
  return out;
}

}  // namespace envpool::procgen
