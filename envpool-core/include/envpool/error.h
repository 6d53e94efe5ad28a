// SPDX-License-Identifier: Apache-2.0
// Errors that a user can cause, and how they are worded.
//
//   throw Error(ErrorKind::kEnvId, "step(env_id=...)", "env id 99", "0 .. 7",
//               "pass ids of this pool, see all_env_ids");
//
// Python raises the class of envpool.errors that the kind names. An environment may throw any
// std::exception from its constructor, Reset or Step: `make` or `recv` reports it as WorkerError;
// an Error(kConfig) from its constructor is what `make` raises. StateSpec and ActionSpec refuse an
// option with OptionError, which is worded with the call, as "make('Walk-v0', goal=-1)":
//
//   throw OptionError("map", map, "a map of this family", "pass one of them", {"small", "large"});
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace envpool {

/// What went wrong in one environment.
struct Failure {
  int env_id;        ///< of the pool
  int row;           ///< of the batch that its result was for; -1 if there is none
  std::string text;  ///< of what it threw
};

/// Which class of envpool.errors Python raises.
enum class ErrorKind { kConfig, kAction, kEnvId, kState, kTimeout, kWorker, kRender, kSavedState };

/// Name of the Python class in envpool.errors.
inline const char* PythonClass(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kConfig:
      return "ConfigError";
    case ErrorKind::kAction:
      return "ActionError";
    case ErrorKind::kEnvId:
      return "EnvIdError";
    case ErrorKind::kState:
      return "StateError";
    case ErrorKind::kTimeout:
      return "RecvTimeoutError";
    case ErrorKind::kWorker:
      return "WorkerError";
    case ErrorKind::kRender:
      return "RenderError";
    case ErrorKind::kSavedState:
      return "SavedStateError";
  }
  return "EnvPoolError";
}

namespace detail {
/// What was asked, after what an author's exception says of it: that is what a reader looks for.
inline std::string TextFirst(const std::string& text, const std::string& asked) {
  return text.empty() ? asked : text + "\n" + asked;
}
}  // namespace detail

/// What a user did wrong, or what went wrong in an environment.
class Error : public std::runtime_error {
 public:
  /// The four parts of every message: what was asked, what was got, what is allowed, what to do
  /// next.
  Error(ErrorKind kind, const std::string& asked, const std::string& got,
        const std::string& allowed, const std::string& next)
      : std::runtime_error(asked + ": got " + got + "; allowed: " + allowed + ". " +
                           Capitalized(next) + "."),
        kind(kind),
        asked(asked),
        got(got),
        allowed(allowed),
        next(Capitalized(next)) {}

  ErrorKind kind;                    ///< decides on the class in Python
  std::string asked;                 ///< the call, or the part of it, that cannot be served
  std::string got;                   ///< what came
  std::string allowed;               ///< what would have been usable
  std::string next;                  ///< what to do, without a full stop
  std::string option;                ///< the option it is about; of kConfig only
  std::vector<std::string> choices;  ///< what that option may be, where those are names
  std::string task_id;               ///< the task of the pool; of kWorker only
  std::vector<Failure> failures;     ///< the environments that failed; of kWorker only

 private:
  static std::string Capitalized(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
      text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
  }
};

/// An option that an environment does not take.
class OptionError : public Error {
 public:
  /// `choices`: the names that it takes, from which Python suggests the nearest.
  OptionError(const std::string& option, const std::string& got, const std::string& allowed,
              const std::string& next, std::vector<std::string> choices = {})
      : Error(ErrorKind::kConfig, "option '" + option + "'", got, allowed, next) {
    this->option = option;
    this->choices = std::move(choices);
  }
};

}  // namespace envpool
