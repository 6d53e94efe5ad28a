// SPDX-License-Identifier: Apache-2.0
#include "own/world.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace envpool::procgen {
namespace {

constexpr int kPictures = 100;  // kinds below have pictures
constexpr int kThemes = 10;
// Things as wide as a cell fit between two walls.
constexpr float kSlack = -0.001f;
// Cells are drawn a little larger, or lines would show between them.
constexpr float kOverlap = 0.02f;
constexpr int kMostPushes = 5;  // of one another, in a part of a move
constexpr std::int32_t kNextInSequence = 997;

constexpr std::string_view kExplosions[][1] = {
    {"misc_assets/explosion1.png"}, {"misc_assets/explosion2.png"},
    {"misc_assets/explosion3.png"}, {"misc_assets/explosion4.png"},
    {"misc_assets/explosion5.png"}, {"misc_assets/iconCircle_white.png"},
};

// FNV-1a: generated pictures are made from it, and it is in every state.
std::int32_t HashOf(std::string_view text) {
  std::uint32_t hash = 0x811c9dc5u;
  for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x1000193u;
  return static_cast<std::int32_t>(hash);
}

std::uint32_t Rgb(int red, int green, int blue) {
  return 0xff000000u | static_cast<std::uint32_t>(red << 16 | green << 8 | blue);
}

}  // namespace

World::World(const Settings& settings, std::string image_folder)
    : level_low(settings.levels.low),
      level_high(settings.levels.high),
      settings(settings),
      center_agent(settings.center_agent),
      folder_(std::move(image_folder)),
      pictures_(std::size_t{kPictures} * kThemes),
      asset_seed_(HashOf(settings.game->name)) {
  Random seeds;
  seeds.Seed(settings.seed);
  level_random.Seed(seeds.Bits());
}

void World::Begin() { NextLevel(); }

void World::Act(int action) {
  ++time;
  action_ = action;
  const bool forced = action == kEndEpisode;
  if (forced) action_ = default_action_;
  reward = 0;
  done = level_complete = false;
  Step();
  done = done || forced || time >= timeout;
  if (reward != 0) {
    reward_timer_ = 10;
    last_reward_ = reward;
  }
  previous_level = level;
  if (done) NextLevel();
  if (settings.sequential_levels && level_complete) done = false;
  episode_done_ = done;
}

void World::NextLevel() {
  if (before_next_level) before_next_level();
  if (settings.sequential_levels && level_complete) {
    level = static_cast<std::int32_t>(static_cast<std::uint32_t>(level) + kNextInSequence);
  } else {
    level = level_random.Between(level_low, level_high);
  }
  random.Seed(level);
  BeforeLevel();
  ClearLevel();
  MakeLevel();
  time = 0;
  action_ = default_action_;
}

void World::ClearLevel() {
  ChooseSize();
  background_at_ = random.Unit();
  grid_size_ = width * height;
  grid_width_ = width;
  grid_height_ = height;
  grid_.assign(static_cast<std::size_t>(grid_size_), 0);
  background_ = random.Below(Backgrounds().size());
  things.clear();
  constexpr float r = 0.4f;
  float x = r, y = r;
  if (agent_starts_anywhere) {
    x = random.Unit() * (static_cast<float>(width) - 2 * r) + r;
    y = random.Unit() * (static_cast<float>(height) - 2 * r) + r;
  }
  agent = std::make_shared<Thing>(x, y, 0.0f, 0.0f, r, r, kAgent);
  agent->careful = true;
  agent->layer = 1;
  things.push_back(agent);
  FillCells(0, 0, width, height, kSpace);
}

