// SPDX-License-Identifier: Apache-2.0
#include "level_table.h"

#include <map>
#include <mutex>

namespace envpool::procgen {
namespace {

struct Tables {
  std::mutex mutex;
  std::int64_t last = 0;
  std::map<std::int64_t, std::weak_ptr<LevelTable>> by_number;
};
Tables& All() {
  static Tables tables;
  return tables;
}

}  // namespace

std::shared_ptr<LevelTable> LevelTable::Make(int num_envs) {
  Tables& all = All();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.by_number, [](const auto& item) { return item.second.expired(); });
  std::shared_ptr<LevelTable> table(new LevelTable(++all.last, num_envs));
  all.by_number[table->number()] = table;
  return table;
}

std::shared_ptr<LevelTable> LevelTable::Find(std::int64_t number) {
  Tables& all = All();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_number.find(number);
  return found == all.by_number.end() ? nullptr : found->second.lock();
}

}  // namespace envpool::procgen
