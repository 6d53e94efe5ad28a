// SPDX-License-Identifier: Apache-2.0
// Messages arrive once and in order, also while their sender holds the queue's mutex.
#include <pthread.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>

#include "../../../envpool-core/tests/cpp/support.h"
#include "protocol/message_queue.h"

namespace vizdoom = envpool::vizdoom;

namespace {

using namespace std::chrono_literals;
using vizdoom::MessageCode;
using vizdoom::MessageQueue;

constexpr std::size_t kCount = 40, kMutex = 48;  // their places in the memory of a queue
constexpr int kSlots = 64;

void Expect(MessageQueue& queue, MessageCode code, const std::string& text = {}) {
  const auto message = queue.Receive(60s);
  EXPECT(message && message->code == code && message->text == text);
}

void TestManyMessages(MessageQueue& queue) {
  for (int round = 0; round < 3 * kSlots; ++round) {
    for (int i = 0; i <= round % kSlots; ++i) EXPECT(queue.Send(MessageCode::kDone));
    for (int i = 0; i <= round % kSlots; ++i) Expect(queue, MessageCode::kDone);
  }
  EXPECT(!queue.Receive(0s));
}

void TestKinds(MessageQueue& queue) {
  EXPECT(queue.Send(MessageCode::kError, "no map") && queue.Send(MessageCode::kDone) &&
         queue.Send(MessageCode::kExited));
  Expect(queue, MessageCode::kError, "no map");
  Expect(queue, MessageCode::kDone);
  Expect(queue, MessageCode::kExited);
}

/// The sender was stopped before it could unlock the mutex.
void TestLocked(MessageQueue& queue, std::byte* memory) {
  auto& mutex = *reinterpret_cast<pthread_mutex_t*>(memory + kMutex);
  const auto count = [&] {
    std::uint64_t found = 0;
    std::memcpy(&found, memory + kCount, sizeof(found));
    return found;
  };
  for (int i = 0; i < kSlots; ++i) EXPECT(queue.Send(MessageCode::kDone));
  EXPECT(!queue.Send(MessageCode::kDone));  // the queue is full
  EXPECT(pthread_mutex_lock(&mutex) == 0);
#ifdef __x86_64__
  for (int i = 0; i < 20; ++i) Expect(queue, MessageCode::kDone);
  EXPECT(count() == kSlots);  // their slots are not free yet
#else
  EXPECT(!queue.Receive(0s));
#endif
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  Expect(queue, MessageCode::kDone);
#ifdef __x86_64__
  EXPECT(count() == kSlots - 21);
  for (int i = 0; i < kSlots - 21; ++i) Expect(queue, MessageCode::kDone);
#else
  for (int i = 0; i < kSlots - 1; ++i) Expect(queue, MessageCode::kDone);
#endif
  EXPECT(count() == 0 && !queue.Receive(0s));
}

}  // namespace

int main(int count, char** arguments) {
  EXPECT(count == 2);
  const std::string name = arguments[1];
  MessageQueue queue(name);
  const auto memory = vizdoom::SharedMemory::Open(name);
  TestManyMessages(queue);
  TestKinds(queue);
  TestLocked(queue, memory.data());
  TestManyMessages(queue);
  return 0;
}
