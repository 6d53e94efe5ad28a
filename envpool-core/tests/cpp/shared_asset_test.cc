// SPDX-License-Identifier: Apache-2.0
// SharedAsset: an asset is made once for all who hold it, also when many threads ask at the same
// time; assets of other keys are made meanwhile; what fails is tried again; a changed file has
// another key.
#include <envpool/assets.h>
#include <envpool/shared_asset.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support.h"

namespace testing_envs {
namespace {

using envpool::SharedAsset;
using Table = std::vector<int>;
using Tables = SharedAsset<Table>;

void TestOneForAll() {
  constexpr int kThreads = 8;
  std::atomic<int> made{0};
  std::vector<std::shared_ptr<const Table>> found(kThreads);
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  for (auto& place : found) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      place = Tables::Get("one", [&] {
        ++made;
        return Table(1000, 7);
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT(made == 1);
  for (const auto& table : found) EXPECT(table == found[0] && table->size() == 1000);
  const std::weak_ptr<const Table> left = found[0];
  found.clear();
  EXPECT(left.expired());
  EXPECT(*Tables::Get("one", [] { return Table{3}; }) == Table{3});
}

// Each waits for the other, which it could not if one lock were held meanwhile.
void TestOthersAreMadeMeanwhile() {
  std::barrier both(2);
  std::thread other([&] {
    Tables::Get("a", [&] {
      both.arrive_and_wait();
      return Table{};
    });
  });
  Tables::Get("b", [&] {
    both.arrive_and_wait();
    return *Tables::Get("c", [] { return Table{}; });
  });
  other.join();
}

void TestWhatFailsIsTriedAgain() {
  bool thrown = false;
  try {
    Tables::Get("fails", []() -> Table { throw std::runtime_error("no table"); });
  } catch (const std::runtime_error& error) {
    thrown = std::string(error.what()) == "no table";
  }
  EXPECT(thrown);
  EXPECT(Tables::Get("fails", [] { return Table{1}; })->size() == 1);
}

void TestKeysOfOtherTypes() {
  using Numbered = SharedAsset<Table, std::pair<int, int>>;
  const auto first = Numbered::Get({1, 2}, [] { return Table{1}; });
  EXPECT(Numbered::Get({1, 2}, [] { return Table{2}; }) == first);
  EXPECT(Numbered::Get({2, 1}, [] { return Table{2}; }) != first);
}

void TestAForkedProcessMakesItsOwn() {
  const auto held = Tables::Get("forked", [] { return Table{1}; });
  const pid_t child = fork();
  EXPECT(child >= 0);
  if (child == 0) {
    EXPECT(*Tables::Get("forked", [] { return Table{2}; }) == Table{2});
    _exit(0);
  }
  int status = 1;
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

void TestFileKey() {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("envpool_key_" + std::to_string(getpid()));
  EXPECT(envpool::FileKey(path.string()) == path.string());
  const auto write = [&path](const char* text) { std::ofstream(path) << text; };
  write("one");
  const auto written = std::filesystem::last_write_time(path);
  const std::string key = envpool::FileKey(path.string());
  EXPECT(key == envpool::FileKey(path.string()) && key != path.string());
  // As long, and said to be as old. A file system may count time in steps of 10 ms.
  const Clock::time_point end = Clock::now() + std::chrono::seconds(30);
  while (envpool::FileKey(path.string()) == key) {
    EXPECT(Clock::now() < end);
    write("two");
    std::filesystem::last_write_time(path, written);
  }
  std::filesystem::remove(path);
}

void Main() {
  TestOneForAll();
  TestOthersAreMadeMeanwhile();
  TestWhatFailsIsTriedAgain();
  TestKeysOfOtherTypes();
  TestAForkedProcessMakesItsOwn();
  TestFileKey();
}

}  // namespace
}  // namespace testing_envs

int main() { testing_envs::Main(); }
