// SPDX-License-Identifier: Apache-2.0
// The lines of the TIA: registers to masks, and masks to collisions and pixels.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include "console/inline.h"
#include "console/tia.h"

namespace envpool::atari {
namespace {

// Small copies: for more than 128 bytes at once, clang calls a function.
inline void CopyLine(std::uint8_t* to, const std::uint8_t* from) {
  constexpr std::size_t kPart = 32;
  [&]<std::size_t... kParts>(std::index_sequence<kParts...>) {
    (std::memcpy(to + kParts * kPart, from + kParts * kPart, kPart), ...);
  }(std::make_index_sequence<kScreenWidth / kPart>{});
}

inline std::array<Mask, kObjects> CopyMasks(const std::array<Mask, kObjects>& masks) {
  return [&]<std::size_t... kEach>(std::index_sequence<kEach...>) {
    return std::array{masks[kEach]...};
  }(std::make_index_sequence<kObjects>{});
}

// The collision latches in the order of bits 6 and 7 of the registers CXM0P ... CXPPMM. One of the
// sixteen does not exist.
struct Pair {
  std::uint8_t a, b;
};
constexpr std::array<Pair, 16> kPairs = {{
    {kMissile0, kPlayer0},    // CXM0P
    {kMissile0, kPlayer1},    //
    {kMissile1, kPlayer1},    // CXM1P
    {kMissile1, kPlayer0},    //
    {kPlayer0, kBall},        // CXP0FB
    {kPlayer0, kPlayfield},   //
    {kPlayer1, kBall},        // CXP1FB
    {kPlayer1, kPlayfield},   //
    {kMissile0, kBall},       // CXM0FB
    {kMissile0, kPlayfield},  //
    {kMissile1, kBall},       // CXM1FB
    {kMissile1, kPlayfield},  //
    {kBall, kBall},           // CXBLPF: bit 6 is always 0
    {kBall, kPlayfield},      //
    {kMissile0, kMissile1},   // CXPPMM
    {kPlayer0, kPlayer1},     //
}};

// Entry p: the pairs whose objects are both in the set p.
constexpr std::array<std::uint16_t, 64> MakePossible() {
  std::array<std::uint16_t, 64> table{};
  for (unsigned present = 0; present < 64; ++present) {
    for (unsigned pair = 0; pair < 16; ++pair) {
      const Pair p = kPairs[pair];
      if (p.a != p.b && (present >> p.a & 1) && (present >> p.b & 1)) {
        table[present] = static_cast<std::uint16_t>(table[present] | 1u << pair);
      }
    }
  }
  return table;
}
constexpr std::array<std::uint16_t, 64> kPossible = MakePossible();

// Pixels to the left by which the Cosmic Ark effect moves its missile, line by line.
constexpr std::array<std::uint8_t, 4> kStarMotion = {18, 33, 0, 17};

constexpr Mask kLeftHalf = {{~std::uint64_t{0}, 0xFFFF, 0}};

Mask Without(const Mask& a, const Mask& b) {
  return {{a.w[0] & ~b.w[0], a.w[1] & ~b.w[1], a.w[2] & ~b.w[2]}};
}

}  // namespace

// An object's pixels, by the registers.
ATARI_INLINE Mask Tia::Look(Object object) const {
  switch (object) {
    case kPlayer0:
    case kPlayer1: {
      std::uint8_t g = s_.delay_player[object] ? s_.delayed_graphics[object] : s_.graphics[object];
      if (!g) return {};
      if (s_.reflect_player[object]) g = detail::Reverse(g);
      return PlayerMask(g, s_.nusiz[object], s_.position[object], !s_.late[object]);
    }
    case kMissile0:
    case kMissile1: {
      const auto i = static_cast<std::size_t>(object - kMissile0);
      if (!s_.enable_missile[i] || s_.lock_missile[i]) return {};
      if (s_.stars == 3) return {};  // hidden
      int width = s_.nusiz[i] >> 4 & 3;
      if (s_.stars == 2 && i == 0) width |= 1;  // at least two pixels
      return MissileMask(width, s_.nusiz[i], s_.position[object]);
    }
    case kBall:
      if (!(s_.delay_ball ? s_.delayed_enable_ball : s_.enable_ball)) return {};
      return MissileMask(s_.ctrlpf >> 4 & 3, 0, s_.position[kBall]);
    default:
      return PlayfieldMask(s_.playfield[0], s_.playfield[1], s_.playfield[2],
                           s_.reflect_playfield != 0);
  }
}

void Tia::Refresh(Object object) {
  const Mask mask = Look(object);
  now_[object] = mask;
  stale_ &= ~(1u << object);
  present_ = (present_ & ~(1u << object)) | static_cast<unsigned>(mask.any()) << object;
}

// Called when the object becomes stale. Its pixels before x are not yet in now_.
void Tia::Mix(Object object, int x) {
  const unsigned bit = 1u << object;
  // In this mode the playfield's pixels depend on the other objects.
  if ((s_.ctrlpf & kScoreAndPriority) == kScoreAndPriority && x > segment_begin_) Segment(x);
  const bool first = !(mixed_ & bit);
  const int from = first ? 0 : from_[object];
  if (!first && x <= from) return;
  mixed_ |= bit;
  from_[object] = x;
  const Mask past = (stale_ & bit ? Look(object) : now_[object]) & Between(from, x);
  past_[object] = first ? past : past_[object] | past;
}

void Tia::FinishLine() {
  const bool blank = s_.blank_edge != 0;
  if (!changed_ && segment_begin_ == 0 && blank == blanked_) {
    s_.blank_edge = 0;
    if (row_) CopyLine(row_, row_ - kScreenWidth);
    return;
  }
  // If something changed within a line, the line does not equal the next line.
  const bool whole = segment_begin_ == 0 && mixed_ == 0;
  Segment(kScreenWidth);
  changed_ = !whole;
  blanked_ = blank;
}

void Tia::EndLine() {
  s_.line_end += kClocksPerLine;
  segment_begin_ = 0;
  mixed_ = 0;
  if (row_) row_ += kScreenWidth;
  for (std::size_t i = 0; i < 2; ++i) {
    if (s_.late[i]) {
      s_.late[i] = 0;
      stale_ |= 1u << (kPlayer0 + i);
      changed_ = true;
    }
  }
  if (s_.reflect_playfield != (s_.ctrlpf & 1)) {
    s_.reflect_playfield = s_.ctrlpf & 1;
    stale_ |= 1u << kPlayfield;
    changed_ = true;
  }
  if (s_.stars) {
    s_.stars = static_cast<std::uint8_t>(s_.stars % 4 + 1);
    const int moved = s_.position[kMissile0] - kStarMotion[s_.stars - 1];
    s_.position[kMissile0] = static_cast<std::uint8_t>((moved + 160) % 160);
    stale_ |= 1u << kMissile0;
    changed_ = true;
  }
}

// Finishes the pixels of the line from segment_begin_ to end - 1.
void Tia::Segment(int end) {
  const int begin = segment_begin_;
  if (s_.vblank & 2) {
    if (row_) std::memset(row_ + begin, 0, static_cast<std::size_t>(end - begin));
  } else if (row_ || MayCollide()) {
    while (stale_) Refresh(static_cast<Object>(std::countr_zero(stale_)));
    const bool whole = begin == 0 && end == kScreenWidth;
    if (whole && mixed_ == 0) {
      Collide(now_.data(), present_);
      if (row_) Draw(now_.data(), present_, end);
    } else {
      std::array<Mask, kObjects> masks = CopyMasks(now_);
      unsigned present = present_;
      for (unsigned left = mixed_; left; left &= left - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(left));
        masks[i] = past_[i] | Without(now_[i], Below(from_[i]));
        present |= 1u << i;
      }
      if (!whole) {
        const Mask range = Between(begin, end);
        for (unsigned left = present; left; left &= left - 1) {
          const auto i = static_cast<std::size_t>(std::countr_zero(left));
          masks[i] = masks[i] & range;
        }
      }
      Collide(masks.data(), present);
      if (row_) Draw(masks.data(), present, end);
    }
  }
  if (s_.blank_edge && begin < 8) {
    if (row_) std::memset(row_ + begin, 0, static_cast<std::size_t>(std::min(8, end) - begin));
    if (end >= 8) {
      s_.blank_edge = 0;
      edge_line_ = s_.line_end;
    }
  }
  segment_begin_ = end;
}

