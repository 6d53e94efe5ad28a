// SPDX-License-Identifier: Apache-2.0
// Game: the shared part of Procgen's games: levels, the step, movement, the frame and the state.
// Each game is a subclass.
//
// Real numbers are float where Procgen's are, so that each operation rounds alike. Draws have
// Procgen's order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine.h"
#include "own/entity.h"
#include "own/grid.h"
#include "own/painter.h"
#include "own/random.h"
#include "own/sprites.h"
#include "own/state_io.h"
#include "settings.h"

namespace envpool::procgen {

inline constexpr float kPi = 3.14159274f;

inline float Sign(float value) { return value > 0 ? 1.0f : value < 0 ? -1.0f : 0.0f; }

/// A part of a level, in cells.
struct Area {
  float x, y, width, height;
};

class Game {
 public:
  virtual ~Game() = default;
  Game(const Game&) = delete;
  Game& operator=(const Game&) = delete;

  /// Takes an action. If it ends the level, the caller begins the next level.
  void Act(int action);
  bool level_over() const { return done_; }
  /// Begins the next level, or the first one.
  void BeginLevel();
  /// Call it after the step and, if it began one, the next level.
  void FinishStep();
  /// The outcome of the step.
  Outcome outcome() const;
  /// Draws the frame.
  void Draw();
  const Painter& painter() const { return painter_; }

  LevelRange levels() const { return levels_; }
  void SetLevels(LevelRange levels) { levels_ = levels; }
  /// Writes or reads the whole state.
  void Exchange(StateIo& io);

 protected:
  /// `images`: the package's folder of images, with a slash at its end. `names`: the images of the
  /// game's things. `backdrop`: the pictures behind its levels.
  Game(const Settings& settings, const std::string& images, const std::vector<SpriteNames>& names,
       Backdrop backdrop);

  // The rules that a game implements:
  virtual void ChooseSize() = 0;  // SetSize
  virtual void MakeLevel() {}     // called when the level is empty and has an agent
  virtual void Step() { StepAll(); }
  virtual void ExchangeOwn(StateIo&) {}
  virtual void SetAction(int move);
  virtual void UpdateVelocity();
  virtual void MeetAgent(Entity&) {}
  virtual void Meet(Entity&, Entity&) {}
  virtual void MeetCell(Entity&, int /*object*/, int /*x*/, int /*y*/) {}
  virtual bool Blocks(Entity& mover, int type, bool horizontal);
  virtual bool BlocksEntity(Entity& mover, const Entity& other, bool horizontal) {
    return Blocks(mover, other.type, horizontal);
  }
  virtual bool Reflects(int /*mover*/, int /*type*/) const { return false; }
  // The looks that a game implements:
  virtual void Center(float& x, float& y);
  virtual bool Shows(const Entity&) const { return true; }
  virtual int ImageType(int type) const { return type < 0 ? -type : type; }
  virtual float TileRatio(const Entity&) const { return 0; }
  virtual void Adjust(Rect&, int /*type*/) const {}
  virtual int GridTheme(int /*type*/) const { return 0; }
  virtual bool KeepsThemes(int /*type*/) const { return false; }
  // True if the game draws the backdrop itself; true if the game describes a cell's look.
  virtual bool DrawsBackdrop() { return false; }
  virtual bool DescribeCell(int /*type*/, Look&) const { return false; }
  virtual void DrawOver() {}

