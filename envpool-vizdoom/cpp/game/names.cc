// SPDX-License-Identifier: Apache-2.0
#include "game/names.h"

#include <algorithm>
#include <vector>

namespace envpool::vizdoom {
namespace {

std::vector<std::string> AllVariables() {
  std::vector<std::string> names{
      "KILLCOUNT",           "ITEMCOUNT",    "SECRETCOUNT",     "FRAGCOUNT",
      "DEATHCOUNT",          "HITCOUNT",     "HITS_TAKEN",      "DAMAGECOUNT",
      "DAMAGE_TAKEN",        "HEALTH",       "ARMOR",           "DEAD",
      "ON_GROUND",           "ATTACK_READY", "ALTATTACK_READY", "SELECTED_WEAPON",
      "SELECTED_WEAPON_AMMO"};
  for (const char* row : {"AMMO", "WEAPON"}) {
    for (int i = 0; i < kSlots; ++i) names.push_back(row + std::to_string(i));
  }
  names.insert(names.end(),
               {"POSITION_X", "POSITION_Y", "POSITION_Z", "ANGLE", "PITCH", "ROLL", "VIEW_HEIGHT",
                "VELOCITY_X", "VELOCITY_Y", "VELOCITY_Z", "CAMERA_POSITION_X", "CAMERA_POSITION_Y",
                "CAMERA_POSITION_Z", "CAMERA_ANGLE", "CAMERA_PITCH", "CAMERA_ROLL", "CAMERA_FOV",
                "PLAYER_NUMBER", "PLAYER_COUNT"});
  for (int i = 1; i <= kMostPlayers; ++i) {
    names.push_back("PLAYER" + std::to_string(i) + "_FRAGCOUNT");
  }
  for (int i = 1; i <= kUserVariables; ++i) names.push_back("USER" + std::to_string(i));
  return names;
}

const std::vector<std::string>& Variables() {
  static const std::vector<std::string> names = AllVariables();
  return names;
}

int Find(const auto& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), Upper(name));
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

}  // namespace

int FindButton(std::string_view name) { return Find(kButtonNames, name); }

int FindVariable(std::string_view name) { return Find(Variables(), name); }

std::string VariableName(int number) { return Variables().at(static_cast<std::size_t>(number)); }

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& letter : upper) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return upper;
}

}  // namespace envpool::vizdoom