// Measured (`ends` of tests/provenance.py): four pixels are drawn at once if only one object, or
// one of these pairs, is on and no moving object reaches into them. If a frame ends within these
// four, they are finished. Other pairs, and more objects, are drawn pixel by pixel; and so are a
// line without objects and black.
void Tia::FinishBlock() {
  const int x = segment_begin_;
  const unsigned on = Enabled();
  if (x % 4 == 0 || s_.blank_edge || s_.vblank & 2 || !on) return;
  constexpr auto kBoth = [](Object a, Object b) { return 1u << a | 1u << b; };
  constexpr std::array kPairsInBlocks = {
      kBoth(kPlayer0, kPlayer1),   kBoth(kPlayer1, kBall),   kBoth(kMissile0, kMissile1),
      kBoth(kMissile0, kBall),     kBoth(kMissile1, kBall),  kBoth(kPlayer0, kPlayfield),
      kBoth(kPlayer1, kPlayfield), kBoth(kBall, kPlayfield),
  };
  const bool pair = std::ranges::find(kPairsInBlocks, on) != kPairsInBlocks.end();
  const bool score = s_.ctrlpf & kScore && on >> kPlayfield & 1;
  if (!std::has_single_bit(on) && (!pair || score)) return;
  const int begin = x / 4 * 4;
  const Mask block = Between(begin, begin + 4);
  for (unsigned left = on & ~(1u << kPlayfield); left; left &= left - 1) {
    if (Reach(static_cast<Object>(std::countr_zero(left))).Meets(block)) return;
  }
  Segment(begin + 4);
}

