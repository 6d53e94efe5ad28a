// SPDX-License-Identifier: Apache-2.0
// Events: what a task of MiniHack pays for and ends by, beside stairs.
//
//   Events({"1 required message You kill the minotaur", "0.5 repeatable message apple|core"})
//
// An event is a text: what it pays, any of the words `required`, `sufficient` and `repeatable`, and
//
//   message TEXT|TEXT      one of the texts is in the message
//   action PLACE KEY       the key with this code is pressed where nothing on the screen is
//   described
//                          by this name, as one stands on it, and then y
//   location PLACE         nothing on the screen is described by this name
//   coordinate X,Y         one is there
//   stairs                 one is on stairs down; paid each time, and no part of an end
//
// An event that is not repeatable happens once. The episode is over when one that is sufficient has
// happened, or all that are required.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "envpool/state_io.h"
#include "library/interface.h"

namespace envpool::nethack {

class Events {
 public:
  /// Throws OptionError where a text is no event.
  explicit Events(const std::vector<std::string>& texts);

  bool empty() const { return events_.empty(); }
  /// Whether one looks at descriptions of the screen.
  bool see_descriptions() const;

  void Begin();
  /// What happened by a key, which is -1 after a reset; returns whether the episode is over.
  bool Check(const Observation& seen, int key);
  /// What is to be paid since this was asked.
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
  /// Of an event, since the game began.
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
