// SPDX-License-Identifier: Apache-2.0
#include "engine/animations.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "envpool/fork_local.h"
// The engine's headers.
#include "main.hpp"
#include "onthepitch/player/humanoid/animcollection.hpp"

namespace envpool::gfootball {

namespace {

struct Animations {
  std::shared_ptr<AnimCollection> collection;
  std::map<Animation*, std::vector<Vector3>> positions;  ///< positions of the player, by frame
};

/// Computes the lazily computed values of animations' beginnings and ends.
void ComputeAll(Animation& animation) {
  animation.DirtyCache();  // as the original does before each match
  animation.GetTranslation();
  animation.GetIncomingMovement();
  animation.GetIncomingVelocity();
  animation.GetOutgoingMovement();
  animation.GetOutgoingVelocity();
  animation.GetOutgoingAngle();
  animation.GetIncomingBodyAngle();
  animation.GetOutgoingBodyAngle();
  animation.GetOutgoingDirection();
  animation.GetIncomingBodyDirection();
  animation.GetOutgoingBodyDirection();
}

/// The process's animations, by the folder of the data.
class AnimationStore {
 public:
  const Animations& In(const std::string& folder) {
    const std::scoped_lock lock(mutex_);
    const auto found = animations_.find(folder);
    return found != animations_.end() ? found->second
                                      : animations_.emplace(folder, Read()).first->second;
  }

 private:
  /// Reads them through the thread's game, which knows the folder.
  static Animations Read() {
    Animations read{std::make_shared<AnimCollection>(), {}};
    read.collection->Load();
    for (Animation* animation : read.collection->GetAnimations()) {
      ComputeAll(*animation);
      std::vector<Vector3>& positions = read.positions[animation];
      for (int frame = 0; frame < animation->GetFrameCount(); ++frame) {
        Quaternion orientation;
        Vector3 position;
        animation->GetKeyFrame(player, frame, orientation, position);
        position.coords[2] = 0;
        positions.push_back(position);
      }
    }
    return read;
  }

  std::mutex mutex_;
  std::map<std::string, Animations> animations_;
};

}  // namespace

void TakeAnimations() {
  const Animations& animations = ForkLocal<AnimationStore>::Get().In(GetGameConfig().data_dir);
  GameContext& context = GetContext();
  context.anims = animations.collection;
  context.animPositions = &animations.positions;
  context.animOrder.resize(animations.collection->GetAnimations().size());
}

}  // namespace envpool::gfootball
