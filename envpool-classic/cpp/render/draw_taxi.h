// SPDX-License-Identifier: Apache-2.0
// Taxi as Gymnasium draws it. Needs the sprites below toy_text/img/taxi.
//
//   const classic::TaxiScene taxi{0, 4, .passenger = 2, .destination = 1, .heading = 0};
//   std::vector<uint8_t> rgb(classic::kTaxiFrame.Bytes());
//   classic::DrawTaxi(classic::Canvas(rgb.data(), classic::kTaxiFrame), taxi);
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "envpool/drawing/canvas.h"
#include "envpool/drawing/shapes.h"
#include "sprites.h"

namespace envpool::classic {
using namespace envpool::drawing;

inline constexpr Size kTaxiFrame{536, 456};

struct TaxiScene {
  int row, column;  // of the taxi, 0 ... 4
  int passenger;    // waits at stand 0 red, 1 green, 2 yellow, 3 blue; 4 sits in the taxi
  int destination;  // stand 0 ... 3
  int heading;      // the last action of 0 south, 1 north, 2 east, 3 west; 0 after a reset
};

inline void DrawTaxi(const Canvas& canvas, const TaxiScene& taxi) {
  constexpr std::array<Point, 4> kStands = {{{0, 0}, {4, 0}, {0, 4}, {3, 4}}};  // x: column, y: row
  const auto corner = [](Point cell) { return Point{48 + cell.x * 88, 128 + cell.y * 56}; };
  const auto blit = [&canvas](const std::string& name, int x, int y) {
    Blit(canvas, *SpriteStore::Find("toy_text/img/taxi/" + name + ".png"), x, y);
  };

  canvas.Fill({250, 250, 246});
  blit("background", 0, 80);
  blit("house", 403, 36);
  const Point destination = corner(kStands.at(static_cast<size_t>(taxi.destination)));
  blit("marker_destination", destination.x, destination.y);
  const bool occupied = taxi.passenger == 4;
  if (!occupied) {
    const Point stand = corner(kStands.at(static_cast<size_t>(taxi.passenger)));
    blit("passenger", stand.x + 35, stand.y + 19);
  }
  const bool vertical = taxi.heading < 2;
  const Point place = corner({taxi.column, taxi.row});
  const std::string name = std::string(vertical ? "taxi_v" : "taxi_h") + (occupied ? "_full" : "");
  const std::shared_ptr<const Sprite> car = SpriteStore::Find("toy_text/img/taxi/" + name + ".png");
  Blit(canvas, *car, place.x + (vertical ? 25 : 15), place.y + (vertical ? 0 : 9),
       {.size = car->size, .flip_x = taxi.heading == 3, .flip_y = taxi.heading == 0});
}

}  // namespace envpool::classic
