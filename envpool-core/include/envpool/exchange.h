// SPDX-License-Identifier: Apache-2.0
// Exchange: what environments share whose steps are done by other programs.
//
//   class Remote : public Env<RemoteSpec> {
//    public:
//     static constexpr auto kStepKind = StepKind::kPosted;
//     static Exchange& ExchangeOf(const Spec& spec);   // the one of this pool; outlives it
//     void Post(const Action& action) noexcept;        // hands a step over and returns at once
//     void PostReset() noexcept;                       // the same for the start of an episode
//     void Step(const Action&) override;               // called when it is done: reads the result
//     void Reset() override;                           // likewise
//
// What is sent together is posted first, all of it, and Flush then wakes who waits for it. Step and
// Reset follow in the order in which Take names the environments, and do not wait. All of it runs
// in the thread that calls the pool.
#pragma once

#include <chrono>

namespace envpool {

class Exchange {
 public:
  virtual ~Exchange() = default;
  /// Everything that was posted may begin now.
  virtual void Flush() noexcept = 0;
  /// Writes the ids of environments that have finished into `env_ids`, at most `most`, each once
  /// for each Post; returns how many. Does not wait. One whose program is gone has finished: its
  /// Step throws an exception that says so.
  virtual int Take(int* env_ids, int most) noexcept = 0;
  /// Sleeps until `count` more can be taken, or until `end`; may return early.
  virtual void Await(int count, std::chrono::steady_clock::time_point end) noexcept = 0;
};

}  // namespace envpool
