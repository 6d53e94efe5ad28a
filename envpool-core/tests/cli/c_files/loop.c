// SPDX-License-Identifier: Apache-2.0
// A plain loop in C around one environment, alone in its process, with the C library's own rand.
//
//   loop SEED < actions > results: for each event observations, rewards and terminals, as bytes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include FILE_OF_ENVIRONMENT

static OBS observations[AGENTS * OBS_SIZE];
static ACTION actions[AGENTS * ACTION_SIZE];
static float rewards[AGENTS];
static unsigned char terminals[AGENTS];

static void write_all(void) {
  fwrite(observations, sizeof observations, 1, stdout);
  fwrite(rewards, sizeof rewards, 1, stdout);
  fwrite(terminals, sizeof terminals, 1, stdout);
}

int main(int argc, char** argv) {
  static STRUCT env;
  const unsigned seed = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
  srand(seed);
  env.observations = observations;
  env.actions = actions;
  env.rewards = rewards;
  env.terminals = (void*)terminals;
  SETUP
  c_reset(&env);
  write_all();
  while (fread(actions, sizeof actions, 1, stdin) == 1) {
    // As PufferLib's host does.
    memset(rewards, 0, sizeof rewards);
    memset(terminals, 0, sizeof terminals);
    c_step(&env);
    RESET_WHEN_ALL_END
    write_all();
  }
  c_close(&env);
  return 0;
}
