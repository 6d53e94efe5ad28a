// SPDX-License-Identifier: Apache-2.0
// Courier: fetch a parcel on a board. Whole numbers; observations in place, reset in tail calls.
#include <stdlib.h>
#include <string.h>

#include "raylib.h"

#define STREET 0
#define VAN 1
#define PARCEL 2

enum { NORTH, SOUTH, EAST, WEST };
const Color PAINT[3] = {{255, 255, 255, 255}, {200, 0, 0, 255}, {0, 0, 200, 255}};

typedef struct {
  float delivered;
  float n;
} Log;

typedef struct {
  Texture2D van;
} Client;

typedef struct Courier Courier;
struct Courier {
  Client* client;
  Log log;
  unsigned char* observations;
  int* actions;
  float* rewards;
  unsigned char* terminals;
  int size, tick, x, y;
};

void c_reset(Courier* env) {
  memset(env->observations, STREET, (size_t)(env->size * env->size));
  env->tick = 0;
  env->x = env->y = env->size / 2;
  env->observations[env->y * env->size + env->x] = VAN;
  int parcel = rand() % (env->size * env->size);
  while (env->observations[parcel] == VAN) parcel = GetRandomValue(0, env->size * env->size - 1);
  env->observations[parcel] = PARCEL;
}

void finish(Courier* env, float reward) {
  env->rewards[0] = reward;
  env->terminals[0] = 1;
  env->log.n += 1;
  c_reset(env);
}

void c_step(Courier* env) {
  env->tick += 1;
  env->rewards[0] = 0;
  env->terminals[0] = 0;
  env->observations[env->y * env->size + env->x] = STREET;
  const int way = env->actions[0];
  env->x += (way == EAST) - (way == WEST);
  env->y += (way == SOUTH) - (way == NORTH);
  if (env->x < 0 || env->y < 0 || env->x >= env->size || env->y >= env->size) {
    finish(env, -1);
    return;
  }
  const int place = env->y * env->size + env->x;
  if (env->observations[place] == PARCEL) {
    env->observations[place] = VAN;
    finish(env, 1);
    return;
  }
  env->observations[place] = VAN;
  if (env->tick >= 3 * env->size) c_reset(env);  // and no terminal: it is late
}

void c_render(Courier* env) {
  if (env->client == NULL) {
    InitWindow(480, 480, "Courier");
    env->client = (Client*)calloc(1, sizeof(Client));
    env->client->van = LoadTexture("van.png");
  }
  if (IsKeyDown(KEY_ESCAPE)) exit(0);
  BeginDrawing();
  ClearBackground(RAYWHITE);
  for (int i = 0; i < env->size * env->size; i++) {
    DrawRectangle(32 * (i % env->size), 32 * (i / env->size), 32, 32, PAINT[env->observations[i]]);
  }
  DrawTextureEx(env->client->van, Vector2Add((Vector2){0, 0}, GetMousePosition()), 0, 1, WHITE);
  EndDrawing();
}

void c_close(Courier* env) {
  if (env->client != NULL) CloseWindow();
  free(env->client);
}
