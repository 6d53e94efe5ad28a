// SPDX-License-Identifier: Apache-2.0
#include "envpool_mujoco/field_draws.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <string_view>

#include "envpool/error.h"

namespace envpool::mujoco {
namespace {

constexpr const char* kOption = "randomize";
constexpr const char* kTogether = " together";  // follows the kind

// True if a name matches a pattern, in which * stands for any letters and ? for one letter.
bool Matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*') {
    return Matches(pattern.substr(1), name) || (!name.empty() && Matches(pattern, name.substr(1)));
  }
  return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) &&
         Matches(pattern.substr(1), name.substr(1));
}

std::string Text(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), number).ptr};
}

[[noreturn]] void Refuse(const std::string& key, const std::string& got, const std::string& allowed,
                         const std::string& hint, std::vector<std::string> choices = {}) {
  throw envpool::OptionError(kOption, "'" + key + "': " + got, allowed, hint, std::move(choices));
}

}  // namespace

std::shared_ptr<const FieldDraws> FieldDraws::Of(const SharedModel& model,
                                                 const Randomize& option) {
  std::string recipe;
  for (const auto& [key, draw] : option) {
    recipe += key + '\n' + draw.first;
    for (const double number : draw.second) recipe += ' ' + Text(number);
    recipe += '\n';
  }
  static std::mutex mutex;
  static std::map<std::pair<const mjModel*, std::string>, std::weak_ptr<const FieldDraws>> known;
  const std::scoped_lock lock(mutex);
  std::erase_if(known, [](const auto& item) { return item.second.expired(); });
  std::weak_ptr<const FieldDraws>& place = known[{model.get(), recipe}];
  if (std::shared_ptr<const FieldDraws> found = place.lock()) return found;
  const auto made = std::make_shared<const FieldDraws>(ModelFields::Of(model), option);
  place = made;
  return made;
}

FieldDraws::FieldDraws(std::shared_ptr<const ModelFields> fields, const Randomize& option)
    : fields_(std::move(fields)) {
  for (const auto& [key, draw] : option) rules_.push_back(Parse(key, draw.first, draw.second));
  std::stable_sort(rules_.begin(), rules_.end(), [](const Rule& a, const Rule& b) {
    return std::pair(a.field, a.elements.front()) < std::pair(b.field, b.elements.front());
  });
  std::map<std::pair<int, int>, const Rule*> taken;
  for (const Rule& rule : rules_) {
    for (const int element : rule.elements) {
      const auto [place, fresh] = taken.try_emplace({rule.field, element}, &rule);
      if (fresh) continue;
      Refuse(rule.key, "a number that '" + place->second->key + "' draws, too",
             "one key for each number of a model", "name other elements, or leave one out");
    }
    size_ += rule.elements.size();
  }
}

