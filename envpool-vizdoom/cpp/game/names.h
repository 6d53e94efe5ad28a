// SPDX-License-Identifier: Apache-2.0
// Buttons and game variables by their names and by ViZDoom's numbers.
//
//   FindButton("move_left")            // 11; -1 if there is none
//   kVariableNames[FindVariable("HEALTH")]
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "protocol/engine_memory.h"

namespace envpool::vizdoom {

/// Numbers of special buttons.
enum ButtonNumber : int {
  kUse = 1,
  kSpeed = 8,
  kMoveRight = 10,  ///< first of the pairs of opposites, up to 19
  kSelectWeapon1 = 21,
  kSelectWeapon0 = 30,
  kSelectNextWeapon = 31,
  kSelectNextItem = 35,
  kFirstDeltaButton = 38,  ///< delta buttons, which have a value, from here on
};
inline constexpr std::array<std::string_view, kButtons> kButtonNames{"ATTACK",
                                                                     "USE",
                                                                     "JUMP",
                                                                     "CROUCH",
                                                                     "TURN180",
                                                                     "ALTATTACK",
                                                                     "RELOAD",
                                                                     "ZOOM",
                                                                     "SPEED",
                                                                     "STRAFE",
                                                                     "MOVE_RIGHT",
                                                                     "MOVE_LEFT",
                                                                     "MOVE_BACKWARD",
                                                                     "MOVE_FORWARD",
                                                                     "TURN_RIGHT",
                                                                     "TURN_LEFT",
                                                                     "LOOK_UP",
                                                                     "LOOK_DOWN",
                                                                     "MOVE_UP",
                                                                     "MOVE_DOWN",
                                                                     "LAND",
                                                                     "SELECT_WEAPON1",
                                                                     "SELECT_WEAPON2",
                                                                     "SELECT_WEAPON3",
                                                                     "SELECT_WEAPON4",
                                                                     "SELECT_WEAPON5",
                                                                     "SELECT_WEAPON6",
                                                                     "SELECT_WEAPON7",
                                                                     "SELECT_WEAPON8",
                                                                     "SELECT_WEAPON9",
                                                                     "SELECT_WEAPON0",
                                                                     "SELECT_NEXT_WEAPON",
                                                                     "SELECT_PREV_WEAPON",
                                                                     "DROP_SELECTED_WEAPON",
                                                                     "ACTIVATE_SELECTED_ITEM",
                                                                     "SELECT_NEXT_ITEM",
                                                                     "SELECT_PREV_ITEM",
                                                                     "DROP_SELECTED_ITEM",
                                                                     "LOOK_UP_DOWN_DELTA",
                                                                     "TURN_LEFT_RIGHT_DELTA",
                                                                     "MOVE_FORWARD_BACKWARD_DELTA",
                                                                     "MOVE_LEFT_RIGHT_DELTA",
                                                                     "MOVE_UP_DOWN_DELTA"};

/// Numbers of special variables, and of the first of a series.
enum VariableNumber : int {
  kKillCount,
  kItemCount,
  kSecretCount,
  kFragCount,
  kDeathCount,
  kHitCount,
  kHitsTaken,
  kDamageCount,
  kDamageTaken,
  kHealth,
  kArmor,
  kDead,
  kOnGround,
  kAttackReady,
  kAlternativeAttackReady,
  kSelectedWeapon,
  kSelectedWeaponAmmo,
  kAmmo0,
  kWeapon0 = 27,
  kPositionX = 37,
  kCameraPositionX = 47,
  kPlayerNumber = 54,
  kPlayerCount,
  kPlayer1FragCount,
  kUser1 = 72,
  kVariables = kUser1 + kUserVariables,
};

/// The number of a button, in upper or lower case; -1 if there is none.
int FindButton(std::string_view name);
/// The number of a game variable, in upper or lower case; -1 if there is none.
int FindVariable(std::string_view name);
/// The name of a variable, as "USER2".
std::string VariableName(int number);
/// Converts to upper case, the case of names.
std::string Upper(std::string_view text);

}  // namespace envpool::vizdoom
