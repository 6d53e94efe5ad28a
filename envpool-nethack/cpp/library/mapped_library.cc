// SPDX-License-Identifier: Apache-2.0
#include "library/mapped_library.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

namespace envpool::nethack {
namespace {

constexpr std::size_t kPage = 4096;
// Room below the 64 KiB that the game gives its stack: its deepest recursions end in a fault there.
constexpr std::size_t kStackRoom = std::size_t{192} << 10;

std::uint64_t PageOf(std::uint64_t address) { return address & ~std::uint64_t{kPage - 1}; }

}  // namespace

thread_local MappedLibrary* MappedLibrary::running_ = nullptr;

MappedLibrary::MappedLibrary(std::shared_ptr<const Image> image)
    : image_(std::move(image)), start_(image_->Find("nle_start")), step_(image_->Find("nle_step")) {
  void* const base = mmap(nullptr, image_->span(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::uint8_t*>(base);
  for (const Elf64_Phdr& segment : image_->segments()) {
    if ((segment.p_flags & PF_W) != 0) continue;
    const std::uint64_t first = PageOf(segment.p_vaddr);
    const int protection = PROT_READ | ((segment.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
    if (mmap(base_ + first, segment.p_filesz + (segment.p_vaddr - first), protection,
             MAP_PRIVATE | MAP_FIXED, image_->file(),
             static_cast<off_t>(PageOf(segment.p_offset))) == MAP_FAILED) {
      munmap(base_, image_->span());
      throw std::runtime_error("cannot map the code of libnethack.so: is its file system noexec?");
    }
  }
}

MappedLibrary::~MappedLibrary() {
  Finish();
  munmap(base_, image_->span());
}

Outcome MappedLibrary::Start(Observation& observation, StartSettings& settings,
                             std::int64_t clock) {
  Finish();
  clock_ = clock;
  const auto start = reinterpret_cast<StartFunction>(base_ + start_);
  return Run(observation, [&] {
    Renew();
    game_ = start(&observation, nullptr, &settings);
  });
}

Outcome MappedLibrary::Press(Observation& observation) {
  const auto step = reinterpret_cast<StepFunction>(base_ + step_);
  return Run(observation, [&] { game_ = step(game_, &observation); });
}

template <typename Call>
Outcome MappedLibrary::Run(Observation& observation, const Call& call) {
  running_ = this;
  const bool fault = !guard_.Run(call);
  running_ = nullptr;
  if (fault) {
    observation.done = 1;
    observation.in_normal_game = 0;
    return Outcome::kFault;
  }
  return observation.done != 0 ? Outcome::kOver : Outcome::kGoesOn;
}

// The data as it is in the file, with this copy's addresses, and then what constructors make of it.
void MappedLibrary::Renew() {
  for (const Elf64_Phdr& segment : image_->segments()) {
    if ((segment.p_flags & PF_W) == 0) continue;
    const std::uint64_t first = PageOf(segment.p_vaddr);
    const std::uint64_t last = PageOf(segment.p_vaddr + segment.p_memsz + kPage - 1);
    if (mmap(base_ + first, last - first, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
      throw std::bad_alloc();
    }
    std::memcpy(base_ + segment.p_vaddr, image_->bytes() + segment.p_offset, segment.p_filesz);
  }
  const auto base = reinterpret_cast<std::uint64_t>(base_);
  for (const Patch& patch : image_->patches()) {
    const std::uint64_t value = patch.value + (patch.relative ? base : 0);
    std::memcpy(base_ + patch.offset, &value, sizeof(value));
  }
  if (image_->init() != 0) reinterpret_cast<void (*)()>(base_ + image_->init())();
  for (const std::uint64_t place : image_->constructors()) {
    void (*constructor)(int, char**, char**) = nullptr;
    std::memcpy(&constructor, base_ + place, sizeof(constructor));
    if (constructor != nullptr) constructor(0, nullptr, nullptr);
  }
}

void MappedLibrary::Finish() {
  game_ = nullptr;
  for (std::FILE* file : files_) std::fclose(file);
  files_.clear();
  for (const auto& [memory, size] : stacks_) munmap(memory, size);
  stacks_.clear();
  heap_.Clear();
}

std::FILE* MappedLibrary::Keep(std::FILE* file) {
  if (file != nullptr) files_.push_back(file);
  return file;
}

void MappedLibrary::Forget(std::FILE* file) { std::erase(files_, file); }

void* MappedLibrary::TakeStack(std::size_t size) {
  const std::size_t whole = size + kStackRoom + kPage;
  void* const memory =
      mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  mprotect(memory, kPage, PROT_NONE);
  stacks_.emplace_back(memory, whole);
  return static_cast<std::uint8_t*>(memory) + kPage + kStackRoom;
}

}  // namespace envpool::nethack