void World::Step() {
  BeforeStep();
  chance = random.Between(0, 1000000);
  move = action_ % 9;
  special = 0;
  if (action_ >= 9) {
    special = action_ - 8;
    move = 4;
  }
  if (move != 4) last_move = move;
  action_x = action_y = action_spin = 0;
  Choose(move);
  if (by_cells) {
    agent->vx = action_x;
    agent->vy = action_y;
  } else {
    constexpr float kPi = 3.14159265358979323846f, kMostSpin = 15 * kPi / 180, kSpinMix = 0.5f;
    Steer();
    agent->spin = kSpinMix * agent->spin;
    agent->spin += kSpinMix * kMostSpin * action_spin;
  }
  AgeThings();
  for (auto i = things.size(); i-- > 0;) {
    const ThingPtr thing = things[i];
    if (thing->kind != kAgent && thing->Meets(*agent, thing->margin)) MeetAgent(*thing);
    if (thing->meets_others) {
      for (auto k = things.size(); k-- > 0;) {
        if (k == i) continue;
        const ThingPtr other = things[k];
        if (thing->Meets(*other, thing->margin) && !thing->erased && !other->erased) {
          MeetOther(*thing, *other);
        }
      }
    }
    if (thing->careful) MeetCells(*thing);
  }
  Erase();
  done = done || IsOutside(*agent);
  AfterStep();
}

void World::AgeThings() {
  for (auto i = things.size(); i-- > 0;) {
    Thing& thing = *things[i];
    if (thing.careful) Move(thing);
    thing.Age();
  }
}

void World::Move(Thing& thing) {
  if (thing.erased) return;
  int parts = 1;
  if (!by_cells) {
    const auto speed = static_cast<double>(thing.vx * thing.vx + thing.vy * thing.vy);
    parts = std::max(4, static_cast<int>(4 * std::sqrt(speed)));
  }
  const auto share = static_cast<float>(1.0 / parts);
  const float difference = std::fabs(thing.vx) - std::fabs(thing.vy);
  bool x_first = difference == 0 ? chance % 2 == 0 : difference > 0;
  // The agent turns into a corridor as soon as it can.
  if (thing.kind == kAgent) {
    if (action_x != 0) x_first = true;
    if (action_y != 0) x_first = false;
  }
  float free_x = 0, free_y = 0;
  for (int part = 0; part < parts; ++part) {
    bool stopped_x = false, stopped_y = false;
    if (x_first) stopped_x = MovePart(thing, thing.vx * share, 0, 0);
    stopped_y = MovePart(thing, 0, thing.vy * share, 0);
    if (!x_first) stopped_x = MovePart(thing, thing.vx * share, 0, 0);
    free_x += stopped_x ? 0.0f : 1.0f;
    free_y += stopped_y ? 0.0f : 1.0f;
    if (stopped_x && stopped_y) break;
  }
  thing.vx *= free_x / static_cast<float>(parts);
  thing.vy *= free_y / static_cast<float>(parts);
}

bool World::MovePart(Thing& thing, float vx, float vy, int depth) {
  if (thing.erased) return false;
  constexpr float kInside = 0.98f;  // of its size: corners are looked at a little within
  const bool horizontal = vx != 0;
  float x = thing.x + vx, y = thing.y + vy;
  bool stopped = false, reflected = false;
  for (const int side : {-1, 1}) {
    for (const int edge : {-1, 1}) {
      const int kind = CellAt(x + thing.rx * kInside * static_cast<float>(side),
                              y + thing.ry * kInside * static_cast<float>(edge));
      stopped = stopped || Blocks(thing, kind, horizontal);
      reflected = reflected || Reflects(thing.kind, kind);
    }
  }
  // What follows is the same for both axes.
  float& to = horizontal ? x : y;
  float& speed = horizontal ? thing.vx : thing.vy;
  const float from = horizontal ? thing.x : thing.y, by = horizontal ? vx : vy;
  const float r = horizontal ? thing.rx : thing.ry;
  if (reflected) {
    const float beyond = by < 0 ? std::ceil(to - r) - (to - r) : std::floor(to + r) - (to + r);
    speed = -1 * speed;
    to = to + 2 * beyond;
  } else if (stopped) {
    if (by_cells) {
      to = from;
    } else {
      to = by > 0 ? std::floor(to + r) - r : std::ceil(to - r) + r;
    }
  }
  thing.x = x;
  thing.y = y;
  bool stopped_by_thing = false;
  for (auto i = things.size(); i-- > 0;) {
    Thing& other = *things[i];
    if (&other == &thing || other.erased || !thing.Meets(other, kSlack)) continue;
    if (BlocksThing(thing, other, horizontal)) {
      Push(thing, other, horizontal, depth);
      stopped_by_thing = true;
    } else if (Reflects(thing.kind, other.kind)) {
      float& at = horizontal ? thing.x : thing.y;
      const float between = (horizontal ? other.x : other.y) - at;
      const float reach = horizontal ? other.rx + thing.rx : other.ry + thing.ry;
      at += by > 0 ? -2 * (reach - between) : 2 * (reach + between);
      speed = -1 * speed;
    }
  }
  return stopped || stopped_by_thing;
}

