// SPDX-License-Identifier: Apache-2.0
// Errors that a user can cause, and how they are worded.
//
//   throw Error(ErrorKind::kEnvId, "step(env_id=...)", "env id 99", "0 .. 7",
//               "pass ids of this pool, see all_env_ids");
//
// Python raises the class of envpool.errors that the kind names. An environment may throw any
// std::exception from its constructor, Reset or Step: `make` or `recv` reports it as WorkerError;
// `make` raises an Error(kConfig) of its constructor unchanged. StateSpec and ActionSpec refuse an
// option with OptionError, which is worded with the call, as "make('Walk-v0', goal=-1)":
//
//   throw OptionError("map", map, "a map of this family", "pass one of them", {"small", "large"});
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace envpool {

/// The failure of one environment.
struct Failure {
  int env_id;        ///< the environment that threw
  int row;           ///< the row of its result in the batch; -1: none
  std::string text;  ///< the text of the exception
};

/// The class of envpool.errors that Python raises.
enum class ErrorKind { kConfig, kAction, kEnvId, kState, kTimeout, kWorker, kRender, kSavedState };

/// Name of the Python class in envpool.errors.
const char* PythonClass(ErrorKind kind);

namespace detail {
/// The text of an author's exception, then `asked`: a reader looks for that text first.
std::string TextFirst(const std::string& text, const std::string& asked);
}  // namespace detail

/// A mistake of a user, or a failure of an environment.
class Error : public std::runtime_error {
 public:
  /// The four parts of every message: the call, the value or state that came, the allowed ones, and
  /// the next thing to do.
  Error(ErrorKind kind, const std::string& asked, const std::string& got,
        const std::string& allowed, const std::string& hint);

  ErrorKind kind;                    ///< decides on the class in Python
  std::string asked;                 ///< the call, or the part of it, that cannot be served
  std::string got;                   ///< the value or state that came
  std::string allowed;               ///< values or states that are allowed
  std::string hint;                  ///< the next thing to do, without a full stop
  std::string option;                ///< the option it is about; of kConfig only
  std::vector<std::string> choices;  ///< allowed values of that option, if these are names
  std::string task_id;               ///< the task of the pool; of kWorker only
  std::vector<Failure> failures;     ///< the environments that failed; of kWorker only
};

/// An option that an environment does not take.
class OptionError : public Error {
 public:
  /// `choices`: the names that it takes, from which Python suggests the nearest.
  OptionError(const std::string& option, const std::string& got, const std::string& allowed,
              const std::string& hint, std::vector<std::string> choices = {});
};

/// The index in `choices` of the value of an option. Throws OptionError if it is none of them.
inline int Chosen(const std::string& option, const std::string& value,
                  const std::vector<std::string>& choices) {
  std::string all;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] == value) return static_cast<int>(i);
    all += (i == 0 ? "'" : ", '") + choices[i] + "'";
  }
  throw OptionError(option, "'" + value + "'", all, "pass one of them", choices);
}
/// The value of an option that is one of `choices`. Throws OptionError if it is none of them.
inline int Chosen(const std::string& option, int value, const std::vector<int>& choices) {
  std::string all;
  for (const int choice : choices) {
    if (choice == value) return value;
    all += (all.empty() ? "" : ", ") + std::to_string(choice);
  }
  throw OptionError(option, std::to_string(value), all, "pass one of them");
}

}  // namespace envpool