  // Functions for games:
  int mode() const { return mode_; }
  void SetSize(int width, int height) {
    width_ = width;
    height_ = height;
  }
  Entity& agent() { return entities_.agent(); }
  const Entity& agent() const { return entities_.agent(); }
  int Cell(int x, int y) const { return grid_.Get(x, y, outside_); }
  int CellAt(float x, float y) const { return grid_.At(x, y, outside_); }
  void StepAll();
  void MoveEntities();
  void EraseGone();
  bool IsOutside(const Entity& entity) const;
  bool TouchesAgent(const Entity& entity) const;
  bool TouchesAny(const Entity& entity) const;
  Entity& Add(float x, float y, float vx, float vy, float rx, float ry, int type);
  Entity& Add(float x, float y, float r, int type) { return Add(x, y, 0, 0, r, r, type); }
  Entity& AddAtCell(int cell, float r, int type);
  Entity& AddAt(const Entity& source, int type, float r, bool keeps_velocity);
  /// Adds an entity at a random place of an area where it touches nothing, if there is a free
  /// place.
  Entity& AddWithin(const Area& area, float rx, float ry, int type);
  void PlaceAgent();
  void ChooseTheme(Entity& entity) {
    entity.theme = random_.Below(sprites_.CountThemes(entity.image_type));
  }
  void ChooseThemeByStep(Entity& entity) const {
    entity.theme = step_draw_ % sprites_.CountThemes(entity.image_type);
  }
  float AspectOf(const Entity& entity);
  void MatchWidth(Entity& entity) { entity.ry = entity.rx / AspectOf(entity); }
  void MatchHeight(Entity& entity) { entity.rx = entity.ry * AspectOf(entity); }
  void Fit(Entity& entity);

  Rect InWorld(float x, float y, float width, float height, float margin = 0) const;
  Rect InView(float x, float y, float width, float height) const;
  void DrawThing(const Rect& rect, int type, int theme, bool mirrored = false, float rotation = 0,
                 float alpha = 1, float tile_ratio = 0);
  void DrawTiled(const Image& image, const Rect& rect, float ratio, double opacity);
  const Image& Behind() { return sprites_.Behind(backdrop_); }
  static Pixel ColorOf(int type, int theme);

  const Settings settings_;
  Sprites sprites_;
  Painter painter_;
  Random random_;
  EntityList entities_;
  Grid grid_;
  int width_ = 0, height_ = 0, outside_ = kNothing;
  // State of the step:
  int action_ = 4, move_ = 0, special_ = 0, last_move_ = 7;
  float reward_ = 0;
  bool done_ = true, level_complete_ = false;
  float action_vx_ = 0, action_vy_ = 0, action_vrot_ = 0;
  int step_draw_ = 0, time_ = 0, limit_ = 1000;
  // Settings of movement:
  bool grid_step_ = false;
  float mix_rate_ = 0.5f, max_speed_ = 0.5f, max_jump_ = 0.5f;
  bool random_start_ = true;
  // Settings of the looks:
  bool center_agent_ = true, shows_velocity_ = true;
  int backdrop_ = 0;
  float visibility_ = 16, min_visibility_ = 0, backdrop_ratio_ = 0, char_size_ = 5;

 private:
  void MakeEmptyLevel();
  void Move(Entity& entity);
  bool MovePart(Entity& entity, float dx, float dy, int depth = 0);
  void Push(const Entity& pusher, Entity& pushed, bool horizontal, int depth);
  void MeetCells(Entity& entity);
  void MeetAll();

  void FindView();
  void DrawBackdrop();
  void DrawGrid();
  void DrawLayer(int layer);
  void DrawVelocity();
  std::uint8_t LookNumber(int type);
  Look LookOfCell(int cell);
  int ShownTheme(int type, int theme) const;
  bool IsColored(int type) const { return settings_.monochrome_assets || type >= kSpace; }
  const Image& ImageOf(int type, int theme, bool mirrored);

  void ExchangeHead(StateIo& io);
  void ExchangeEntities(StateIo& io);

  LevelRange levels_;
  const int mode_;
  Random level_random_, asset_random_;
  std::int32_t level_ = 0, previous_level_ = 0;
  int episodes_left_ = 0, reward_timer_ = 0;
  bool episode_done_ = false;
  float last_reward_ = -1;
  float backdrop_shift_ = 0;
  // The grid as last drawn.
  struct CellRange {
    int left, right, low, high;
    std::uint64_t version;

    bool operator==(const CellRange&) const = default;
  };
  CellRange shown_cells_{};
  Tiles tiles_;
  std::vector<int> cell_types_;          // types of tiles_.looks
  std::array<bool, 256> shown_looks_{};  // true if a cell in the frame has the look
  float center_x_ = 0, center_y_ = 0, unit_ = 0, view_ = 0, shift_x_ = 0, shift_y_ = 0;
};

}  // namespace envpool::procgen
