// SPDX-License-Identifier: Apache-2.0
// ATARI_INLINE: a function that is always inlined.
#ifndef ENVPOOL_ATARI_CONSOLE_INLINE_H_
#define ENVPOOL_ATARI_CONSOLE_INLINE_H_

// Inlining all into one function is fast at run time, but takes a compiler with sanitizers many
// minutes.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ATARI_INLINE inline
#else
#define ATARI_INLINE [[gnu::always_inline]] inline
#endif

#endif  // ENVPOOL_ATARI_CONSOLE_INLINE_H_
