// SPDX-License-Identifier: Apache-2.0
#include "protocol/message_queue.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace envpool::vizdoom {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSlots = 64, kMessageSize = 129;
constexpr std::uint32_t kReady = 2;  // value of the state word; the engine spins until it is set
constexpr int kSpins = 100;          // a few microseconds
constexpr auto kLockTimeout = 1s;    // the mutex is never held for more than a copy
constexpr std::uint64_t kMostTaken = kSlots / 2;  // then they must be given back
#ifdef __x86_64__
// Writes of a process become visible in their order: a reader of a message sees all earlier writes.
constexpr bool kOrdered = true;
#else
constexpr bool kOrdered = false;
#endif
// A signal before the wait begins is lost: a slice is the time until the next look.
constexpr std::chrono::nanoseconds kFirstSlice = 4ms, kLastSlice = 250ms;

struct Slot {
  std::uint64_t size;
  std::uint32_t priority, unused;
  std::uint8_t code;
  char text[MessageQueue::kMostText + 1];
  char padding[7];
};
static_assert(offsetof(Slot, code) == 16 && sizeof(Slot) == 152);

struct Header {
  std::int64_t ring;  // distance from here
  std::uint64_t most_messages, message_size, count;
  pthread_mutex_t mutex;
  pthread_cond_t can_receive, can_send;
  std::uint64_t first, blocked_senders, blocked_receivers;
};
#ifdef __x86_64__
static_assert(offsetof(Header, mutex) == 32 && offsetof(Header, can_receive) == 72 &&
              offsetof(Header, can_send) == 120 && offsetof(Header, first) == 168 &&
              sizeof(Header) == 192);
#endif

/// The whole memory, after Boost's rounding to 16 bytes.
struct Layout {
  alignas(16) std::uint32_t state;
  alignas(16) Header header;
  std::int64_t ring[kSlots];  // distance of the slot from this entry
  Slot slots[kSlots];

  Slot& slot(std::uint64_t i) {
    return *reinterpret_cast<Slot*>(reinterpret_cast<char*>(&ring[i]) + ring[i]);
  }
};
#ifdef __x86_64__
static_assert(offsetof(Layout, header) == 16 && sizeof(Layout) == 10448);
#endif

Layout& LayoutOf(const SharedMemory& memory) { return *reinterpret_cast<Layout*>(memory.data()); }

std::int64_t Distance(const void* from, const void* to) {
  return static_cast<const char*>(to) - static_cast<const char*>(from);
}

timespec After(std::chrono::nanoseconds timeout) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const auto end = std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec) +
                   std::max(timeout, 0ns);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(end);
  timespec result{};
  result.tv_sec = static_cast<time_t>(seconds.count());
  result.tv_nsec = static_cast<long>((end - seconds).count());
  return result;
}

bool IsEarlier(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

/// A short pause of a thread that polls.
void Pause() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Holds a queue's mutex, if it could be locked.
class Lock {
 public:
  explicit Lock(pthread_mutex_t& mutex, std::chrono::nanoseconds timeout = kLockTimeout)
      : mutex_(&mutex) {
    if (pthread_mutex_trylock(mutex_) == 0) return;
    for (int spin = 0; timeout > 0ns && spin < kSpins; ++spin) {
      Pause();
      if (pthread_mutex_trylock(mutex_) == 0) return;
    }
    if (timeout <= 0ns) {
      mutex_ = nullptr;
      return;
    }
    const timespec end = After(timeout);
    if (pthread_mutex_timedlock(mutex_, &end) != 0) mutex_ = nullptr;
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (mutex_ != nullptr) pthread_mutex_unlock(mutex_);
  }
  explicit operator bool() const { return mutex_ != nullptr; }
  void Release() { pthread_mutex_unlock(std::exchange(mutex_, nullptr)); }

 private:
  pthread_mutex_t* mutex_;
};

}  // namespace

