// SPDX-License-Identifier: Apache-2.0
// Adds to its reward, and sets a terminal that it never clears: the host clears both.
typedef struct {
  float* observations;
  int* actions;
  float* rewards;
  unsigned char* terminals;
  int tick;
} Adder;

void c_reset(Adder* env) {
  env->tick = 0;
  env->observations[0] = 0;
}

void c_step(Adder* env) {
  env->observations[0] = (float)++env->tick;
  env->rewards[0] += (float)env->actions[0];
  env->rewards[0] += 0.5f;
  if (env->tick == 4) {
    env->terminals[0] = 1;
    c_reset(env);
  }
}