// The pixels that a moving object can have, with any graphics of a player.
Mask Tia::Reach(Object object) const {
  if (object > kPlayer1) return Look(object);
  return PlayerMask(0xFF, s_.nusiz[object], s_.position[object], !s_.late[object]);
}

// The objects that the registers switch on, visible or not.
unsigned Tia::Enabled() const {
  unsigned on = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const bool player = s_.delay_player[i] ? s_.delayed_graphics[i] : s_.graphics[i];
    const bool missile = s_.enable_missile[i] && !s_.lock_missile[i];
    on |= unsigned{player} << (kPlayer0 + i) | unsigned{missile} << (kMissile0 + i);
  }
  on |= unsigned{(s_.delay_ball ? s_.delayed_enable_ball : s_.enable_ball) != 0} << kBall;
  const bool playfield = s_.playfield[0] || s_.playfield[1] || s_.playfield[2];
  return on | unsigned{playfield} << kPlayfield;
}

// True if this segment can set a latch that is not set, whatever the stale masks will be. If false
// and nothing is drawn, no mask needs to be computed.
bool Tia::MayCollide() const {
  return (kPossible[present_ | stale_ | mixed_] & ~unsigned{s_.collisions}) != 0;
}

void Tia::Collide(const Mask* masks, unsigned present) {
  unsigned candidates = kPossible[present] & ~unsigned{s_.collisions};
  for (; candidates; candidates &= candidates - 1) {
    const int pair = std::countr_zero(candidates);
    const Pair p = kPairs[static_cast<std::size_t>(pair)];
    if (masks[p.a].Meets(masks[p.b])) {
      s_.collisions = static_cast<std::uint16_t>(s_.collisions | 1u << pair);
    }
  }
}

void Tia::Draw(const Mask* masks, unsigned present, int end) {
  LineImage image;
  image.background = s_.colors[kColorBackground];
  const auto add_both = [&](Object a, Object b, std::uint8_t color) {
    const unsigned bits = present & (1u << a | 1u << b);
    if (!bits) return;
    image.Add(bits == 1u << a ? masks[a] : bits == 1u << b ? masks[b] : masks[a] | masks[b], color);
  };
  const bool score = s_.ctrlpf & kScore;
  const bool priority = s_.ctrlpf & kPriority;
  if (score && (!priority || !(Enabled() & ~(1u << kPlayfield)))) {
    const Mask& playfield = masks[kPlayfield];
    if (present >> kBall & 1) image.Add(masks[kBall], s_.colors[kColorPlayfield]);
    image.Add(Without(playfield, kLeftHalf), s_.colors[kColor1]);
    add_both(kPlayer1, kMissile1, s_.colors[kColor1]);
    image.Add(playfield & kLeftHalf, s_.colors[kColor0]);
    add_both(kPlayer0, kMissile0, s_.colors[kColor0]);
  } else {
    if (!priority) add_both(kPlayfield, kBall, s_.colors[kColorPlayfield]);
    add_both(kPlayer1, kMissile1, s_.colors[kColor1]);
    add_both(kPlayer0, kMissile0, s_.colors[kColor0]);
    if (priority) add_both(kPlayfield, kBall, s_.colors[kColorPlayfield]);
  }
  if (segment_begin_ == 0 && end == kScreenWidth) {
    painter_(row_, image);
    return;
  }
  alignas(64) std::uint8_t line[kScreenWidth];
  painter_(line, image);
  std::memcpy(row_ + segment_begin_, line + segment_begin_,
              static_cast<std::size_t>(end - segment_begin_));
}

}  // namespace envpool::atari
