// SPDX-License-Identifier: Apache-2.0
// A check that ends the program, for the programs beside this file.
#pragma once

#include <cstdio>
#include <cstdlib>

#define EXPECT(condition)                                                                \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                      \
    }                                                                                    \
  } while (false)
