// SPDX-License-Identifier: Apache-2.0
#include "tasks/events.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <string_view>

#include "envpool/error.h"
#include "game/keys.h"

namespace envpool::nethack {
namespace {

constexpr int kYes = 'y';
constexpr int kOnStairs = 4;  // index in internal
constexpr std::size_t kMessageSize = 256;

[[noreturn]] void Refuse(const std::string& text, const std::string& why) {
  throw OptionError("events", "'" + text + "', " + why,
                    "texts as '1 required message You kill the minotaur'",
                    "write what it pays, any of required, sufficient and repeatable, and one of "
                    "'message TEXT|TEXT', 'action PLACE KEY', 'location PLACE', 'coordinate X,Y' "
                    "and 'stairs'");
}

std::vector<std::string> Split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, by);) parts.push_back(part);
  return parts;
}

// All 256 bytes, as MiniHack compares them.
bool IsInMessage(const Observation& seen, const std::string& text) {
  const std::string_view message(reinterpret_cast<const char*>(seen.message), kMessageSize);
  return message.find(text) != std::string_view::npos;
}

bool IsOnScreen(const Observation& seen, const std::string& name) {
  for (int cell = 0; cell < kRows * kColumns; ++cell) {
    const auto* text =
        reinterpret_cast<const char*>(seen.screen_descriptions) + cell * kDescriptionSize;
    const std::string_view description(text, strnlen(text, kDescriptionSize));
    if (description.find(name) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

Events::Events(const std::vector<std::string>& texts) : progress_(texts.size()) {
  for (const std::string& text : texts) events_.push_back(Parse(text));
}

Events::Event Events::Parse(const std::string& text) {
  Event event;
  std::istringstream in(text);
  if (!(in >> event.reward)) Refuse(text, "which does not begin by a number");
  std::string word;
  while (in >> word) {
    if (word == "required") {
      event.required = true;
    } else if (word == "sufficient") {
      event.sufficient = true;
    } else if (word == "repeatable") {
      event.repeatable = true;
    } else {
      break;
    }
  }
  std::string rest;
  std::getline(in >> std::ws, rest);
  if (word == "stairs") {
    event.kind = Kind::kStairs;
    if (!rest.empty()) Refuse(text, "with words behind 'stairs'");
    return event;
  }
  if (rest.empty()) Refuse(text, "where something is missing");
  if (word == "message") {
    event.texts = Split(rest, '|');
  } else if (word == "location") {
    event.kind = Kind::kLocation;
    event.texts = {rest};
  } else if (word == "action") {
    event.kind = Kind::kAction;
    const std::size_t space = rest.rfind(' ');
    if (space == std::string::npos) Refuse(text, "without a place or a key");
    std::istringstream key(rest.substr(space));
    if (!(key >> event.key) || !key.eof() || event.key < 0 || event.key > 255) {
      Refuse(text, "whose key is no code of 0 .. 255");
    }
    event.texts = {rest.substr(0, space)};
  } else if (word == "coordinate") {
    event.kind = Kind::kCoordinate;
    std::istringstream numbers(rest);
    char comma = 0;
    if (!(numbers >> event.x >> comma >> event.y) || comma != ',' || !numbers.eof()) {
      Refuse(text, "without two numbers as 5,3");
    }
  } else {
    Refuse(text, "with the word '" + word + "'");
  }
  return event;
}

bool Events::see_descriptions() const {
  return std::any_of(events_.begin(), events_.end(), [](const Event& event) {
    return event.kind == Kind::kAction || event.kind == Kind::kLocation;
  });
}

void Events::Begin() {
  std::fill(progress_.begin(), progress_.end(), Progress());
  unpaid_ = 0;
}

bool Events::Happens(const Event& event, Progress& progress, const Observation& seen, int key) {
  switch (event.kind) {
    case Kind::kMessage:
      return std::any_of(event.texts.begin(), event.texts.end(),
                         [&](const std::string& text) { return IsInMessage(seen, text); });
    case Kind::kAction:
      if (key == event.key && !IsOnScreen(seen, event.texts[0])) {
        progress.prepared = true;
        return false;
      }
      if (key == kYes && progress.prepared) return true;
      progress.prepared = false;
      return false;
    case Kind::kLocation:
      return !IsOnScreen(seen, event.texts[0]);
    case Kind::kCoordinate:
      return seen.blstats[0] == event.x && seen.blstats[1] == event.y;
    case Kind::kStairs:
      return seen.internal[kOnStairs] != 0;
  }
  return false;
}

// Sums in MiniHack's order: rewards are compared to the last bit.
bool Events::Check(const Observation& seen, int key) {
  double paid = 0;
  bool sufficient = false, all_required = true;
  for (const bool stairs : {false, true}) {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const Event& event = events_[i];
      Progress& progress = progress_[i];
      if ((event.kind == Kind::kStairs) != stairs || progress.achieved) continue;
      if (!Happens(event, progress, seen, key)) continue;
      paid += event.reward;
      progress.achieved = !event.repeatable && !stairs;
    }
  }
  for (std::size_t i = 0; i < events_.size(); ++i) {
    sufficient = sufficient || (progress_[i].achieved && events_[i].sufficient);
    all_required = all_required && (progress_[i].achieved || !events_[i].required);
  }
  unpaid_ += paid;
  return sufficient || all_required;
}

double Events::Collect() {
  const double paid = unpaid_;
  unpaid_ = 0;
  return paid;
}

void Events::Save(StateWriter& out) const { out.Write(progress_, unpaid_); }

void Events::Load(StateReader& in) {
  std::vector<Progress> progress;
  in.Read(progress, unpaid_);
  if (progress.size() != events_.size()) throw std::runtime_error("a state of other events");
  progress_ = progress;
}

}  // namespace envpool::nethack
