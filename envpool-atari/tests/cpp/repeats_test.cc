// SPDX-License-Identifier: Apache-2.0
// The code of repetitions decodes to the encoded bytes, and no code does harm: random, damaged and
// cut codes give some bytes or std::out_of_range. Run with a sanitizer.
#include "repeats.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>

#include "expect.h"

namespace {

using namespace envpool::atari;

using Random = std::mt19937;

/// Bytes of which some are any, and the others repeat what stands a usual distance before.
std::string RandomBytes(Random& random, const UsualDistances& usual) {
  std::string bytes;
  const std::size_t size = random() % 3 ? random() % 3'000 : random() % 5;
  while (bytes.size() < size) {
    const std::size_t distances[] = {usual.near, usual.far, 1 + random() % 2'000};
    const std::size_t distance = distances[random() % 3];
    const std::size_t length = 1 + (random() % 8 ? random() % 20 : random() % 900);
    const bool repeats = random() % 4 != 0 && distance <= bytes.size();
    for (std::size_t i = 0; i < length; ++i) {
      const char next = static_cast<char>(random());
      bytes.push_back(repeats ? bytes[bytes.size() - distance] : next);
    }
  }
  return bytes;
}

/// True if `code` decodes to bytes.size() bytes.
bool Decodes(const std::string& code, std::string& bytes, const UsualDistances& usual) {
  try {
    DecodeRepeats(code, bytes, usual);
  } catch (const std::out_of_range&) {
    return false;
  }
  return true;
}

void TestBytesComeBack(Random& random) {
  const UsualDistances usual{.near = 1 + random() % 100, .far = 1 + random() % 1'000};
  const std::string bytes = RandomBytes(random, usual);
  const std::string code = EncodeRepeats(bytes, usual);
  EXPECT(code.size() <= bytes.size() + bytes.size() / 64 + 8);
  std::string back(bytes.size(), 'x');
  EXPECT(Decodes(code, back, usual) && back == bytes);
  std::string longer(bytes.size() + 1, 'x');
  EXPECT(!Decodes(code, longer, usual));
  if (!bytes.empty()) {
    back.resize(bytes.size() - 1);
    EXPECT(!Decodes(code, back, usual));
  }
  std::string damaged = code;
  for (std::size_t i = random() % 4; i > 0 && !code.empty(); --i) {
    damaged[random() % damaged.size()] = static_cast<char>(random());
  }
  damaged.resize(random() % 2 ? damaged.size() : random() % (damaged.size() + 1));
  back.resize(bytes.size());
  static_cast<void>(Decodes(damaged, back, usual));
}

void TestRandomCodesAreHarmless(Random& random) {
  std::string code(random() % 50, 0);
  for (char& byte : code) byte = static_cast<char>(random());
  std::string bytes(random() % 2'000, 0);
  static_cast<void>(Decodes(code, bytes, {.near = 84, .far = 200}));
}

void TestWhatRepeatsIsShort() {
  std::string bytes;
  for (int i = 0; i < 84; ++i) bytes.push_back(static_cast<char>(i * i));
  while (bytes.size() < 20'000) bytes += bytes;
  EXPECT(EncodeRepeats(bytes, {.near = 84, .far = 7'056}).size() < 100);
  EXPECT(EncodeRepeats(std::string(20'000, 0), {.near = 84, .far = 7'056}).size() < 100);
}

}  // namespace

int main() {
  Random random(1);
  for (int i = 0; i < 5'000; ++i) TestBytesComeBack(random);
  for (int i = 0; i < 20'000; ++i) TestRandomCodesAreHarmless(random);
  TestWhatRepeatsIsShort();
}
