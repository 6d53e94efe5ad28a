// SPDX-License-Identifier: Apache-2.0
// The table of games, A to B. table.h says how to read a row.
#pragma once

#include <array>

#include "games/game_info.h"
#include "games/modes.h"
#include "games/special_action.h"
#include "games/special_table.h"

namespace envpool::atari::table {

using enum CartridgeType;
using enum Format;

inline constexpr auto kAToB = std::to_array<GameInfo>({
    {
        .name = "adventure",
        .md5 = "4b27f5397c442d25f0c418ccdacf1926",
        .cartridge = k4K,
        .console = {.format = kPal, .height = 250, .right = Controller::kNone},
        .difficulties = {0, 1, 2, 3},
        .select = {.modes = {{0, 2}}, .draws = true, .by_hand = SelectAdventure},
        .rules = {.lives = 1,
                  .lives_at_end = true,
                  .over = Any(Byte(0xE0) == 2, Byte(0xB9) == 0x12),
                  .special = RuleAdventure},
    },
    {
        .name = "air_raid",
        .md5 = "35be55426c1fec32dfb503b4f0651572",
        .cartridge = k4K,
        .console = {.format = kPal, .height = 250},
        .actions = {kNoop, kFire, kRight, kLeft, kRightFire, kLeftFire},
        .start = {{kFire, 1}},
        .select = {.modes = {{1, 8}}, .shows = Byte(0xAA), .hold = 10, .first_hold = 20},
        .rules = {.score = Bcd3(0xAA, 0xA9, 0xA8), .over = Byte(0xA7) == 0xFF},
    },
    {
        .name = "alien",
        .md5 = "f1a0a23e6464d954e3a9579c4ccd01c8",
        .cartridge = k4K,
        .difficulties = {0, 1, 2, 3},
        .select = {.modes = {{0, 3}}, .shows = Byte(0x81), .hold = 1},
        .rules = {.score = 10 * Bits(0x8B, 0xFF, 3).Except(0x80, 0) +
                           100 * Bits(0x89, 0xFF, 3).Except(0x80, 0) +
                           1000 * Bits(0x87, 0xFF, 3).Except(0x80, 0) +
                           10000 * Bits(0x85, 0xFF, 3).Except(0x80, 0) +
                           100000 * Bits(0x83, 0xFF, 3).Except(0x80, 0),
                  .lives = Low(0xC0),
                  .lives_at_end = true,
                  .over = Low(0xC0) == 0},
    },
    {
        .name = "amidar",
        .md5 = "acb7750b4d0c4bd34969802a7deb2990",
        .cartridge = k4K,
        .console = {.right = Controller::kNone},
        .actions = {kNoop, kFire, kUp, kRight, kLeft, kDown, kUpFire, kRightFire, kLeftFire,
                    kDownFire},
        .difficulties = {0, 3},
        .rules = {.score = Bcd3(0xD9, 0xDA, 0xDB), .lives = Low(0xD6), .over = Byte(0xD6) == 0x80},
    },
    {
        .name = "assault",
        .md5 = "de78b3a064d374390ac0710f95edde92",
        .cartridge = k4K,
        .actions = {kNoop, kFire, kUp, kRight, kLeft, kRightFire, kLeftFire},
        .rules = {.score = Bcd3(0x82, 0x81, 0x80), .lives = Byte(0xE5), .over = Byte(0xE5) == 0},
    },
    {
        .name = "asterix",
        .md5 = "89a68746eff7f266bbf08de2483abe55",
        .cartridge = kF8,
        .actions = kDirections,
        .start = {{kFire, 1}},
        .rules = {.score = Bcd3(0xE0, 0xDF, 0xDE),
                  .lives = Low(0xD3),
                  .over = All(Byte(0xC7) == 1, Low(0xD3) == 1)},
    },
    {
        .name = "asteroids",
        .md5 = "ccbd36746ed4525821a8083b0d6d2c2c",
        .cartridge = kF8,
        .console = {.hmove_blanks = false},
        .actions = {kNoop, kFire, kUp, kRight, kLeft, kDown, kUpRight, kUpLeft, kUpFire, kRightFire,
                    kLeftFire, kDownFire, kUpRightFire, kUpLeftFire},
        .difficulties = {0, 3},
        .select = {.modes = {{0, 31}, {128, 128}}, .shows = Byte(0x80), .hold = 2},
        .rules = {.score = 10 * Bcd2(0xBE, 0xBD),
                  .score_wraps_at = 100000,
                  .lives = High(0xBC),
                  .over = High(0xBC) == 0},
    },
    {
        .name = "atlantis",
        .md5 = "9ad36e699ef6f45d9eb6c4cf90475c9f",
        .cartridge = k4K,
        .actions = {kNoop, kFire, kRightFire, kLeftFire},
        .select = {.modes = {{0, 3}}, .shows = Byte(0x8D), .hold = 2},
        .rules = {.score = 100 * Bcd3(0xA2, 0xA3, 0xA1),
                  .rewards_end = false,
                  .lives = Byte(0xF1),
                  .over = Byte(0xF1) == 0xFF},
    },
    {
        .name = "atlantis2",
        .md5 = "826481f6fc53ea47c9f272f7050eedf7",
        .cartridge = k4K,
        .actions = {kNoop, kFire, kRightFire, kLeftFire},
        .rules = {.score = Bcd3(0xA1, 0xA2, 0xA3),
                  .rewards_end = false,
                  .lives = Byte(0xF1),
                  .over = Byte(0xF1) == 0xFF},
    },
    {
        .name = "backgammon",
        .md5 = "8556b42aa05f94bc29ff39c39b11bff4",
        .cartridge = k4K,
        .console = {.left = Controller::kPaddles},
        .paddle_max = 1000000,
        .actions = {kFire, kRight, kLeft},
        .difficulties = {3},
        .select = {.modes = {{.scale = 0, .offset = 3}}, .shows = Byte(0xDC), .hold = 1},
        .rules = {.special = RuleBackgammon},
    },
    {
        .name = "bank_heist",
        .md5 = "00ce0bdd43aed84a983bef38fe7f5ee3",
        .cartridge = k4K,
        .difficulties = {0, 1, 2, 3},
        .select = {.modes = {{0, 28, 4}}, .shows = Byte(0x80), .hold = 1},
        .rules = {.score = Bcd3(0xDA, 0xD9, 0xD8),
                  .lives = Byte(0xD5),
                  .over = All(Byte(0xCE) == 1, Byte(0xD5) == 0)},
    },
    {
        .name = "basic_math",
        .md5 = "819aeeb9a2e11deb54e6de334f843894",
        .cartridge = k2K,
        .actions = {kNoop, kFire, kUp, kRight, kLeft, kDown},
        .difficulties = {0, 2, 3},
        .select = {.modes = {{5, 8}}, .shows = Byte(0xC5), .hold = 2},
        .rules = {.score = Bcd(0x84), .over = Byte(0x86) != 0},
    },
    {
        .name = "battle_zone",
        .md5 = "41f252a66c6301f1e8ab3612c19bc5d4",
        .cartridge = kF8,
        .console = {.hmove_blanks = false},
        .select = {.modes = {{1, 3}}, .shows = Byte(0xA1), .hold = 2},
        .rules = {.score = 1000 * High(0x9D).Except(0xA0, 0) + 10000 * Low(0x9E).Except(10, 0) +
                           100000 * High(0x9E).Except(0xA0, 0),
                  .lives = Low(0xBA),
                  .over = Low(0xBA) == 0},
    },
    {
        .name = "beam_rider",
        .md5 = "79ab4123a83dc11d468fb2108ea09e2e",
        .cartridge = kF8,
        .actions = {kNoop, kFire, kUp, kRight, kLeft, kUpRight, kUpLeft, kRightFire, kLeftFire},
        .start = {{kRight, 1}},
        .difficulties = {0, 1},
        .rules = {.score = Bcd3(0x89, 0x8A, 0x8B),
                  .lives = Byte(0x85) + 1,
                  .initial_lives = 3,
                  .over = Byte(0x85) == 0xFF,
                  .special = RuleBeamRider},
    },
    {
        .name = "berzerk",
        .md5 = "136f75c4dd02c29283752b7e5799f978",
        .cartridge = k4K,
        .select = {.modes = {{1, 9}, {16, 18}}, .shows = Byte(0x80), .hold = 2, .wait = 20},
        .rules = {.score = Bcd3(0xDF, 0xDE, 0xDD),
                  .lives = Byte(0xDA) + 1,
                  .over = Byte(0xDA) == 0xFF},
    },
    {
        .name = "blackjack",
        .md5 = "0a981c03204ac2b278ba392674682560",
        .cartridge = k2K,
        .console = {.left = Controller::kPaddles},
        .paddle_max = 795000,
        .actions = {kNoop, kFire, kUp, kDown},
        .difficulties = {0, 1, 2, 3},
        .rules = {.score = Bcd2(0x89, 0x86),
                  .score_case = {.when = All(Byte(0x86) == 0x0B, Byte(0x89) == 0xBB), .then = 0},
                  .over = Any(All(Byte(0x86) == 0x0B, Byte(0x89) == 0xBB), Score() >= 1000)},
    },
    {
        .name = "bowling",
        .md5 = "c9b7afad3bfd922e006a6bfc1d4f3fe7",
        .cartridge = k2K,
        .actions = {kNoop, kFire, kUp, kDown, kUpFire, kDownFire},
        .difficulties = {0, 1},
        .select = {.modes = {{0, 4, 2}}, .shows = Byte(0x82), .hold = 2},
        .rules = {.score = Bcd2(0xA1, 0xA6), .lives = 0, .over = Byte(0xA4) > 0x10},
    },
    {
        .name = "boxing",
        .md5 = "c3ef5c4653212088eda54dc91d787870",
        .cartridge = k2K,
        .difficulties = {0, 1, 2, 3},
        .rules = {.score = Bcd(0x92).Except(0xC0, 100) - Bcd(0x93).Except(0xC0, 100),
                  .lives = 0,
                  .over =
                      Any(Bcd(0x92).Except(0xC0, 100) == 100, Bcd(0x93).Except(0xC0, 100) == 100,
                          All(High(0x90) == 0, Bcd(0x91) == 0))},
    },
    {
        .name = "breakout",
        .md5 = "f34f08e5eb96e500e851a80be3277a56",
        .cartridge = k2K,
        .console = {.left = Controller::kPaddles},
        .actions = {kNoop, kFire, kRight, kLeft},
        .difficulties = {0, 1},
        .select = {.modes = {{0, 44, 4}}, .shows = Byte(0xB2), .hold = 1},
        .rules = {.score = Bcd(0xCD) + 100 * Low(0xCC),
                  .lives = Byte(0xB9),
                  .over = Byte(0xB9) == 0},
    },
});

}  // namespace envpool::atari::table
