// SPDX-License-Identifier: Apache-2.0
#include "library/mapped_library.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <random>
#include <stdexcept>
#include <string_view>

#include "library/pages.h"

namespace envpool::nethack {
namespace {

// Room below the 64 KiB of the game's stack: without it, the deepest recursions overflow the stack.
constexpr std::size_t kStackRoom = std::size_t{192} << 10;

// Number of a copy: two processes, or a process and its fork, have equal numbers only by chance.
std::uint64_t NextNumber() {
  static std::atomic<std::uint64_t> count{0};
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32 | device()) + count++;
}

std::uint64_t PageOf(std::uint64_t address) { return address & ~std::uint64_t{kPage - 1}; }

}  // namespace

thread_local MappedLibrary* MappedLibrary::running_ = nullptr;

MappedLibrary::MappedLibrary(std::shared_ptr<const Image> image)
    : image_(std::move(image)),
      start_(image_->Find("nle_start")),
      step_(image_->Find("nle_step")),
      end_(image_->Find("nle_end")),
      number_(NextNumber()) {
  void* const base = mmap(nullptr, image_->span(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::uint8_t*>(base);
  for (const Elf64_Phdr& segment : image_->segments()) {
    const std::uint64_t first = PageOf(segment.p_vaddr);
    const bool is_data = (segment.p_flags & PF_W) != 0;
    const int protection = PROT_READ | (is_data                         ? PROT_WRITE
                                        : (segment.p_flags & PF_X) != 0 ? PROT_EXEC
                                                                        : 0);
    const std::uint64_t end = segment.p_vaddr + (is_data ? segment.p_memsz : segment.p_filesz);
    if (mmap(base_ + first, end - first, protection,
             MAP_PRIVATE | MAP_FIXED | (is_data ? MAP_ANONYMOUS : 0), is_data ? -1 : image_->file(),
             is_data ? 0 : static_cast<off_t>(PageOf(segment.p_offset))) == MAP_FAILED) {
      munmap(base_, image_->span());
      throw std::runtime_error("cannot map the code of libnethack.so: is its file system noexec?");
    }
  }
}

MappedLibrary::~MappedLibrary() {
  Finish();
  if (data_ != nullptr) std::fclose(data_);
  if (stack_ != nullptr) munmap(stack_, stack_size_);
  munmap(base_, image_->span());
}

Outcome MappedLibrary::Start(Observation& observation, StartSettings& settings, std::int64_t clock,
                             std::FILE* recording) {
  Finish();
  clock_ = clock;
  recording_ = recording;
  const auto start = reinterpret_cast<StartFunction>(base_ + start_);
  return Run(observation, [&] {
    Renew();
    game_ = start(&observation, recording_, &settings);
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
    game_ = nullptr;  // its memory may be in any state
    observation.done = 1;
    observation.in_normal_game = 0;
    return Outcome::kFault;
  }
  return observation.done != 0 ? Outcome::kOver : Outcome::kGoesOn;
}

bool MappedLibrary::SaveMemory(StateWriter& out) const {
  if (!files_.empty() || stack_ == nullptr || recording_ != nullptr) return false;
  out.Write(number_, clock_, reinterpret_cast<std::uint64_t>(game_), data_is_open_,
            static_cast<std::int64_t>(data_is_open_ ? std::ftell(data_) : 0));
  ForEachData([&](std::uint8_t* data, std::size_t size) { SavePages(data, size, out); });
  heap_.Save(out);
  SavePages(stack_ + kPage, stack_size_ - kPage, out);
  return true;
}

bool MappedLibrary::LoadMemory(StateReader& in) {
  std::uint64_t number = 0, game = 0;
  std::int64_t place = 0;
  in.Read(number);
  if (number != number_) return false;
  Finish();
  in.Read(clock_, game, data_is_open_, place);
  game_ = reinterpret_cast<void*>(game);
  if (data_is_open_) std::fseek(data_, static_cast<long>(place), SEEK_SET);
  ForEachData([&](std::uint8_t* data, std::size_t size) { LoadPages(data, size, in); });
  heap_.Load(in);
  LoadPages(stack_ + kPage, stack_size_ - kPage, in);
  return true;
}

template <typename Use>
void MappedLibrary::ForEachData(const Use& use) const {
  for (const Elf64_Phdr& segment : image_->segments()) {
    if ((segment.p_flags & PF_W) != 0) use(base_ + segment.p_vaddr, segment.p_memsz);
  }
}

// The data as in the file, with this copy's addresses, and then the constructors' effects.
void MappedLibrary::Renew() {
  for (const Elf64_Phdr& segment : image_->segments()) {
    if ((segment.p_flags & PF_W) == 0) continue;
    std::uint8_t* const data = base_ + segment.p_vaddr;
    std::memcpy(data, image_->bytes() + segment.p_offset, segment.p_filesz);
    if (is_used_) std::memset(data + segment.p_filesz, 0, segment.p_memsz - segment.p_filesz);
  }
  is_used_ = true;
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

// A game with a recording ends by its own function, which completes the file; other games are
// dropped.
void MappedLibrary::Finish() {
  if (recording_ != nullptr) {
    Observation nobody;
    const auto end = reinterpret_cast<EndFunction>(base_ + end_);
    if (game_ != nullptr) Run(nobody, [&] { end(game_); });
    std::fclose(recording_);
    recording_ = nullptr;
  }
  game_ = nullptr;
  for (std::FILE* file : files_) std::fclose(file);
  files_.clear();
  data_is_open_ = false;
  heap_.Clear();
}

// NetHack's data file stays open from game to game: a saved game has a pointer to it.
std::FILE* MappedLibrary::Open(const char* path, const char* mode) {
  if (!std::string_view(path).ends_with("/nhdat") || mode[0] != 'r' || data_is_open_) {
    return Keep(std::fopen(path, mode));
  }
  if (data_ == nullptr) data_ = std::fopen(path, mode);
  if (data_ == nullptr) return nullptr;
  std::rewind(data_);
  data_is_open_ = true;
  return data_;
}

std::FILE* MappedLibrary::Keep(std::FILE* file) {
  if (file != nullptr) files_.push_back(file);
  return file;
}

int MappedLibrary::Close(std::FILE* file) {
  if (file == data_) {
    data_is_open_ = false;
    return 0;
  }
  std::erase(files_, file);
  return std::fclose(file);
}

// Every game gets the same stack, since a saved game contains its addresses; it is zeroed, like a
// new one.
void* MappedLibrary::TakeStack(std::size_t size) {
  const std::size_t whole = size + kStackRoom + kPage;
  if (stack_ != nullptr && stack_size_ != whole) {
    munmap(stack_, stack_size_);
    stack_ = nullptr;
  }
  if (stack_ != nullptr) {
    madvise(stack_, stack_size_, MADV_DONTNEED);
  } else {
    void* const memory =
        mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    mprotect(memory, kPage, PROT_NONE);
    stack_ = static_cast<std::uint8_t*>(memory);
    stack_size_ = whole;
  }
  return stack_ + kPage + kStackRoom;
}

}  // namespace envpool::nethack
