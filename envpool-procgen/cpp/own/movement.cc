// SPDX-License-Identifier: Apache-2.0
// The movement of entities, and their collisions.
#include <algorithm>
#include <cmath>

#include "own/game.h"

namespace envpool::procgen {

bool Game::IsOutside(const Entity& e) const {
  return e.x + e.rx < 0 || e.y + e.ry < 0 || e.x - e.rx > static_cast<float>(width_) ||
         e.y - e.ry > static_cast<float>(height_);
}

bool Game::TouchesAgent(const Entity& entity) const {
  return entity.type != kPlayer && Touch(entity, agent(), entity.margin);
}

bool Game::TouchesAny(const Entity& entity) const {
  for (int i = entities_.size() - 1; i >= 0; --i) {
    if (!entities_[i].avoids && Touch(entity, entities_[i], 0)) return true;
  }
  return false;
}

void Game::MoveEntities() {
  for (int i = entities_.size() - 1; i >= 0; --i) {
    Entity& entity = entities_[i];
    if (entity.collides) Move(entity);
    entity.Step();
  }
}

void Game::Move(Entity& entity) {
  if (entity.erased) return;
  constexpr int kFewestParts = 4;
  int parts = 1;
  if (!grid_step_) {
    const float square = entity.vx * entity.vx + entity.vy * entity.vy;
    parts = std::max(static_cast<int>(4 * std::sqrt(static_cast<double>(square))), kFewestParts);
  }
  const auto part = static_cast<float>(1.0 / parts);
  const float difference = std::fabs(entity.vx) - std::fabs(entity.vy);
  bool x_first = difference == 0 ? step_draw_ % 2 == 0 : difference > 0;
  if (entity.type == kPlayer) {
    if (action_vx_ != 0) x_first = true;
    if (action_vy_ != 0) x_first = false;
  }
  int free_x = 0, free_y = 0;
  for (int i = 0; i < parts; ++i) {
    bool blocked_x = false, blocked_y = false;
    if (x_first) blocked_x = MovePart(entity, entity.vx * part, 0);
    blocked_y = MovePart(entity, 0, entity.vy * part);
    if (!x_first) blocked_x = MovePart(entity, entity.vx * part, 0);
    if (!blocked_x) ++free_x;
    if (!blocked_y) ++free_y;
    if (blocked_x && blocked_y) break;
  }
  entity.vx *= static_cast<float>(free_x) / static_cast<float>(parts);
  entity.vy *= static_cast<float>(free_y) / static_cast<float>(parts);
}

// Moves along one axis; a move of (0, 0) counts as a move along y. Returns true if it was blocked.
bool Game::MovePart(Entity& e, float dx, float dy, int depth) {
  if (e.erased) return false;
  float x = e.x + dx, y = e.y + dy;
  const bool horizontal = dx != 0;
  constexpr float kCorner = 0.98f;
  bool blocked = false, reflected = false;
  for (const int i : {-1, 1}) {
    for (const int j : {-1, 1}) {
      const int type = CellAt(x + e.rx * kCorner * static_cast<float>(i),
                              y + e.ry * kCorner * static_cast<float>(j));
      blocked = blocked || Blocks(e, type, horizontal);
      reflected = reflected || Reflects(e.type, type);
    }
  }
  const bool forward = horizontal ? dx > 0 : dy > 0, backward = horizontal ? dx < 0 : dy < 0;
  float& moved = horizontal ? x : y;
  float& speed = horizontal ? e.vx : e.vy;
  const float radius = horizontal ? e.rx : e.ry;
  if (reflected) {
    const float edge = backward ? moved - radius : moved + radius;
    const float inside = backward ? std::ceil(edge) - edge : std::floor(edge) - edge;
    speed = -speed;
    moved = moved + 2 * inside;
  } else if (blocked) {
    if (grid_step_) {
      moved = horizontal ? e.x : e.y;
    } else {
      moved = forward ? std::floor(moved + radius) - radius : std::ceil(moved - radius) + radius;
    }
  }
  e.x = x;
  e.y = y;
  bool blocked_by_entity = false;
  for (int i = entities_.size() - 1; i >= 0; --i) {
    Entity& other = entities_[i];
    if (&other == &e || other.erased || !Touch(e, other, -0.001f)) continue;
    if (BlocksEntity(e, other, horizontal)) {
      Push(other, e, horizontal, depth);
      blocked_by_entity = true;
    } else if (Reflects(e.type, other.type)) {
      float& place = horizontal ? e.x : e.y;
      const float away = horizontal ? other.x - e.x : other.y - e.y;
      const float reach = horizontal ? other.rx + e.rx : other.ry + e.ry;
      place += forward ? -2 * (reach - away) : 2 * (reach + away);
      speed = -speed;
    }
  }
  return blocked || blocked_by_entity;
}

void Game::Push(const Entity& pusher, Entity& pushed, bool horizontal, int depth) {
  constexpr int kMostDepth = 5;
  const float from = horizontal ? pusher.x : pusher.y;
  const float place = horizontal ? pushed.x : pushed.y;
  const float reach = horizontal ? pusher.rx + pushed.rx : pusher.ry + pushed.ry;
  const float away = place - from;
  const double side = away > 0 ? 1 : away < 0 ? -1 : 0;
  const auto by = static_cast<float>(double{from} + side * double{reach} - double{place});
  if (depth < kMostDepth) MovePart(pushed, horizontal ? by : 0, horizontal ? 0 : by, depth + 1);
  (horizontal ? pushed.vx : pushed.vy) = 0;
}

void Game::MeetAll() {
  for (int i = entities_.size() - 1; i >= 0; --i) {
    Entity& entity = entities_[i];
    if (TouchesAgent(entity)) MeetAgent(entity);
    if (entity.meets_entities) {
      for (int j = entities_.size() - 1; j >= 0; --j) {
        Entity& other = entities_[j];
        if (i != j && Touch(entity, other, entity.margin) && !entity.erased && !other.erased) {
          Meet(entity, other);
        }
      }
    }
    if (entity.collides) MeetCells(entity);
  }
}

void Game::MeetCells(Entity& entity) {
  constexpr float kLess = -0.001f;
  const float rx = entity.rx + kLess, ry = entity.ry + kLess;
  const auto left = static_cast<int>(entity.x - rx), right = static_cast<int>(entity.x + rx);
  const auto low = static_cast<int>(entity.y - ry), high = static_cast<int>(entity.y + ry);
  for (int x = left; x <= right; ++x) {
    for (int y = low; y <= high; ++y) {
      const int object = Cell(x, y);
      if (object != kSpace) MeetCell(entity, object, x, y);
    }
  }
}

void Game::EraseGone() {
  for (int i = entities_.size() - 1; i >= 0; --i) {
    const Entity& entity = entities_[i];
    if (entity.erased || (entity.leaves && IsOutside(entity))) entities_.Erase(i);
  }
}

}  // namespace envpool::procgen
