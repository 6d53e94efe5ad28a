// SPDX-License-Identifier: Apache-2.0
// Entity: a thing in a level that is not a cell of its grid. EntityList: a level's entities.
#pragma once

#include <cmath>
#include <cstddef>
#include <deque>
#include <vector>

namespace envpool::procgen {

/// Numbers of things that every game has; a game adds its own.
enum Thing : int {
  kNothing = -1,
  kPlayer = 0,
  kWall = 51,
  kExitMark = 52,
  kAgentMark = 53,
  kExplosion = 54,
  kLastExplosion = 58,
  kTrail = 59,
  kSpace = 100,
  kDoorMark = 200,
  kKeyMark = 300,
};

struct Entity {
  float x = 0, y = 0, vx = 0, vy = 0, rx = 0, ry = 0;  ///< cells; y upwards
  int type = 0, image_type = 0, theme = 0, layer = 0;
  bool erased = false;          ///< true: removed from the list at the end of the step
  bool meets_entities = false;  ///< true: the game is told of other entities that it touches
  float margin = 0;
  float rotation = 0, spin = 0;
  bool mirrored = false;
  int fire_time = -1, spawn_time = -1, life_time = 0, expire_time = -1;
  bool of_view = false;  ///< true: x, y and radii are fractions of the view
  float friction = 1;
  bool collides = false;  ///< true: cells and entities may block it
  bool avoids = false, leaves = true;
  float alpha = 1, health = 1, theta = -100, growth = 1, fading = 1, climber_spawn_x = 0;

  Entity() = default;
  Entity(float at_x, float at_y, float speed_x, float speed_y, float radius_x, float radius_y,
         int kind)
      : x(at_x),
        y(at_y),
        vx(speed_x),
        vy(speed_y),
        rx(radius_x),
        ry(radius_y),
        type(kind),
        image_type(kind) {
    if (kind == kExplosion) {
      growth = 1.4f;
      expire_time = 4;
    } else if (kind == kTrail) {
      growth = 1.05f;
      fading = 0.8f;
    }
  }

  /// The part of a step that all games share.
  void Step() {
    if (!collides) {
      x += vx;
      y += vy;
    }
    rotation += spin;
    vx *= friction;
    vy *= friction;
    ++life_time;
    if (expire_time > 0 && life_time > expire_time) erased = true;
    if (type == kExplosion && image_type < kLastExplosion) ++image_type;
    rx *= growth;
    ry *= growth;
    alpha *= fading;
  }
  /// Writes or reads it.
  template <typename Io>
  void Exchange(Io& io) {
    io(x, y, vx, vy, rx, ry, type, image_type, theme, layer, erased, meets_entities, margin,
       rotation, spin, mirrored, fire_time, spawn_time, life_time, expire_time, of_view, friction,
       collides, avoids, leaves, alpha, health, theta, growth, fading, climber_spawn_x);
  }
  /// Rotates the entity into the direction (dx, dy).
  void Face(float dx, float dy, float offset = 0) {
    if (dx != 0 || dy != 0) rotation = offset - std::atan2(dy, dx);
  }
};

inline bool Touch(const Entity& a, const Entity& b, float margin) {
  return std::fabs(a.x - b.x) < (a.rx + b.rx) + margin &&
         std::fabs(a.y - b.y) < (a.ry + b.ry) + margin;
}

/// Entities in their order. Each stays at its address until the list is cleared; the agent stays
/// for ever, also after it was removed from the list.
class EntityList {
 public:
  /// Removes all entities and adds the agent first.
  Entity& Begin(const Entity& agent) {
    Clear();
    agent_ = agent;
    order_.push_back(&agent_);
    return agent_;
  }
  void Clear() {
    order_.clear();
    used_ = 0;
    free_.clear();
    erased_.clear();
  }
  Entity& Add(const Entity& entity) {
    order_.push_back(Take());
    return *order_.back() = entity;
  }
  /// Same as Begin, but adds the agent at the end of the list.
  void AddAgent(const Entity& agent) {
    agent_ = agent;
    order_.push_back(&agent_);
  }
  /// Removes an entity; it stays readable until Recycle.
  void Erase(int index) {
    Entity* const gone = order_[static_cast<std::size_t>(index)];
    order_.erase(order_.begin() + index);
    if (gone != &agent_) erased_.push_back(gone);
  }
  void Recycle() {
    free_.insert(free_.end(), erased_.begin(), erased_.end());
    erased_.clear();
  }

  int size() const { return static_cast<int>(order_.size()); }
  Entity& operator[](int index) { return *order_[static_cast<std::size_t>(index)]; }
  const Entity& operator[](int index) const { return *order_[static_cast<std::size_t>(index)]; }
  Entity& agent() { return agent_; }
  const Entity& agent() const { return agent_; }

 private:
  Entity* Take() {
    if (!free_.empty()) {
      Entity* const entity = free_.back();
      free_.pop_back();
      return entity;
    }
    if (used_ == memory_.size()) memory_.emplace_back();
    return &memory_[used_++];
  }

  Entity agent_;
  std::deque<Entity> memory_;
  std::size_t used_ = 0;
  std::vector<Entity*> order_, free_, erased_;
};

}  // namespace envpool::procgen
