// SPDX-License-Identifier: Apache-2.0
// Events: the rewards and ends of a MiniHack task beside stairs.
//
//   Events({"1 required message You kill the minotaur", "0.5 repeatable message apple|core"})
//
// An event is a text: its reward, any of the words `required`, `sufficient` and `repeatable`, and
//
//   message TEXT|TEXT      one of the texts is in the message
//   action PLACE KEY       the key with this code is pressed while nothing on the screen has this
//                          description, because the agent stands on it; then y
//   location PLACE         nothing on the screen has this description
//   coordinate X,Y         the agent is there
//   stairs                 the agent is on stairs down; rewarded each time, and no part of an end
//
// An event that is not repeatable happens once. The episode is over when a sufficient event has
// happened, or all required events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "envpool/state_io.h"
#include "library/interface.h"

namespace envpool::nethack {

class Events {
 public:
  /// Throws OptionError if a text is not an event.
  explicit Events(const std::vector<std::string>& texts);

  bool empty() const { return events_.empty(); }
  /// True if an event needs the screen's descriptions.
  bool see_descriptions() const;

  void Begin();
  /// Checks the events after a key (-1 after a reset); returns true if the episode is over.
  bool Check(const Observation& seen, int key);
  /// The sum of rewards since the last call.
  double Collect();

  void Save(StateWriter& out) const;
  void Load(StateReader& in);

 private:
  enum class Kind : std::uint8_t { kMessage, kAction, kLocation, kCoordinate, kStairs };
  struct Event {
    double reward = 0;
    bool required = false, sufficient = false, repeatable = false;
    Kind kind = Kind::kMessage;
    std::vector<std::string> texts;  // of a message, or the place
    int key = 0;
    std::int64_t x = 0, y = 0;
  };
  /// The state of an event in the current game.
  struct Progress {
    bool achieved = false, prepared = false;
  };

  static Event Parse(const std::string& text);
  static bool Happens(const Event& event, Progress& progress, const Observation& seen, int key);

  std::vector<Event> events_;
  std::vector<Progress> progress_;
  double unpaid_ = 0;
};

}  // namespace envpool::nethack
