// SPDX-License-Identifier: Apache-2.0
// World: what all games have in common. A grid of cells, things that move over it and stop one
// another, an agent, a view, and how all of it is drawn.
//
// A game says what is its own by the virtual functions at the top. Numbers are computed in the
// precision and order of Procgen's engine, of which every state and frame is reproduced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine.h"
#include "own/canvas.h"
#include "own/codec.h"
#include "own/random.h"
#include "own/thing.h"
#include "settings.h"

namespace envpool::procgen {

using Names = std::span<const std::string_view>;

class World {
 public:
  World(const Settings& settings, std::string image_folder);
  virtual ~World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Plays an action; the next level follows by itself.
  void Act(int action);
  /// Draws the first level that is drawn from the set; done once.
  void Begin();
  void Draw(Canvas& canvas);
  void Fields(Codec& codec);

  float reward = 0;
  bool done = true, level_complete = false;
  std::int32_t level_low = 0, level_high = 0;
  std::int32_t level = 0, previous_level = 0;
  std::int32_t timeout = 1000;
  Random level_random;
  /// Is called before the next level is made, while the last one is as it ended.
  std::function<void()> before_next_level;

 protected:
  using ThingPtr = std::shared_ptr<Thing>;

  // What is a game's own.
  virtual Names Backgrounds() const = 0;
  virtual Names Pictures(int kind) const = 0;
  virtual void ChooseSize() {}
  virtual void MakeLevel() = 0;  // after the common part, ClearLevel
  virtual void BeforeLevel() {}  // before it
  virtual void BeforeStep() {}   // of everything
  virtual void AfterStep() = 0;
  virtual void MeetAgent(Thing&) {}
  virtual void MeetOther(Thing&, Thing&) {}
  virtual void MeetCell(Thing&, int /*kind*/, int /*x*/, int /*y*/) {}
  virtual bool Blocks(const Thing& mover, int kind, bool horizontal) const;
  virtual bool BlocksThing(const Thing& mover, const Thing& other, bool horizontal) const {
    return Blocks(mover, other.kind, horizontal);
  }
  virtual bool Reflects(int /*mover*/, int /*kind*/) const { return false; }
  virtual int ImageOf(int kind) const { return kind < 0 ? -kind : kind; }
  virtual int ThemeOfCell(int) const { return 0; }
  virtual bool KeepsThemes(int /*kind*/) const { return false; }
  virtual bool IsShown(const Thing&) const { return true; }
  virtual float TileRatio(const Thing&) const { return 0; }
  virtual Rect PictureRect(int /*kind*/, const Rect& rect) const { return rect; }
  virtual void DrawPlain(Canvas& canvas, const Rect& rect, int kind, int theme) const;
  virtual void Choose(int move);  // action_x and action_y from a direction
  virtual void Steer();           // the agent's velocity from them
  virtual float Acceleration() const { return 1; }
  virtual void Center(float& x, float& y) const {
    x = agent->x;
    y = agent->y;
  }
  virtual void DrawMore(Canvas&) {}  // above everything
  virtual void OwnFields(Codec&) {}

  // What games do.
  Thing& Add(float x, float y, float vx, float vy, float rx, float ry, int kind);
  Thing& AddAtCell(int cell, float r, int kind);
  int Cell(int x, int y) const;
  int Cell(int index) const;
  void SetCell(int x, int y, int kind) { grid_[static_cast<std::size_t>(y * width + x)] = kind; }
  void SetCell(int index, int kind) { grid_[static_cast<std::size_t>(index)] = kind; }
  void FillCells(int x, int y, int columns, int rows, int kind);
  int IndexOf(int x, int y) const;  // -2 outside
  std::vector<int> CellsOf(int kind) const;
  int AgentCell() const { return static_cast<int>(agent->y) * width + static_cast<int>(agent->x); }
  bool IsOutside(const Thing& thing) const;
  float RandomPlace(float r, float low, float high);
  void PutAtRandom(Thing& thing, float x, float y, float columns, float rows, bool apart);
  bool MeetsAny(const Thing& thing) const;
  void PutAgentAtRandom();
  void AgeThings();
  void ChooseTheme(Thing& thing);
  float Aspect(int image, int theme) const;
  Rect OnView(float x, float y, float columns,
              float rows) const;  // cells of the view, from its top
  void FitHeight(Thing& thing) { thing.ry = thing.rx / Aspect(thing.image, thing.theme); }
  void FitWidth(Thing& thing) { thing.rx = thing.ry * Aspect(thing.image, thing.theme); }
  static double Sign(double value) { return value > 0 ? 1 : value == 0 ? 0 : -1; }

  Settings settings;
  Random random;
  std::vector<ThingPtr> things;
  ThingPtr agent;
  std::int32_t width = 0, height = 0;
  std::int32_t outside = kOutside;  // what is beyond the grid
  std::int32_t time = 0;            // steps of this level
  std::int32_t chance = 0;          // a number that every step draws
  std::int32_t move = 0, special = 0, last_move = 7;
  float action_x = 0, action_y = 0, action_spin = 0;
  float mix = 0.5f, max_speed = 0.5f, max_jump = 0.5f;
  float visibility = 16, least_visibility = 0;
  float background_tiles = 0;
  bool center_agent = true;
  bool by_cells = false;  // moves are of whole cells
  bool agent_starts_anywhere = true;
  bool shows_velocity = true;

 private:
  void NextLevel();
  void ClearLevel();
  void Step();
  void Move(Thing& thing);
  bool MovePart(Thing& thing, float vx, float vy, int depth);
  bool Push(Thing& pushed, const Thing& by, bool horizontal, int depth);
  void MeetCells(Thing& thing);
  void Erase();
  int CellAt(float x, float y) const;
  int Shown(int theme, int kind) const;
  const Image& Picture(int image, int theme, bool mirrored) const;
  Names NamesOf(int image) const;

  void SetView();
  Rect OnScreen(float x, float y, float columns, float rows, float more = 0) const;
  void DrawBackground(Canvas& canvas);
  void DrawThings(Canvas& canvas, int layer);
  void DrawOne(Canvas& canvas, const Rect& rect, float rotation, bool mirrored, int kind, int theme,
               float alpha, float tile_ratio);

  struct Cached {
    const Image* plain = nullptr;
    const Image* mirrored = nullptr;
  };
  const std::string folder_;
  mutable std::vector<Cached> pictures_;  // by image and theme
  std::vector<std::int32_t> grid_;
  std::int32_t grid_width_ = 0, grid_height_ = 0;
  std::int32_t action_ = 0, game_type_ = 0, game_number_ = 0, grid_size_ = 0;
  std::int32_t episodes_left_ = 0, default_action_ = 4;
  std::int32_t reward_timer_ = 0, asset_seed_ = 0, background_ = 0;
  float last_reward_ = -1, background_at_ = 0, char_size_ = 5;
  bool episode_done_ = false;
  float center_x_ = 0, center_y_ = 0, unit_ = 0, view_ = 0, x_off_ = 0, y_off_ = 0;
  Random asset_random_;
};

/// The world of a game, or null where the library has to play it.
std::unique_ptr<World> MakeWorld(const Settings& settings, const std::string& image_folder);
/// The names of the games that there are.
std::vector<std::string> OwnGames();

}  // namespace envpool::procgen
