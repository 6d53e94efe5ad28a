// SPDX-License-Identifier: Apache-2.0
// A family that compiles; the tests break it line by line.
#include <envpool/env.h>

using namespace envpool;

struct CounterSpec {
  static auto DefaultConfig() { return Dict{"goal"_ = 3}; }
  static auto StateSpec(const auto& config) {
    return Dict{"obs"_ = Box<float>({2}, 0, config["goal"_])};
  }
  static auto ActionSpec(const auto&) { return Dict{"action"_ = Discrete(2)}; }
};

class Counter : public Env<CounterSpec> {
 public:
  using Env::Env;
  bool IsDone() override { return n_ >= spec_.config["goal"_]; }
  void Reset() override { Write(n_ = 0, 0); }
  void Step(const Action& action) override { Write(n_ += action["action"_], 1); }

 private:
  void Write(int n, float reward) {
    State state = Allocate();
    state["obs"_].Assign(n, n);
    state["reward"_] = reward;
  }
  int n_ = 0;
};

#ifdef PYBIND11_MODULE  // only where a test brings the header; it takes longer to compile
PYBIND11_MODULE(_counter, m) { Register<Counter>(m, "Counter"); }
#endif