MessageQueue::MessageQueue(const std::string& name)
    : memory_(SharedMemory::Create(name, sizeof(Layout))), next_(kSlots - 1) {
  Layout& layout = LayoutOf(memory_);  // initially zeros
  Header& header = layout.header;
  header.ring = Distance(&header, layout.ring);
  header.most_messages = kSlots;
  header.message_size = kMessageSize;
  for (std::uint64_t i = 0; i < kSlots; ++i) {
    layout.ring[i] = Distance(&layout.ring[i], &layout.slots[i]);
  }
  pthread_mutexattr_t mutex{};
  pthread_condattr_t condition{};
  pthread_mutexattr_init(&mutex);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&header.mutex, &mutex);
  pthread_mutexattr_destroy(&mutex);
  pthread_condattr_init(&condition);
  pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&header.can_receive, &condition);
  pthread_cond_init(&header.can_send, &condition);
  pthread_condattr_destroy(&condition);
  std::atomic_ref(layout.state).store(kReady, std::memory_order_release);
}

bool MessageQueue::Send(MessageCode code, std::string_view text) {
  if (text.size() > kMostText) throw std::length_error("a message of more than 127 characters");
  Layout& layout = LayoutOf(memory_);
  Header& header = layout.header;
  Lock lock(header.mutex);
  if (!lock || header.count == kSlots) return false;
  header.first = (header.first == 0 ? kSlots : header.first) - 1;
  ++header.count;
  Slot& slot = layout.slot(header.first);
  slot.size = kMessageSize;
  slot.priority = 0;
  text.copy(slot.text, text.size());  // unlike memcpy, also for an empty text at null
  slot.text[text.size()] = '\0';
  std::atomic_ref(slot.code).store(static_cast<std::uint8_t>(code), std::memory_order_release);
  const bool awaited = header.blocked_receivers != 0;
  lock.Release();
  if (awaited) pthread_cond_signal(&header.can_receive);
  return true;
}

std::optional<Message> MessageQueue::Receive(std::chrono::nanoseconds timeout) {
  Header& header = LayoutOf(memory_).header;
  if (header.blocked_receivers == 0) header.blocked_receivers = 1;  // makes the engine signal
  const timespec end = After(timeout);
  for (std::chrono::nanoseconds slice = kFirstSlice;; slice = std::min(2 * slice, kLastSlice)) {
    const timespec until = std::min(After(slice), end, IsEarlier);
    if (auto message = Take()) return message;
    {
      std::unique_lock own(waiting_);
      pthread_cond_timedwait(&header.can_receive, waiting_.native_handle(), &until);
    }
    if (!IsEarlier(After(0ns), end)) return Take();
  }
}

// The engine signals while it holds the mutex. A thread that wakes on the engine's CPU delays the
// unlock, and would have to sleep and wake again for every message if it took the mutex: so usual
// messages are read without the mutex. Slots are given back when the mutex is free.
std::optional<Message> MessageQueue::Take() {
  Layout& layout = LayoutOf(memory_);
  Slot& slot = layout.slot(next_);
  const std::atomic_ref code(slot.code);
  Message message{static_cast<MessageCode>(code.load(std::memory_order_acquire)), {}};
  if (message.code == MessageCode{}) return std::nullopt;
  if (!kOrdered || message.code != MessageCode::kDone) {
    const Lock whole(layout.header.mutex);  // text is incomplete until the unlock
    if (!whole) return std::nullopt;
    if (message.code == MessageCode::kError) {
      message.text.assign(slot.text, strnlen(slot.text, kMostText));
    }
  }
  code.store(0, std::memory_order_relaxed);
  next_ = (next_ == 0 ? kSlots : next_) - 1;
  ++taken_;
  GiveBack();
  return message;
}

void MessageQueue::GiveBack() {
  Layout& layout = LayoutOf(memory_);
  const Lock lock(layout.header.mutex, taken_ < kMostTaken ? 0s : kLockTimeout);
  if (!lock) return;
  layout.header.count -= taken_;
  for (; taken_ > 0; --taken_) {
    Slot& slot = layout.slot((next_ + taken_) % kSlots);
    slot.size = 0;
    slot.priority = 0;
  }
}

}  // namespace envpool::vizdoom