FieldDraws::Rule FieldDraws::Parse(const std::string& key, const std::string& kind,
                                   std::vector<double> numbers) const {
  std::string_view rest = key;
  int column = -1;
  if (rest.ends_with(']')) {
    const std::size_t bracket = rest.rfind('[');
    const std::string_view inside =
        bracket == rest.npos ? "" : rest.substr(bracket + 1, rest.size() - bracket - 2);
    const auto parsed = std::from_chars(inside.data(), inside.data() + inside.size(), column);
    if (inside.empty() || parsed.ec != std::errc() || parsed.ptr != inside.data() + inside.size() ||
        column < 0) {
      Refuse(key, "no column in the brackets", "as 'geom_friction[0]'", "write a whole number");
    }
    rest = rest.substr(0, bracket);
  }
  const std::size_t slash = rest.find('/');
  Rule rule;
  rule.key = key;
  rule.field = fields_->Find(std::string(rest.substr(0, slash)), kOption);
  const ModelField& field = fields_->at(rule.field);
  if (column >= field.columns) {
    Refuse(key, "column " + std::to_string(column),
           "0 .. " + std::to_string(field.columns - 1) + ", the columns of '" + field.name + "'",
           "correct the number");
  }
  std::set<std::string> names;
  for (int row = 0; row < field.rows; ++row) {
    if (slash != rest.npos) {
      const std::string name = fields_->RowName(field, row);
      if (!name.empty()) names.insert(name);
      if (name.empty() || !Matches(rest.substr(slash + 1), name)) continue;
    }
    for (int i = 0; i < field.columns; ++i) {
      if (column < 0 || column == i) rule.elements.push_back(field.columns * row + i);
    }
  }
  if (rule.elements.empty()) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "'" : ", '") + name + "'";
    Refuse(key, "a pattern that no name of the model matches",
           all.empty() ? "'" + field.name + "', since these things have no names here" : all,
           "correct the name", {names.begin(), names.end()});
  }
  fields_->CheckElements(rule.field, rule.elements, kOption);
  rule.together = kind.ends_with(kTogether);
  const std::string word =
      rule.together ? kind.substr(0, kind.size() - std::string_view(kTogether).size()) : kind;
  const std::vector<std::string> kinds = {"scale", "add", "uniform", "normal", "choice"};
  const auto found = std::find(kinds.begin(), kinds.end(), word);
  if (found == kinds.end()) {
    Refuse(key, "'" + word + "'", "'scale', 'add', 'uniform', 'normal' or 'choice'",
           "begin with one of these words", kinds);
  }
  rule.kind = static_cast<Kind>(std::distance(kinds.begin(), found));
  rule.numbers = std::move(numbers);
  const std::size_t count = rule.numbers.size();
  if (rule.kind == Kind::kChoice ? count == 0 : count != 2) {
    Refuse(key, std::to_string(count) + " numbers for '" + word + "'",
           rule.kind == Kind::kChoice   ? "one or more to choose from"
           : rule.kind == Kind::kNormal ? "two, the mean and the standard deviation"
                                        : "two, the lowest and the highest",
           "correct the numbers");
  }
  CheckRange(rule);
  return rule;
}

void FieldDraws::CheckRange(const Rule& rule) const {
  const ModelField& field = fields_->at(rule.field);
  const std::vector<double>& n = rule.numbers;
  for (const double number : n) {
    if (!std::isfinite(number)) {
      Refuse(rule.key, Text(number), "finite numbers", "correct the numbers");
    }
  }
  if (rule.kind == Kind::kNormal && n[1] < 0) {
    Refuse(rule.key, "a standard deviation of " + Text(n[1]), "0 or more", "correct it");
  }
  const bool range = rule.kind != Kind::kNormal && rule.kind != Kind::kChoice;
  if (range && !(n[0] <= n[1])) {
    Refuse(rule.key, Text(n[0]) + " .. " + Text(n[1]), "a lowest number and then a highest one",
           "exchange the two");
  }
  if (!field.positive) return;
  if (rule.kind == Kind::kNormal) {
    Refuse(rule.key, "'normal', which may come below 0", "numbers from 0 for '" + field.name + "'",
           "use 'scale' or 'uniform'");
  }
  // A moving body without mass cannot be simulated.
  const bool above = field.name == "body_mass" || field.name == "body_inertia";
  for (const int element : rule.elements) {
    const double own = field.Read(*fields_->model(), element);
    if (above && own == 0 && rule.kind == Kind::kScale) continue;
    const double least = rule.kind == Kind::kScale ? std::min(own * n[0], own * n[1])
                         : rule.kind == Kind::kAdd ? own + n[0]
                                                   : *std::min_element(n.begin(), n.end());
    if (above ? least > 0 : least >= 0) continue;
    Refuse(rule.key, "down to " + Text(least),
           std::string(above ? "numbers above 0" : "numbers from 0") + " for '" + field.name + "'",
           "draw from a higher one on, or name other elements");
  }
}

}  // namespace envpool::mujoco
