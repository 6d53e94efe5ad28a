// SPDX-License-Identifier: Apache-2.0
// Glider: stay up in gusts. Two numbers as action; the observation is written after the reset.
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct {
  float* observations;
  float* actions;
  float* rewards;
  bool* terminals;
  float gravity;
  int limit;
  float height, speed, *gusts;
  int tick;
} Glider;

void init(Glider* env) { env->gusts = (float*)calloc(4, sizeof(float)); }

static float uniform(float low, float high) {
  return low + (high - low) * (float)rand() / (float)RAND_MAX;
}

void compute_observations(Glider* env) {
  env->observations[0] = env->height;
  env->observations[1] = env->speed;
  env->observations[2] = env->gusts[env->tick % 4];
}

void c_reset(Glider* env) {
  env->tick = 0;
  env->height = uniform(5, 10);
  env->speed = 0;
  for (int i = 0; i < 4; i++) env->gusts[i] = uniform(-1, 1);
  compute_observations(env);
}

void c_step(Glider* env) {
  env->tick++;
  env->speed += 0.1f * (env->actions[0] + 0.5f * env->actions[1] + env->gusts[env->tick % 4]);
  env->speed -= 0.1f * env->gravity;
  env->height += 0.1f * env->speed;
  env->rewards[0] = 1 - fabsf(env->speed);
  env->terminals[0] = env->height < 0;
  if (env->terminals[0] || env->tick >= env->limit) c_reset(env);
  compute_observations(env);
}

void c_render(Glider* env) { (void)env; }

void c_close(Glider* env) { free(env->gusts); }
