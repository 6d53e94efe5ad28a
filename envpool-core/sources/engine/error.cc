// SPDX-License-Identifier: Apache-2.0
#include "envpool/error.h"

#include <utility>

namespace envpool {
namespace {

std::string Capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

}  // namespace

const char* PythonClass(ErrorKind kind) {
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

std::string detail::TextFirst(const std::string& text, const std::string& asked) {
  return text.empty() ? asked : text + "\n" + asked;
}

Error::Error(ErrorKind kind, const std::string& asked, const std::string& got,
             const std::string& allowed, const std::string& hint)
    : std::runtime_error(asked + ": got " + got + "; allowed: " + allowed + ". " +
                         Capitalized(hint) + "."),
      kind(kind),
      asked(asked),
      got(got),
      allowed(allowed),
      hint(Capitalized(hint)) {}

OptionError::OptionError(const std::string& option, const std::string& got,
                         const std::string& allowed, const std::string& hint,
                         std::vector<std::string> choices)
    : Error(ErrorKind::kConfig, "option '" + option + "'", got, allowed, hint) {
  this->option = option;
  this->choices = std::move(choices);
}

}  // namespace envpool
