// SPDX-License-Identifier: Apache-2.0
#include "engine/bounds.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "envpool/fork_local.h"
// The engine's headers.
#include "main.hpp"
#include "scene/resources/geometrydata.hpp"

namespace blunted {

void GeometryData::HaveBounds(const AABB& bounds) {
  for (const MaterializedTriangleMesh& mesh : triangleMeshes) delete[] mesh.vertices;
  triangleMeshes.clear();
  aabb.aabb = bounds;
  aabb.dirty = false;
}

}  // namespace blunted

namespace envpool::gfootball {

namespace {

/// The process's bounds, by the folder of the data and the file.
struct BoundsStore {
  std::mutex mutex;
  std::map<std::pair<std::string, std::string>, blunted::AABB> bounds;
};

std::pair<std::string, std::string> KeyOf(const std::string& file) {
  return {GetGameConfig().data_dir, file};
}

}  // namespace

bool TakeBounds(const std::string& file, blunted::GeometryData& mesh) {
  BoundsStore& store = ForkLocal<BoundsStore>::Get();
  const std::scoped_lock lock(store.mutex);
  const auto found = store.bounds.find(KeyOf(file));
  if (found == store.bounds.end()) return false;
  mesh.HaveBounds(found->second);
  return true;
}

void KeepBounds(const std::string& file, blunted::GeometryData& mesh) {
  mesh.HaveBounds(mesh.GetAABB());
  BoundsStore& store = ForkLocal<BoundsStore>::Get();
  const std::scoped_lock lock(store.mutex);
  store.bounds.emplace(KeyOf(file), mesh.GetAABB());
}

}  // namespace envpool::gfootball
