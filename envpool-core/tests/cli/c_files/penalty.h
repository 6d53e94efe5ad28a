// SPDX-License-Identifier: Apache-2.0
// Ends with a penalty; its c_reset, within the step that ends, clears reward and terminal.
typedef struct {
  float* observations;
  int* actions;
  float* rewards;
  unsigned char* terminals;
  int tick;
} Penalty;

void c_reset(Penalty* env) {
  env->tick = 0;
  env->observations[0] = 0;
  env->rewards[0] = 0;
  env->terminals[0] = 0;
}

void c_step(Penalty* env) {
  env->observations[0] = (float)++env->tick;
  env->rewards[0] = (float)env->actions[0];
  if (env->tick == 3) {
    env->rewards[0] = -5;
    env->terminals[0] = 1;
    c_reset(env);
  }
}
