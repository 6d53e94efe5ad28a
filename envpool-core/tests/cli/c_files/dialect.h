// SPDX-License-Identifier: Apache-2.0
// Ways to write C: casts, elements of arrays, macros, branches with braces, nested structs, unions,
// pointers to functions, comments in a list of parameters, a main.
#include <stdlib.h>

typedef struct Dialect {
  float *observations, *rewards;
  int* actions;
  unsigned char* terminals;
  struct {
    int tick;
    union {
      int way;
      float height;
    };
  };
  struct Count {
    struct {
      int resets;
    } of;
  } counts[2];
  void (*finish)(void* env, int way);
} Dialect;

#define RESTART(one) \
  do {               \
    c_reset(one);    \
  } while (0)

void c_step(Dialect* env);
__attribute__((noinline)) void c_reset(struct Dialect* env);

void c_reset(struct Dialect* const env /* a comment */) {
  env->counts[1].of.resets++;
  env->tick = 0;
  env->observations[0] = 0;
  env->terminals[0] = 0;
}

static void finish(void* env, int way) {
  Dialect* all = env;
  switch (way) {
    case 0:
      c_reset(&all[0]);
      break;
    case 1:
      c_reset((Dialect*)env);
      break;
    default:
      RESTART(all);
  }
}

void init(Dialect* env) { env->finish = finish; }

void c_step(Dialect* env) {
  env->observations[0] = (float)++env->tick;
  env->rewards[0] = (float)env->actions[0];
#ifdef LONG_EPISODES
  if (env->tick == 200) {
#elif defined SHORT_EPISODES
  if (env->tick == 1) {
#else
  if (env->tick == 2) {
#endif
    env->terminals[0] = 1;
    env->finish(env, env->actions[0]);
  }
}

int main(void) {
  Dialect env = {0};
  env.observations = calloc(3, sizeof(float));
  env.rewards = env.observations + 1;
  env.actions = calloc(1, sizeof(int));
  env.terminals = calloc(1, 1);
  c_reset(&env);
  for (int i = 0; i < 9; i++) c_step(&env);
  return 0;
}
