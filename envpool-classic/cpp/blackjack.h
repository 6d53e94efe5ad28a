// SPDX-License-Identifier: Apache-2.0
// Blackjack against a dealer who draws to 17, from an infinite deck. Gymnasium's Blackjack-v1.
//
//   envpool::Register<envpool::classic::Blackjack>(m, "Blackjack");
//
// Observation: the player's sum, the dealer's open card (1 is an ace), whether the player has an
// ace that counts 11. Action: 0 stick, 1 hit. Reward at the end: 1 win, 0 draw, -1 loss. Terminal:
// stick, or a sum above 21.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "envpool/drawing/frame_size.h"
#include "envpool/drawing/scale.h"
#include "envpool/env.h"
#include "envpool/random/numpy_random.h"
#include "envpool/state_io.h"
#include "render/draw_blackjack.h"

namespace envpool::classic {
using namespace envpool::literals;

struct BlackjackSpec {
  /// `sab`: the rules of Sutton and Barto's book: a natural (an ace and a ten) beats every hand but
  /// another natural. Without `sab`, `natural` makes a win with a natural worth 1.5.
  static auto DefaultConfig() { return envpool::Dict{"natural"_ = false, "sab"_ = true}; }
  static auto StateSpec(const auto& /*config*/) {
    return envpool::Dict{"obs"_ = envpool::Box<int>({3}, 0, 31)};
  }
  static auto ActionSpec(const auto& /*config*/) {
    return envpool::Dict{"action"_ = envpool::Discrete(2)};
  }
};

class Blackjack final : public envpool::Env<BlackjackSpec, envpool::NumpyRandom> {
 public:
  using Env::Env;
  static constexpr auto kStepKind = envpool::StepKind::kTrivial;

  bool IsDone() override { return done_; }

  void Reset() override {
    dealer_ = player_ = Hand{};
    dealer_card_ = dealer_.Add(Draw());
    dealer_.Add(Draw());
    player_.Add(Draw());
    player_.Add(Draw());
    // The look of the open card has no effect on the game, but the same generator draws it.
    suit_ = OneOf("CDHS");
    rank_ = dealer_card_ == 10 ? OneOf("JQK") : "A23456789"[dealer_card_ - 1];
    done_ = false;
    Write(0);
  }

  void Step(const Action& action) override {
    if (action["action"_] == 1) {
      player_.Add(Draw());
      done_ = player_.Score() == 0;
      Write(done_ ? -1.0 : 0.0);
    } else {
      while (dealer_.Sum() < 17) dealer_.Add(Draw());
      done_ = true;
      Write(Payout());
    }
  }

  void SaveState(envpool::StateWriter& out) const {
    for (const Hand& hand : {dealer_, player_}) out.Write(hand.points, hand.cards, hand.has_ace);
    out.Write(dealer_card_, rank_, suit_, done_);
  }
  void LoadState(envpool::StateReader& in) {
    for (Hand* hand : {&dealer_, &player_}) in.Read(hand->points, hand->cards, hand->has_ace);
    in.Read(dealer_card_, rank_, suit_, done_);
  }

  std::pair<int, int> RenderSize(int width, int height) const {
    return FrameSize(width, height, kBlackjackFrame);
  }
  void Render(int width, int height, int /*camera_id*/, unsigned char* rgb) const {
    DrawAtSize(rgb, {width, height}, kBlackjackFrame, [this](const Canvas& canvas) {
      DrawBlackjack(canvas, {.player_sum = player_.Sum(),
                             .dealer_card = dealer_card_,
                             .usable_ace = player_.UsableAce(),
                             .rank = rank_,
                             .suit = suit_});
    });
  }

 private:
  struct Hand {
    int points = 0;  // aces count 1
    int cards = 0;
    bool has_ace = false;

    int Add(int card) {
      points += card;
      ++cards;
      has_ace = has_ace || card == 1;
      return card;
    }
    bool UsableAce() const { return has_ace && points + 10 <= 21; }
    int Sum() const { return UsableAce() ? points + 10 : points; }
    int Score() const { return Sum() > 21 ? 0 : Sum(); }
    bool IsNatural() const { return cards == 2 && has_ace && points == 11; }
  };

  int Draw() {
    constexpr std::array<int, 13> kDeck = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10};
    return kDeck[static_cast<std::size_t>(gen_.Choice(kDeck.size()))];
  }
  char OneOf(std::string_view letters) {
    return letters[static_cast<std::size_t>(gen_.Choice(static_cast<int>(letters.size())))];
  }

  double Payout() const {
    const int lead = player_.Score() - dealer_.Score();
    const bool natural = player_.IsNatural();
    if (spec_.config["sab"_]) {
      if (natural && !dealer_.IsNatural()) return 1;
    } else if (spec_.config["natural"_] && natural && lead > 0) {
      return 1.5;
    }
    return lead > 0 ? 1 : lead < 0 ? -1 : 0;
  }

  void Write(double reward) {
    State state = Allocate();
    state["obs"_].Assign(player_.Sum(), dealer_card_, player_.UsableAce() ? 1 : 0);
    state["reward"_] = reward;
  }

  Hand dealer_, player_;
  int dealer_card_ = 0;
  char rank_ = 'A', suit_ = 'C';  // of the dealer's open card
  bool done_ = true;
};

}  // namespace envpool::classic
