// SPDX-License-Identifier: Apache-2.0
// Replaces SDL: the parts that the engine uses without drawing. Surfaces have a size and no pixels,
// texts have neither, and files of pictures need not exist.
#pragma once

// As in SDL's header: sin, fabs ... without std:: then have overloads for float.
#include <math.h>
#include <stdlib.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

using Uint8 = std::uint8_t;
using Uint16 = std::uint16_t;
using Uint32 = std::uint32_t;

#define SDL_LIL_ENDIAN 1234
#define SDL_BIG_ENDIAN 4321
#define SDL_BYTEORDER SDL_LIL_ENDIAN
#define SDL_SWSURFACE 0
#define SDL_RLEACCEL 2
#define SDL_ISPIXELFORMAT_ALPHA(format) false

enum {
  SDL_PIXELFORMAT_ARGB8888 = 1,
  SDL_PIXELFORMAT_ABGR8888,
  SDL_PIXELFORMAT_BGR24,
  SDL_PIXELFORMAT_RGB24
};

struct SDL_PixelFormat {
  Uint32 format = SDL_PIXELFORMAT_ABGR8888;
  Uint8 BytesPerPixel = 4;
};
struct SDL_Surface {
  SDL_PixelFormat* format;
  int w, h, pitch;
  void* pixels;
};
struct SDL_Rect {
  int x, y, w, h;
};
struct SDL_Color {
  Uint8 r, g, b, a;
};
struct SDL_RWops {
  int w, h;  // of the contained picture
};
struct TTF_Font {};
struct SDL_Window;
using SDL_GLContext = void*;

inline SDL_Surface* SDL_CreateRGBSurface(Uint32, int w, int h, int, Uint32, Uint32, Uint32,
                                         Uint32) {
  static SDL_PixelFormat format;  // never written
  return new SDL_Surface{&format, w, h, 0, nullptr};
}
inline void SDL_FreeSurface(SDL_Surface* surface) { delete surface; }
inline SDL_Surface* SDL_ConvertSurface(SDL_Surface* surface, SDL_PixelFormat*, Uint32) {
  return new SDL_Surface(*surface);
}
inline SDL_Surface* SDL_ConvertSurfaceFormat(SDL_Surface* surface, Uint32, Uint32) {
  return new SDL_Surface(*surface);
}
inline SDL_Surface* zoomSurface(SDL_Surface* surface, double x, double y, int) {
  const auto scaled = [](int length, double factor) {
    const int result = static_cast<int>(length * factor);
    return result < 1 ? 1 : result;
  };
  return new SDL_Surface{surface->format, scaled(surface->w, x), scaled(surface->h, y), 0, nullptr};
}
/// A file in memory; the header of a BMP file has its size.
inline SDL_RWops* SDL_RWFromConstMem(const void* data, int size) {
  auto* file = new SDL_RWops{1, 1};
  if (size > 26) {
    std::memcpy(&file->w, static_cast<const char*>(data) + 18, 4);
    std::memcpy(&file->h, static_cast<const char*>(data) + 22, 4);
    if (file->h < 0) file->h = -file->h;
  }
  return file;
}
inline SDL_Surface* SDL_LoadBMP_RW(SDL_RWops* file, int) {
  SDL_Surface* surface = SDL_CreateRGBSurface(0, file->w, file->h, 0, 0, 0, 0, 0);
  delete file;
  return surface;
}
inline int SDL_FillRect(SDL_Surface*, const SDL_Rect*, Uint32) { return 0; }
inline int SDL_BlitSurface(SDL_Surface*, const SDL_Rect*, SDL_Surface*, SDL_Rect*) { return 0; }
inline int SDL_LockSurface(SDL_Surface*) { return 0; }
inline void SDL_UnlockSurface(SDL_Surface*) {}
inline Uint32 SDL_MapRGB(const SDL_PixelFormat*, Uint8, Uint8, Uint8) { return 0; }
inline Uint32 SDL_MapRGBA(const SDL_PixelFormat*, Uint8, Uint8, Uint8, Uint8) { return 0; }
inline void SDL_GetRGB(Uint32, const SDL_PixelFormat*, Uint8* r, Uint8* g, Uint8* b) {
  *r = *g = *b = 0;
}
inline void SDL_GetRGBA(Uint32, const SDL_PixelFormat*, Uint8* r, Uint8* g, Uint8* b, Uint8* a) {
  *r = *g = *b = *a = 0;
}
inline void SDL_Quit() {}
inline const char* SDL_GetError() { return ""; }

inline int TTF_Init() { return 0; }
inline void TTF_Quit() {}
inline TTF_Font* TTF_OpenFontIndexRW(SDL_RWops* file, int, int, long) {
  delete file;
  return new TTF_Font;
}
inline void TTF_CloseFont(TTF_Font* font) { delete font; }
inline void TTF_SetFontOutline(TTF_Font*, int) {}
inline int TTF_GetFontOutline(TTF_Font*) { return 0; }
inline int TTF_SizeUTF8(TTF_Font*, const char*, int* w, int* h) {
  *w = *h = 1;
  return 0;
}
inline SDL_Surface* TTF_RenderUTF8_Blended(TTF_Font*, const char*, SDL_Color) {
  return SDL_CreateRGBSurface(0, 1, 1, 0, 0, 0, 0, 0);
}
