// SPDX-License-Identifier: Apache-2.0
// All agents end at once; the next step begins with the reset.
typedef struct {
  float* observations;
  int* actions;
  float* rewards;
  unsigned char* terminals;
  int num_agents;
  int tick;
  int is_over;
} Relay;

void c_reset(Relay* env) {
  env->tick = env->is_over = 0;
  for (int i = 0; i < env->num_agents; ++i) env->observations[i] = 0;
}

void c_step(Relay* env) {
  if (env->is_over) c_reset(env);
  ++env->tick;
  for (int i = 0; i < env->num_agents; ++i) {
    env->observations[i] = (float)env->tick;
    env->rewards[i] += (float)(env->actions[i] + 10 * i);
    if (env->tick == 3) env->terminals[i] = 1;
  }
  env->is_over = env->tick == 3;
}
