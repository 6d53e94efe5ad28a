// SPDX-License-Identifier: Apache-2.0
// Functions that replace the engine's files that are left out, see cmake/alter.py.
#include <stdexcept>
#include <string>

#include "engine/teardown.h"
#include "stand_ins/fault.h"
// The engine's headers.
#include "base/log.hpp"
#include "cmake/backtrace.h"

namespace {
thread_local bool in_teardown = false;
}

namespace envpool::gfootball {

Teardown::Teardown() { in_teardown = true; }
Teardown::~Teardown() { in_teardown = false; }

void Fault(const char* what, const char* file, int line) {
  if (in_teardown) return;
  throw std::runtime_error(std::string("the football engine cannot go on: ") + what + ", in " +
                           file + ":" + std::to_string(line));
}

}  // namespace envpool::gfootball

namespace blunted {

// Warnings concern problems that the engine has handled.
void Log(e_LogType type, std::string class_name, std::string method, std::string message) {
  if (type != e_FatalError || in_teardown) return;
  throw std::runtime_error("the football engine cannot go on: " + message + ", in " + class_name +
                           "::" + method);
}

}  // namespace blunted

void print_stacktrace() {}
void install_stacktrace() {}
// Would draw a picture of the pitch.
void GeneratePitch(int, int, int, int, int, int) {}
