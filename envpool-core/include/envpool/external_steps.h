// SPDX-License-Identifier: Apache-2.0
// ExternalSteps: the connection of a pool to the other programs that do the steps of its
// environments. All environments of the pool share it.
//
//   class Remote : public Env<RemoteSpec> {
//    public:
//     static constexpr auto kStepKind = StepKind::kExternal;
//     static ExternalSteps& ExternalStepsOf(const Spec& spec);   // this pool's; outlives it
//     void Submit(const Action& action) noexcept;   // hands a step over and returns at once
//     void SubmitReset() noexcept;                  // the same for the start of an episode
//     void Step(const Action&) override;   // called when the step is done: reads the result
//     void Reset() override;               // likewise
//
// The pool submits all environments of a call and then calls Flush, which wakes the other programs.
// The pool calls Step and Reset in the order in which TakeFinished names the environments; they do
// not wait. All of these run in the thread that calls the pool.
#pragma once

#include <chrono>

namespace envpool {

class ExternalSteps {
 public:
  virtual ~ExternalSteps() = default;
  /// Everything that was submitted may begin now.
  virtual void Flush() noexcept = 0;
  /// Writes the ids of environments that have finished into `env_ids`, at most `most`, each once
  /// for each Submit; returns how many. Does not wait. One whose program is gone has finished: its
  /// Step throws an exception that says so.
  virtual int TakeFinished(int* env_ids, int most) noexcept = 0;
  /// Sleeps until `count` more can be taken, or until `end`; may return early.
  virtual void Await(int count, std::chrono::steady_clock::time_point end) noexcept = 0;
};

}  // namespace envpool
