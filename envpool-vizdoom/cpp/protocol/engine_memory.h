// SPDX-License-Identifier: Apache-2.0
// EngineMemory: the shared memory in which a ViZDoom engine shows its game and reads buttons.
//
//   EngineMemory memory("/ViZDoomSM" + id);
//   memory.buttons().pressed[kAttack] = 1;
//   memory.game().health, memory.screen()
//
// The engine makes the memory and writes the length of each part into it. Its first part, the game,
// has the same beginning and the same end in ViZDoom 1.3.0, 1.3.1 and 1.3.2; the bytes between are
// not read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "protocol/shared_memory.h"

namespace envpool::vizdoom {

inline constexpr int kRegions = 7, kButtons = 43, kDeltaButtons = 5, kSlots = 10,
                     kUserVariables = 60;
inline constexpr int kMostPlayers = 16;

/// The beginning of the game's part, as the engine writes it.
struct GameState {
  std::uint32_t version;
  char version_text[16];
  std::uint64_t memory_size;
  std::uint64_t region_offset[kRegions];
  std::uint64_t region_size[kRegions];
  bool region_writable[kRegions];

  std::uint32_t game_tic;
  std::int32_t game_state, game_action;
  std::uint32_t seed;
  bool settings_controller, net_game, multiplayer, deathmatch, recording, playing_back, has_sound;

  std::uint32_t screen_width, screen_height;
  std::uint64_t screen_pitch, screen_size;
  std::int32_t screen_format;

  bool depth_buffer, labels, automap, objects, sectors, audio_buffer, notifications;

  std::uint32_t map_start_tic, map_tic, map_tic_limit;
  std::int32_t map_reward;  ///< in 65536ths
  std::int32_t user_variables[kUserVariables];
  std::int32_t map_kills, map_items, map_secrets;
  bool map_end, player_has_actor, player_dead;

  char player_name[128];
  std::int32_t kills, items, secrets, frags, deaths;
  bool on_ground;
  std::int32_t health, armor;
  bool attack_ready, alternative_attack_ready;
  std::int32_t selected_weapon, selected_weapon_ammo;
  std::int32_t ammo[kSlots], weapon[kSlots];
  double movement[10];  ///< position, angle, pitch, roll, view height, velocity
  double camera[7];     ///< position, angle, pitch, roll, field of view
  bool ready_to_respawn;
  std::uint32_t player_number;

  std::uint32_t player_count;
  bool in_game[kMostPlayers];
  char names[kMostPlayers][128];
  std::int32_t player_frags[kMostPlayers];
};
static_assert(offsetof(GameState, memory_size) == 24 && offsetof(GameState, region_offset) == 32 &&
              offsetof(GameState, region_size) == 88 && offsetof(GameState, game_tic) == 152 &&
              offsetof(GameState, multiplayer) == 170 && offsetof(GameState, recording) == 172 &&
              offsetof(GameState, has_sound) == 174 && offsetof(GameState, screen_width) == 176 &&
              offsetof(GameState, screen_format) == 200 && offsetof(GameState, map_tic) == 216 &&
              offsetof(GameState, map_reward) == 224 && offsetof(GameState, map_kills) == 468 &&
              offsetof(GameState, map_end) == 480 && offsetof(GameState, player_dead) == 482 &&
              offsetof(GameState, kills) == 612 && offsetof(GameState, on_ground) == 632 &&
              offsetof(GameState, health) == 636 && offsetof(GameState, selected_weapon) == 648 &&
              offsetof(GameState, ammo) == 656 && offsetof(GameState, movement) == 736 &&
              offsetof(GameState, camera) == 816 && offsetof(GameState, player_number) == 876 &&
              offsetof(GameState, player_count) == 880 && offsetof(GameState, in_game) == 884 &&
              offsetof(GameState, player_frags) == 2948);

/// The counters at the end of the game's part.
struct Counters {
  std::int32_t hits, hits_taken, damage, damage_taken;
};
/// Distance of the counters' beginning from the end of the part: they, the length of a text, and
/// the text.
inline constexpr std::size_t kCountersFromEnd = 32792;

/// The values that the engine reads.
struct Buttons {
  double pressed[kButtons];  ///< not 0: pressed; for the last five the value
  bool available[kButtons];  ///< the engine ignores other buttons
  double most[kDeltaButtons];
  double by_command[kButtons];
};
static_assert(offsetof(Buttons, available) == 344 && offsetof(Buttons, most) == 392 &&
              offsetof(Buttons, by_command) == 432 && sizeof(Buttons) == 776);

class EngineMemory {
 public:
  /// Maps the memory of a started engine. Throws std::system_error, or std::runtime_error if its
  /// layout is unknown.
  explicit EngineMemory(const std::string& name);

  const GameState& game() const { return *reinterpret_cast<const GameState*>(memory_.data()); }
  const Counters& counters() const { return *counters_; }
  Buttons& buttons() { return *reinterpret_cast<Buttons*>(memory_.data() + offsets_[1]); }

  /// Planes of bytes, one after the other.
  std::span<const std::uint8_t> screen() const { return region(2); }
  std::span<const std::uint8_t> depth() const { return region(3); }
  std::span<const std::uint8_t> labels() const { return region(4); }
  std::span<const std::uint8_t> automap() const { return region(5); }
  /// Samples of the left and the right ear, alternating.
  std::span<const std::uint8_t> audio() const { return region(6); }

 private:
  std::span<const std::uint8_t> region(int i) const {
    return {reinterpret_cast<const std::uint8_t*>(memory_.data()) + offsets_[i], sizes_[i]};
  }

  SharedMemory memory_;
  const Counters* counters_ = nullptr;
  std::size_t offsets_[kRegions] = {}, sizes_[kRegions] = {};
};

}  // namespace envpool::vizdoom
