// SPDX-License-Identifier: Apache-2.0
// StepKind: the time that a Step of an environment takes, as its class declares it.
//
//   class CartPole : public Env<CartPoleSpec> {
//    public:
//     static constexpr auto kStepKind = envpool::StepKind::kTrivial;
//
// The kind decides which threads step the environment. A wrong kind costs time only: results are
// the same.
#pragma once

#include <cstdint>

namespace envpool {

enum class StepKind : std::uint8_t {
  /// Well under a microsecond, each time. The thread that calls step or recv does the work itself,
  /// many environments at a claim; others help only where there are more than 128 rows.
  kTrivial,
  /// A step of any length; the kind of an environment that declares none. A thread claims one at a
  /// time. In a synchronous pool the calling thread is one of num_threads; in an asynchronous one
  /// it only waits, so that recv never sits in an environment while others are ready.
  kDefault,
  /// Waits for something else: another program, a device. A thread for each row of a batch unless
  /// num_threads is given; the calling thread never steps, and so always hears Ctrl-C.
  kBlocking,
  /// Done by another program, which says when it has finished: external_steps.h. The calling thread
  /// submits all environments of a call at once and collects the answers; there are no other
  /// threads.
  kExternal
};

/// The kind that `E` declares.
template <typename E>
constexpr StepKind StepKindOf() {
  if constexpr (requires { E::kStepKind; }) return E::kStepKind;
  return StepKind::kDefault;
}

}  // namespace envpool