bool World::Push(Thing& pushed, const Thing& by, bool horizontal, int depth) {
  const float reach = horizontal ? by.rx + pushed.rx : by.ry + pushed.ry;
  const float place = horizontal ? by.x : by.y, at = horizontal ? pushed.x : pushed.y;
  const auto distance = static_cast<float>(
      static_cast<double>(place) +
      Sign(static_cast<double>(at - place)) * static_cast<double>(reach) - static_cast<double>(at));
  bool stopped = false;
  if (depth < kMostPushes) {
    stopped = horizontal ? MovePart(pushed, distance, 0, depth + 1)
                         : MovePart(pushed, 0, distance, depth + 1);
  }
  (horizontal ? pushed.vx : pushed.vy) = 0;
  return stopped;
}

void World::MeetCells(Thing& thing) {
  const float rx = thing.rx + kSlack, ry = thing.ry + kSlack;
  const int left = static_cast<int>(thing.x - rx), right = static_cast<int>(thing.x + rx);
  const int bottom = static_cast<int>(thing.y - ry), top = static_cast<int>(thing.y + ry);
  for (int x = left; x <= right; ++x) {
    for (int y = bottom; y <= top; ++y) {
      const int kind = CellAt(static_cast<float>(x), static_cast<float>(y));
      if (kind != kSpace) MeetCell(thing, kind, x, y);
    }
  }
}

