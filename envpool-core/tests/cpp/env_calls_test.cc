// SPDX-License-Identifier: Apache-2.0
// Requests to environments that throw: each failure is reported, whatever its text, beside the
// answers of others, for any number of threads.
#include <envpool/engine/env_calls.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "support.h"

namespace testing_envs {
namespace {

struct AnsweringSpec {
  static auto DefaultConfig() { return envpool::Dict{}; }
  static auto StateSpec(const auto&) { return envpool::Dict{"obs"_ = envpool::Spec<int>({})}; }
  static auto ActionSpec(const auto&) { return envpool::Dict{"action"_ = envpool::Discrete(5)}; }
};

/// Answers a request with its id, unless it is asked to throw.
class Answering : public envpool::Env<AnsweringSpec> {
 public:
  using Env::Env;
  bool IsDone() override { return false; }
  void Reset() override { Allocate()["obs"_] = 0; }
  void Step(const Action& action) override { Allocate()["obs"_] = action["action"_]; }
  std::string Call(const std::string& request) {
    const std::string text = request.substr(std::min<std::size_t>(request.size(), 6));
    if (request.starts_with("throw:")) throw std::runtime_error(text);
    if (request.starts_with("other:")) throw text;
    if (request.starts_with("wrong:")) {
      throw envpool::Error(envpool::ErrorKind::kConfig, text, "a", "b", "c");
    }
    return std::to_string(env_id_) + request;
  }
};

constexpr int kEnvs = 8;
std::vector<std::string> Ask(int threads, const std::vector<std::string>& requests) {
  TestPool<Answering> pool({.num_envs = kEnvs, .batch_size = kEnvs, .num_threads = threads});
  std::vector<int> ids;
  for (std::size_t i = 0; i < requests.size(); ++i) ids.push_back(static_cast<int>(i) % kEnvs);
  return envpool::CallEnvs(pool->envs(), pool->options(), ids, requests, [] {});
}

/// The ids that failed, as "2,5", and the text of the first.
std::string Failed(int threads, const std::vector<std::string>& requests) {
  try {
    Ask(threads, requests);
  } catch (const envpool::Error& error) {
    if (error.kind == envpool::ErrorKind::kConfig) return "refused";
    std::string ids;
    for (const envpool::Failure& failure : error.failures) {
      ids += (ids.empty() ? "" : ",") + std::to_string(failure.env_id);
    }
    return ids + " '" + error.failures.front().text + "'";
  }
  return "answered";
}

}  // namespace
}  // namespace testing_envs

int main() {
  using namespace testing_envs;
  for (const int threads : {1, 4}) {
    const std::string padding(5000, '.');  // long requests start the threads at once
    for (const std::string& more : {std::string(), padding}) {
      const std::vector<std::string> answers =
          Ask(threads, {more, "b", "c", "", "", "", "", "", "i"});
      EXPECT(answers[0] == "0" + more && answers[2] == "2c" && answers[8] == "0i");
      EXPECT(Failed(threads, {more, "b"}) == "answered");
      EXPECT(Failed(threads, {more, "throw:text", "c"}) == "1 'text'");
      EXPECT(Failed(threads, {more, "throw:", "c", "throw:"}) == "1,3 ''");
      EXPECT(Failed(threads, {more, "other:", "c"}) ==
             "1 'an exception that is not a std::exception'");
      EXPECT(Failed(threads, {more, "throw:", "wrong:"}) == "refused");
    }
  }
  return 0;
}
