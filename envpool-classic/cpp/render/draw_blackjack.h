// SPDX-License-Identifier: Apache-2.0
// Blackjack as Gymnasium draws it: the dealer's cards and the player's sum. Digits and labels are
// sprites too; needs those below toy_text/img/blackjack.
//
//   const classic::BlackjackScene table{
//       .player_sum = 17, .dealer_card = 10, .usable_ace = false, .rank = 'K', .suit = 'S'};
//   std::vector<uint8_t> rgb(classic::kBlackjackFrame.Bytes());
//   classic::DrawBlackjack(classic::Canvas(rgb.data(), classic::kBlackjackFrame), table);
#pragma once

#include <memory>
#include <string>

#include "envpool/drawing/canvas.h"
#include "sprites.h"

namespace envpool::classic {
using namespace envpool::drawing;

inline constexpr Size kBlackjackFrame{384, 376};

struct BlackjackScene {
  int player_sum;   // at least 0
  int dealer_card;  // value of the face-up card, 1 (ace) ... 10
  bool usable_ace;
  char rank;  // of the face-up card: A, 2 ... 9; for a value of 10: J, Q or K
  char suit;  // of the face-up card: C, D, H, S
};

inline void DrawBlackjack(const Canvas& canvas, const BlackjackScene& table) {
  const auto find = [](const std::string& name) {
    return SpriteStore::Find("toy_text/img/blackjack/" + name + ".png");
  };
  const auto number = [&](const std::string& digits, const std::string& kind, int gap, int x,
                          int y) {
    for (const char digit : digits) {
      const std::shared_ptr<const Sprite> image = find("digit_" + kind + "_" + digit);
      Blit(canvas, *image, x, y);
      x += image->size.width + gap;
    }
  };
  // The images are drawn in dots of 4 x 4 pixels; centered parts stay on that raster.
  const auto centred = [](int width) { return (kBlackjackFrame.width - width) / 2 / 4 * 4; };

  canvas.Fill({196, 216, 158});
  const std::shared_ptr<const Sprite> dealer = find("label_dealer");
  Blit(canvas, *dealer, 40, 32);
  number(std::to_string(table.dealer_card), "small", 4, 40 + dealer->size.width + 12, 32);
  Blit(canvas, *find(std::string("card_") + table.rank + table.suit), 96, 72);
  Blit(canvas, *find("card_back"), 208, 72);

  Blit(canvas, *find("label_player"), 40, 208);
  constexpr int kGap = 12;
  const std::string sum = std::to_string(table.player_sum);
  const int count = static_cast<int>(sum.size());
  const int width = count * (find("digit_big_0")->size.width + kGap) - kGap;
  number(sum, "big", kGap, centred(width), 248);
  if (table.usable_ace) {
    const std::shared_ptr<const Sprite> label = find("label_usable_ace");
    Blit(canvas, *label, centred(label->size.width), 328);
  }
}

}  // namespace envpool::classic
