// SPDX-License-Identifier: Apache-2.0
// Flock: birds that fly to seeds; each that is too tired begins anew, all together after a while.
#include <math.h>
#include <stdlib.h>

typedef struct {
  int x, y, strength;
} Bird;

typedef struct {
  short* observations;
  int* actions;
  float* rewards;
  unsigned char* terminals;
  int num_agents;
  int tick;
  unsigned int rng;
  Bird birds[16];
  int seed_x, seed_y;
} Flock;

static int below(Flock* env, int number) { return rand_r(&env->rng) % number; }

static void hatch(Flock* env, Bird* bird) {
  bird->x = below(env, 8);
  bird->y = below(env, 8);
  bird->strength = 5 + rand() % 5;
}

static void update_obs(Flock* env) {
  for (int i = 0; i < env->num_agents; i++) {
    short* seen = env->observations + 3 * i;
    seen[0] = (short)(env->seed_x - env->birds[i].x);
    seen[1] = (short)(env->seed_y - env->birds[i].y);
    seen[2] = (short)env->birds[i].strength;
  }
}

static void c_reset(Flock* env) {
  env->tick = 0;
  env->seed_x = below(env, 8);
  env->seed_y = below(env, 8);
  for (int i = 0; i < env->num_agents; i++) hatch(env, &env->birds[i]);
  update_obs(env);
}

static void c_step(Flock* env) {
  env->tick++;
  for (int i = 0; i < env->num_agents; i++) {
    Bird* bird = &env->birds[i];
    const int* wing = env->actions + 2 * i;
    bird->x += wing[0] - 1;
    bird->y += wing[1] - 1;
    env->rewards[i] = 0;
    env->terminals[i] = 0;
    if (bird->x == env->seed_x && bird->y == env->seed_y) {
      env->rewards[i] = 1;
      bird->strength += 5;
    } else if (--bird->strength == 0) {
      env->terminals[i] = 1;
      hatch(env, bird);
    }
  }
  update_obs(env);
  if (env->tick == 30) c_reset(env);
}

static void c_close(Flock* env) { (void)env; }
