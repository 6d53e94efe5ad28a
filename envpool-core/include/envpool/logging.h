// SPDX-License-Identifier: Apache-2.0
// CHECK_EQ(a, b) << "more"; LOG(INFO) << "text"; as environments in the style of the EnvPool
// documentation use them.
//
// A check that fails throws std::runtime_error with file, line, expression and values: `recv`
// reports it as a WorkerError, and the process lives on. LOG writes one line to stderr; LOG(FATAL)
// throws as well. Define ENVPOOL_NO_CHECK_MACROS when another library brings macros of these names.
#pragma once

#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace envpool::detail {

/// Collects a message and delivers it at the end of the statement.
class LogLine {
 public:
  LogLine(const char* file, int line, const char* severity, bool fatal) : fatal_(fatal) {
    text_ << severity << " " << file << ":" << line << "] ";
  }
  ~LogLine() noexcept(false) {
    if (fatal_) throw std::runtime_error(text_.str());
    text_ << '\n';
    std::cerr << text_.str();
  }
  std::ostream& stream() { return text_; }

 private:
  bool fatal_;
  std::ostringstream text_;
};

/// Makes `cond ? void : stream` one expression, as a macro needs it.
struct Voidify {
  void operator&(std::ostream&) const {}
};

inline constexpr bool kFatalINFO = false, kFatalWARNING = false, kFatalERROR = false,
                      kFatalFATAL = true;

}  // namespace envpool::detail

#ifndef ENVPOOL_NO_CHECK_MACROS
/// Writes one line to stderr: `LOG(INFO) << "text"`. INFO, WARNING or ERROR; FATAL throws as well.
#define LOG(severity)                                                                            \
  ::envpool::detail::LogLine(__FILE__, __LINE__, #severity, ::envpool::detail::kFatal##severity) \
      .stream()
/// Throws std::runtime_error unless the condition holds; text may follow by `<<`.
#define CHECK(condition)                                                                          \
  (condition) ? (void)0                                                                           \
              : ::envpool::detail::Voidify() &                                                    \
                    ::envpool::detail::LogLine(__FILE__, __LINE__, "Check failed", true).stream() \
                        << #condition << " "
#define ENVPOOL_CHECK_OP(a, op, b) CHECK((a)op(b)) << "(" << (a) << " vs. " << (b) << ") "
/// As CHECK, of a comparison; the message has both values.
#define CHECK_EQ(a, b) ENVPOOL_CHECK_OP(a, ==, b)
#define CHECK_NE(a, b) ENVPOOL_CHECK_OP(a, !=, b)
#define CHECK_LT(a, b) ENVPOOL_CHECK_OP(a, <, b)
#define CHECK_LE(a, b) ENVPOOL_CHECK_OP(a, <=, b)
#define CHECK_GT(a, b) ENVPOOL_CHECK_OP(a, >, b)
#define CHECK_GE(a, b) ENVPOOL_CHECK_OP(a, >=, b)
#ifdef ENVPOOL_TEST
/// As those without a D, in builds that define ENVPOOL_TEST; in others nothing is looked at.
#define DCHECK(condition) CHECK(condition)
#define DCHECK_EQ(a, b) CHECK_EQ(a, b)
#define DCHECK_NE(a, b) CHECK_NE(a, b)
#define DCHECK_LT(a, b) CHECK_LT(a, b)
#define DCHECK_LE(a, b) CHECK_LE(a, b)
#define DCHECK_GT(a, b) CHECK_GT(a, b)
#define DCHECK_GE(a, b) CHECK_GE(a, b)
#else
#define DCHECK(condition) \
  while (false) CHECK(condition)
#define DCHECK_EQ(a, b) \
  while (false) CHECK_EQ(a, b)
#define DCHECK_NE(a, b) \
  while (false) CHECK_NE(a, b)
#define DCHECK_LT(a, b) \
  while (false) CHECK_LT(a, b)
#define DCHECK_LE(a, b) \
  while (false) CHECK_LE(a, b)
#define DCHECK_GT(a, b) \
  while (false) CHECK_GT(a, b)
#define DCHECK_GE(a, b) \
  while (false) CHECK_GE(a, b)
#endif
#endif  // ENVPOOL_NO_CHECK_MACROS