void World::Erase() {
  for (auto i = things.size(); i-- > 0;) {
    const Thing& thing = *things[i];
    if (thing.erased || (thing.goes_outside && IsOutside(thing))) {
      things.erase(things.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

bool World::Blocks(const Thing&, int kind, bool) const { return kind == kWall || kind == outside; }

void World::Choose(int direction) {
  action_x = static_cast<float>(direction / 3 - 1);
  action_y = static_cast<float>(direction % 3 - 1);
  action_spin = 0;
}

void World::Steer() {
  const float scale = Acceleration();
  agent->vx = (1 - mix) * agent->vx;
  agent->vy = (1 - mix) * agent->vy;
  agent->vx += mix * max_speed * action_x * scale;
  agent->vy += mix * max_speed * action_y * scale;
  agent->vx = static_cast<float>(.9 * static_cast<double>(agent->vx));
  agent->vy = static_cast<float>(.9 * static_cast<double>(agent->vy));
}

Thing& World::Add(float x, float y, float vx, float vy, float rx, float ry, int kind) {
  things.push_back(std::make_shared<Thing>(x, y, vx, vy, rx, ry, kind));
  return *things.back();
}

Thing& World::AddAtCell(int cell, float r, int kind) {
  return Add(static_cast<float>(cell % width + .5), static_cast<float>(cell / width + .5), 0, 0, r,
             r, kind);
}

int World::Cell(int x, int y) const {
  if (x < 0 || y < 0 || x >= grid_width_ || y >= grid_height_) return outside;
  return grid_[static_cast<std::size_t>(y * grid_width_ + x)];
}

int World::Cell(int index) const {
  if (index < 0 || index >= grid_width_ * grid_height_) return outside;
  return grid_[static_cast<std::size_t>(index)];
}

int World::CellAt(float x, float y) const {
  if (x < 0 || y < 0) return outside;
  return Cell(static_cast<int>(std::floor(x)), static_cast<int>(std::floor(y)));
}

void World::FillCells(int x, int y, int columns, int rows, int kind) {
  for (int row = y; row < y + rows; ++row) {
    for (int column = x; column < x + columns; ++column) SetCell(column, row, kind);
  }
}

int World::IndexOf(int x, int y) const {
  constexpr int kNowhere = -2;
  const bool inside = x >= 0 && y >= 0 && x < grid_width_ && y < grid_height_;
  return inside ? y * grid_width_ + x : kNowhere;
}

std::vector<int> World::CellsOf(int kind) const {
  std::vector<int> cells;
  for (int i = 0; i < grid_size_; ++i) {
    if (grid_[static_cast<std::size_t>(i)] == kind) cells.push_back(i);
  }
  return cells;
}

bool World::IsOutside(const Thing& thing) const {
  return thing.x + thing.rx < 0 || thing.y + thing.ry < 0 ||
         thing.x - thing.rx > static_cast<float>(width) ||
         thing.y - thing.ry > static_cast<float>(height);
}

bool World::MeetsAny(const Thing& thing) const {
  return std::any_of(things.rbegin(), things.rend(), [&](const ThingPtr& other) {
    return !other->ignored && thing.Meets(*other, 0);
  });
}

float World::RandomPlace(float r, float low, float high) {
  if (high - low <= 2 * r) return (high + low) / 2;
  return (high - low - 2 * r) * random.Unit() + r + low;
}

void World::PutAtRandom(Thing& thing, float x, float y, float columns, float rows, bool apart) {
  constexpr int kMostTries = 100;
  for (int tries = 0; tries <= kMostTries; ++tries) {
    thing.x = RandomPlace(thing.rx, x, x + columns);
    thing.y = RandomPlace(thing.ry, y, y + rows);
    const bool on_agent = thing.kind != kAgent && thing.Meets(*agent, thing.margin);
    if (!on_agent && !(apart && MeetsAny(thing))) return;
  }
}

void World::PutAgentAtRandom() {
  constexpr int kMostTries = 100;
  for (int tries = 0; tries < kMostTries; ++tries) {
    agent->x = random.Unit() * (static_cast<float>(width) - 2 * agent->rx) + agent->rx;
    agent->y = random.Unit() * (static_cast<float>(height) - 2 * agent->ry) + agent->ry;
    const bool meets = std::any_of(things.begin(), things.end(), [&](const ThingPtr& thing) {
      return thing->kind != kAgent && thing->Meets(*agent, thing->margin);
    });
    if (!meets) return;
  }
}

void World::ChooseTheme(Thing& thing) { thing.theme = random.Below(NamesOf(thing.image).size()); }

float World::Aspect(int image, int theme) const {
  const Image& picture = Picture(image, theme, false);
  return static_cast<float>(picture.width * 1.0 / picture.height);
}

Names World::NamesOf(int image) const {
  const Names own = Pictures(image);
  if (!own.empty()) return own;
  if (image < kExplosion || image > kTrail) return {};
  return kExplosions[image - kExplosion];
}

int World::Shown(int theme, int kind) const {
  return settings.restrict_themes && !KeepsThemes(kind) ? 0 : theme;
}

const Image& World::Picture(int image, int theme, bool mirrored) const {
  Cached& cached = pictures_[static_cast<std::size_t>(theme * kPictures + image)];
  const Image*& picture = mirrored ? cached.mirrored : cached.plain;
  if (picture == nullptr) {
    const Names names = NamesOf(image);
    picture = &LoadImage(folder_, std::string(names[static_cast<std::size_t>(Shown(theme, image))]),
                         mirrored ? ImageKind::kMirrored : ImageKind::kSprite);
  }
  return *picture;
}

void World::SetView() {
  center_x_ = static_cast<float>(width * .5);
  center_y_ = static_cast<float>(height * .5);
  if (center_agent) {
    Center(center_x_, center_y_);
  } else {
    visibility = std::max(static_cast<float>(std::max(width, height)), least_visibility);
  }
  const float plain_unit = 64 / visibility;
  unit_ = static_cast<float>(static_cast<double>(plain_unit) * (kSide / 64.0));
  view_ = static_cast<float>(64.0 / static_cast<double>(plain_unit));
  x_off_ = unit_ * (center_x_ - view_ / 2);
  y_off_ = unit_ * (center_y_ - view_ / 2);
}

Rect World::OnScreen(float x, float y, float columns, float rows, float more) const {
  return {(x - more) * unit_ - x_off_, (view_ - y - more) * unit_ + y_off_,
          (columns + 2 * more) * unit_, (rows + 2 * more) * unit_};
}

Rect World::OnView(float x, float y, float columns, float rows) const {
  return {x * unit_, y * unit_, columns * unit_, rows * unit_};
}

void World::Draw(Canvas& canvas) {
  canvas.Fill({0, 0, kSide, kSide}, Rgb(0, 0, 0));
  SetView();
  if (settings.backgrounds) DrawBackground(canvas);
  DrawThings(canvas, -1);
  int left = 0, right = width - 1, bottom = 0, top = height - 1;
  if (center_agent) {
    const auto margin = static_cast<float>(static_cast<double>(visibility) / 2.0 + 1);
    left = static_cast<int>(center_x_ - margin);
    right = static_cast<int>(center_x_ + margin);
    bottom = static_cast<int>(center_y_ - margin);
    top = static_cast<int>(center_y_ + margin);
  }
  for (int x = left; x <= right; ++x) {
    for (int y = bottom; y <= top; ++y) {
      const int kind = Cell(x, y);
      if (kind == kOutside) continue;
      const Rect rect = OnScreen(static_cast<float>(x), static_cast<float>(y + 1), 1, 1, kOverlap);
      DrawOne(canvas, rect, 0, false, kind, ThemeOfCell(kind), 1, 0);
    }
  }
  DrawThings(canvas, 0);
  DrawThings(canvas, 1);
  if (shows_velocity && settings.paint_vel_info) {
    const auto side = static_cast<double>(static_cast<float>(kSide * .2));
    double left_edge = 0;
    for (const double share :
         {.5 * static_cast<double>(agent->vx) / static_cast<double>(max_speed),
          .5 * static_cast<double>(agent->vy) / static_cast<double>(max_jump)}) {
      const int shade = std::clamp(static_cast<int>(static_cast<float>(share + .5) * 255), 0, 255);
      canvas.Fill({left_edge, 0, side, side}, Rgb(shade, shade, shade));
      left_edge += side;
    }
  }
  DrawMore(canvas);
}

void World::DrawBackground(Canvas& canvas) {
  const Rect all = OnScreen(0, static_cast<float>(height), static_cast<float>(width),
                            static_cast<float>(height));
  const Image& image =
      LoadImage(folder_, std::string(Backgrounds()[static_cast<std::size_t>(background_)]),
                ImageKind::kBackground);
  if (background_tiles < 0) {
    const auto ratio = static_cast<double>(-1 * background_tiles);
    const int count = std::max(1, static_cast<int>(all.height / (all.width * ratio)));
    const auto tile = static_cast<float>(all.height / count);
    for (int i = 0; i < count; ++i) {
      canvas.Draw({all.x, all.y + static_cast<double>(tile * static_cast<float>(i)),
                   static_cast<double>(static_cast<float>(all.width)), static_cast<double>(tile)},
                  image);
    }
    return;
  }
  // As high as the level; of what is wider, a part that the level draws is shown.
  const float picture = static_cast<float>(image.width) / static_cast<float>(image.height);
  const auto level_ratio = static_cast<float>(width * 1.0 / height);
  const auto offset = static_cast<double>(background_at_ * (picture - level_ratio));
  const auto wider = static_cast<double>(picture / level_ratio);
  canvas.Draw({all.x + all.width * -offset, all.y + all.height * 0, all.width * wider, all.height},
              image);
}

void World::DrawThings(Canvas& canvas, int layer) {
  for (const ThingPtr& one : things) {
    const Thing& thing = *one;
    if (thing.layer != layer || !IsShown(thing)) continue;
    Rect rect;
    if (thing.on_screen) {
      rect = OnView(view_ * (thing.x - thing.rx), view_ * (thing.y + thing.ry),
                    2 * view_ * thing.rx, 2 * view_ * thing.ry);
    } else {
      rect = OnScreen(thing.x - thing.rx, thing.y + thing.ry, 2 * thing.rx, 2 * thing.ry);
    }
    DrawOne(canvas, rect, thing.rotation, thing.mirrored, thing.image, thing.theme, thing.alpha,
            TileRatio(thing));
  }
}

void World::DrawOne(Canvas& canvas, const Rect& rect, float rotation, bool mirrored, int kind,
                    int theme, float alpha, float tile_ratio) {
  const int image = ImageOf(kind);
  if (image < 0) return;
  if (settings.monochrome_assets || image >= kPictures) {
    if (image != kSpace) DrawPlain(canvas, rect, image, theme);
    return;
  }
  const Image& picture = Picture(image, theme, mirrored);
  const Rect place = PictureRect(image, rect);
  const auto opacity = static_cast<double>(alpha);
  if (rotation != 0) {
    canvas.DrawRotated(place, picture, rotation, opacity);
    return;
  }
  if (tile_ratio == 0) {
    canvas.Draw(place, picture, opacity);
    return;
  }
  // Side by side, or above one another where the ratio is negative.
  const bool across = tile_ratio > 0;
  const auto ratio = static_cast<double>(across ? tile_ratio : -1 * tile_ratio);
  const int count = std::max(1, static_cast<int>(across ? place.width / (place.height * ratio)
                                                        : place.height / (place.width * ratio)));
  const auto tile = static_cast<float>((across ? place.width : place.height) / count);
  const auto other = static_cast<double>(static_cast<float>(across ? place.height : place.width));
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<double>(tile * static_cast<float>(i));
    canvas.Draw(across ? Rect{place.x + at, place.y, static_cast<double>(tile), other}
                       : Rect{place.x, place.y + at, other, static_cast<double>(tile)},
                picture, opacity);
  }
}

void World::DrawPlain(Canvas& canvas, const Rect& rect, int kind, int theme) const {
  constexpr int kSteps = 4, kColors = kSteps * kSteps * kSteps, kChunk = 256 / kSteps;
  const int color = (29 * (kind + 1) % kColors + 19 * Shown(theme, kind)) % kColors;
  const auto part = [](int step) { return kChunk * (step % kSteps + 1) - 1; };
  canvas.Fill(rect, Rgb(part(color / (kSteps * kSteps)), part(color / kSteps), part(color)));
}

void World::Fields(Codec& codec) {
  std::int32_t version = 0, plain_assets = 0, physics_mode = 0;
  bool waiting = false, generated_background = false;
  std::string name(settings.game->name);
  codec(version, name, settings.paint_vel_info, settings.generated_assets,
        settings.monochrome_assets, settings.restrict_themes, settings.backgrounds, center_agent,
        settings.debug_mode, settings.mode, settings.sequential_levels, settings.easy_jump,
        plain_assets, physics_mode, by_cells, level_low, level_high, game_type_, game_number_,
        level_random, random, reward, done, level_complete, action_, timeout, level, previous_level,
        episodes_left_, episode_done_, reward_timer_, last_reward_, default_action_, asset_seed_,
        time, waiting, grid_size_);
  auto count = static_cast<std::int32_t>(things.size());
  codec(count);
  if (codec.reads()) {
    things.clear();
    for (int i = 0; i < count; ++i) things.push_back(std::make_shared<Thing>());
  }
  for (const ThingPtr& thing : things) {
    thing->Fields(codec);
    if (thing->kind == kAgent) agent = thing;
  }
  codec(generated_background, background_, background_tiles, background_at_, char_size_, last_move,
        move, special, mix, max_speed, max_jump, action_x, action_y, action_spin, center_x_,
        center_y_, agent_starts_anywhere, shows_velocity, chance, asset_random_, width, height,
        outside, unit_, view_, x_off_, y_off_, visibility, least_visibility, grid_width_,
        grid_height_, grid_);
  OwnFields(codec);
  auto end = static_cast<std::int32_t>(0xcafecafeu);
  codec(end);
}

}  // namespace envpool::procgen
