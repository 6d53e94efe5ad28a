// SPDX-License-Identifier: Apache-2.0
#include "library/imports.h"

#include <sys/mman.h>
#include <sys/time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

#include "library/mapped_library.h"

namespace envpool::nethack {
namespace {

MappedLibrary& Running() { return *MappedLibrary::running(); }

// exit, _exit and abort would end the process; this ends the game only.
[[noreturn]] void Leave(int) { Running().Leave(); }
[[noreturn]] void LeaveByAbort() { Running().Leave(); }

// Moon, night and the goods of a shop depend on the time. localtime's buffer is shared by all
// threads.
std::time_t Time(std::time_t* out) {
  const std::time_t now = Running().clock() != 0 ? Running().clock() : std::time(nullptr);
  if (out != nullptr) *out = now;
  return now;
}
int TimeOfDay(timeval* out, void*) {
  if (Running().clock() == 0) return gettimeofday(out, nullptr);
  *out = {Running().clock(), 0};
  return 0;
}
std::tm* LocalTime(const std::time_t* time) { return localtime_r(time, Running().broken_down()); }

// There is no terminal, no waiting and no signal.
int IsTerminal(int) { return 0; }
unsigned Sleep(unsigned) { return 0; }
int SignalAction(int, const void*, void*) { return 0; }

// Destructors would free memory that is freed with the game.
int AtExit(void (*)(void*), void*, void*) { return 0; }
void Finalize(void*) {}

// Files that a game leaves open are closed when the next game begins.
std::FILE* Open(const char* path, const char* mode) { return Running().Open(path, mode); }
std::FILE* OpenDescriptor(int file, const char* mode) { return Running().Keep(fdopen(file, mode)); }
std::FILE* OpenMemory(void* memory, std::size_t size, const char* mode) {
  return Running().Keep(fmemopen(memory, size, mode));
}
int Close(std::FILE* file) { return Running().Close(file); }

// The game allocates its coroutine's stack by mmap; it gets our stack, which has more room below.
void* Map(void* address, std::size_t size, int protection, int flags, int file, off_t offset) {
  if (address != nullptr || file != -1) {
    return mmap(address, size, protection, flags, file, offset);
  }
  void* const stack = Running().TakeStack(size);
  return stack == nullptr ? MAP_FAILED : stack;
}
int Unmap(void*, std::size_t) { return 0; }
int Protect(void*, std::size_t, int) { return 0; }

void* Malloc(std::size_t size) { return Running().heap().Allocate(size); }
void Free(void* block) { Running().heap().Free(block); }
void* Realloc(void* block, std::size_t size) { return Running().heap().Resize(block, size); }
void* Calloc(std::size_t count, std::size_t size) {
  if (size != 0 && count > GameHeap::kSize / size) return nullptr;
  void* const block = Malloc(count * size);
  if (block != nullptr) std::memset(block, 0, count * size);
  return block;
}
// A game without memory is over; the mapped code could not catch an exception.
void* New(std::size_t size) {
  void* const block = Malloc(size);
  if (block == nullptr) Running().Leave();
  return block;
}

// The string of libstdc++ before C++11; its own functions would use memory of the process. A
// pointer to the letters; length, capacity and the number of other owners lie before them.
struct Letters {
  std::size_t length = 0, capacity = 0;
  int sharers = 0;
};
alignas(Letters) unsigned char empty_letters[sizeof(Letters) + 8];
char* Begin(void* letters) { return static_cast<char*>(letters) + sizeof(Letters); }
Letters* LettersOf(char* begin) { return reinterpret_cast<Letters*>(begin - sizeof(Letters)); }
bool IsEmpty(const Letters* letters) {
  return static_cast<const void*>(letters) == static_cast<const void*>(empty_letters);
}
Letters* MakeLetters(std::size_t capacity, std::size_t, const void*) {
  auto* const letters = static_cast<Letters*>(New(sizeof(Letters) + capacity + 1));
  *letters = {0, capacity, 0};
  return letters;
}
void FreeLetters(Letters* letters, const void*) { Free(letters); }
void Drop(char* begin) {
  Letters* const letters = LettersOf(begin);
  if (!IsEmpty(letters) && letters->sharers-- <= 0) Free(letters);
}
char* Share(char* begin) {
  Letters* const letters = LettersOf(begin);
  if (!IsEmpty(letters)) ++letters->sharers;
  return begin;
}
void CopyString(char** self, char* const* other) { *self = Share(*other); }
char** AssignString(char** self, char* const* other) {
  char* const shared = Share(*other);
  Drop(*self);
  *self = shared;
  return self;
}
char** AssignText(char** self, const char* text, std::size_t length) {
  char* begin = Begin(empty_letters);
  if (length > 0) {
    Letters* const letters = MakeLetters(length, 0, nullptr);
    letters->length = length;
    begin = Begin(letters);
    std::memcpy(begin, text, length);
    begin[length] = 0;
  }
  Drop(*self);
  *self = begin;
  return self;
}

struct Replacement {
  std::string_view name;
  const void* function;
};
template <typename F>
const void* Address(F* function) {
  return reinterpret_cast<const void*>(function);
}
const Replacement kReplacements[] = {
    {"exit", Address(Leave)},
    {"_exit", Address(Leave)},
    {"abort", Address(LeaveByAbort)},
    {"time", Address(Time)},
    {"gettimeofday", Address(TimeOfDay)},
    {"localtime", Address(LocalTime)},
    {"isatty", Address(IsTerminal)},
    {"sleep", Address(Sleep)},
    {"sigaction", Address(SignalAction)},
    {"__cxa_atexit", Address(AtExit)},
    {"__cxa_finalize", Address(Finalize)},
    {"fopen", Address(Open)},
    {"fdopen", Address(OpenDescriptor)},
    {"fmemopen", Address(OpenMemory)},
    {"fclose", Address(Close)},
    {"mmap", Address(Map)},
    {"munmap", Address(Unmap)},
    {"mprotect", Address(Protect)},
    {"malloc", Address(Malloc)},
    {"free", Address(Free)},
    {"calloc", Address(Calloc)},
    {"realloc", Address(Realloc)},
    {"_Znwm", Address(New)},    // operator new
    {"_ZdlPv", Address(Free)},  // operator delete
    {"_ZNSs4_Rep9_S_createEmmRKSaIcE", Address(MakeLetters)},
    {"_ZNSs4_Rep10_M_destroyERKSaIcE", Address(FreeLetters)},
    {"_ZNSs4_Rep20_S_empty_rep_storageE", empty_letters},
    {"_ZNSsC1ERKSs", Address(CopyString)},
    {"_ZNSs6assignERKSs", Address(AssignString)},
    {"_ZNSs6assignEPKcm", Address(AssignText)},
};

}  // namespace

const void* ReplacedImport(const char* name) {
  for (const Replacement& replacement : kReplacements) {
    if (replacement.name == name) return replacement.function;
  }
  return nullptr;
}

}  // namespace envpool::nethack
