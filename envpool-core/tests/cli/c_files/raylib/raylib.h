// SPDX-License-Identifier: Apache-2.0
// As much of raylib as courier.h needs, for the plain loop. GetRandomValue is raylib's up to 5.0.
#pragma once
#include <stdbool.h>
#include <stdlib.h>

typedef struct {
  unsigned char r, g, b, a;
} Color;
typedef struct {
  float x, y;
} Vector2;
typedef struct {
  unsigned int id;
} Texture2D;

#define KEY_ESCAPE 256
#define RAYWHITE ((Color){245, 245, 245, 255})
#define WHITE ((Color){255, 255, 255, 255})

static inline int GetRandomValue(int min, int max) { return min + rand() % (max - min + 1); }
static inline void InitWindow(int width, int height, const char* title) {
  (void)width, (void)height, (void)title;
}
static inline Texture2D LoadTexture(const char* path) { return (Texture2D){path != NULL}; }
static inline bool IsKeyDown(int key) { return key < 0; }
static inline void BeginDrawing(void) {}
static inline void EndDrawing(void) {}
static inline void CloseWindow(void) {}
static inline void ClearBackground(Color color) { (void)color; }
static inline void DrawRectangle(int x, int y, int width, int height, Color color) {
  (void)x, (void)y, (void)width, (void)height, (void)color;
}
static inline Vector2 Vector2Add(Vector2 a, Vector2 b) { return (Vector2){a.x + b.x, a.y + b.y}; }
static inline Vector2 GetMousePosition(void) { return (Vector2){0, 0}; }
static inline void DrawTextureEx(Texture2D t, Vector2 at, float angle, float scale, Color tint) {
  (void)t, (void)at, (void)angle, (void)scale, (void)tint;
}
