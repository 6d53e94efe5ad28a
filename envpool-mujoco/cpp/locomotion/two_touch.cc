// SPDX-License-Identifier: Apache-2.0
// two_touch: a rodent touches an orb, waits, and touches it again. TwoTouch of
// dm_control.locomotion.tasks.reach, as in the example rodent_two_touch.
//
// In dm_control all random numbers come from NumPy's global generator, which no seed of an
// environment reaches; here they come from the environment's own generator.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "dm_control/names.h"
#include "dm_control/vectors.h"
#include "locomotion/locomotion_task.h"
#include "locomotion/tasks.h"

namespace envpool::mujoco {
namespace {

enum class Logic : std::int64_t { kBefore, kOnce, kTwice, kTooSoon, kNoSecond };

/// The state of the orb in an episode.
struct Touches {
  bool once, twice;  // touched
  bool rewarded_once, rewarded_twice;
  bool timed_out;         // true after a failure
  bool again;             // true: the orb moves before the next step
  std::int8_t unused[2];  // padding, saved as it is
  Logic logic;
  double at;             // time of the touch
  double first, second;  // times of the rewarded, or missed, touches
};

class TwoTouch final : public LocomotionTask {
 public:
  explicit TwoTouch(const mjModel& model)
      : LocomotionTask(model, kRodent),
        orb_(Names(model).geom("target_0_0/geom")),
        orb_body_(Names(model).body("target_0_0/")),
        hands_{Names(model).body("walker/hand_L"), Names(model).body("walker/hand_R")},
        material_(model.geom_matid[orb_]) {
    for (int geom = 0; geom < model.ngeom; ++geom) {
      int body = model.geom_bodyid[geom];
      while (body > 0 && body != hands_[0] && body != hands_[1]) body = model.body_parentid[body];
      of_hand_.push_back(body > 0);
    }
    const char* names[] = {"init", "inter", "final"};
    for (int i = 0; i < 3; ++i) {
      const std::string name = std::string("target_0_0/target_sphere_") + names[i];
      textures_[i] = mj_name2id(&model, mjOBJ_TEXTURE, name.c_str());
    }
  }

  Layout Observations() const override {
    Layout layout = walker().Observations();
    layout.insert(layout.begin(), {"task_logic", {1}});
    return layout;
  }
  bool IsWhole(const std::string& observation) const override {
    return observation == "task_logic";
  }

  void Prepare(Physics& physics) override {
    const mjModel& model = physics.model();
    place_ = physics.Own(&mjModel::geom_pos, 3 * model.ngeom) + 3 * orb_;
    centre_ = physics.Own(&mjModel::body_ipos, 3 * model.nbody) + 3 * orb_body_;
    colour_ = physics.Own(&mjModel::mat_texid, mjNTEXROLE * model.nmat) + mjNTEXROLE * material_;
    // Its frame no longer equals its body's.
    physics.Own(&mjModel::geom_sameframe, model.ngeom)[orb_] = mjSAMEFRAME_NONE;
    // Its place before the first episode.
    place_[kX] = place_[kY] = 1;
    place_[kZ] = kHeight;
  }

  void Start(Physics& physics) override {
    // dm_control compiles the model with the orb at the last episode's place. Its center of mass
    // stays there and decides where MuJoCo searches for contacts.
    std::copy_n(place_, 3, centre_);
    // A hand that touches that place in the initial pose counts for this episode.
    physics.Touches();
    walker().Stand(physics);
    walker().Turn(physics, 2 * std::numbers::pi * physics.random().Random());
    PlaceOrb(physics);
    seen_ = touches_.logic;
    Touch(physics);
  }

  void Advance(Physics& physics, int steps) override {
    bool changed = touches_.again;
    if (touches_.again) PlaceOrb(physics);
    StepByStep(physics, steps, [&] { changed = Touch(physics) || changed; });
    // In dm_control, writing into the model makes everything be recomputed.
    if (changed) physics.ForwardWithActuators();
    seen_ = touches_.logic;
    reward_ = Judge(physics);
  }

  double* Observe(const Physics& physics, double* out) const override {
    *out++ = static_cast<double>(seen_);
    return walker().Observe(physics, out);
  }
  double Reward(const Physics&) const override { return reward_; }

  void Save(envpool::StateWriter& out) const override { out.Write(touches_, seen_, reward_); }
  void Load(envpool::StateReader& in) override { in.Read(touches_, seen_, reward_); }

 private:
  static constexpr double kHeight = 0.14, kArea = 1.5;        // metres
  static constexpr double kInterval = 0.8, kTolerance = 0.1;  // seconds
  static constexpr double kFailure = 1.2, kDelay = 0, kDebounce = 0.2;
  static constexpr double kWorth = 25;

  /// _randomize_targets.
  void PlaceOrb(Physics& physics) {
    for (const int i : {kX, kY}) place_[i] = kArea * physics.random().Uniform(-1, 1);
    place_[kZ] = kHeight;
    touches_ = {};
    Paint(0);
  }
  void Paint(int texture) { std::fill_n(colour_, mjNTEXROLE, textures_[texture]); }

  /// _update_activation of TargetSphereTwoTouch. Returns true if it was painted.
  bool Touch(const Physics& physics) {
    if (touches_.once && touches_.twice) return false;
    const mjData& data = physics.data();
    bool painted = false;
    for (int i = 0; i < data.ncon; ++i) {
      const int a = data.contact[i].geom[0], b = data.contact[i].geom[1];
      if (a != orb_ && b != orb_) continue;
      if (!IsOfHand(a) && !IsOfHand(b)) continue;
      if (!touches_.once) {
        touches_.once = painted = true;
        touches_.at = data.time;
        Paint(1);
      }
      if (data.time > touches_.at + kDebounce) {
        touches_.twice = painted = true;
        Paint(2);
      }
    }
    return painted;
  }
  bool IsOfHand(int geom) const { return geom >= 0 && of_hand_[static_cast<std::size_t>(geom)]; }

  /// get_reward.
  double Judge(const Physics& physics) {
    const double left = Nearness(physics, hands_[0]), right = Nearness(physics, hands_[1]);
    double reward = .01 * std::max(left, right) * kWorth;
    Touches& t = touches_;
    const double now = physics.data().time;
    switch (t.logic) {
      case Logic::kBefore:
        if (t.once && !t.rewarded_once) {
          t.first = now;
          t.logic = Logic::kOnce;
          t.rewarded_once = true;
          reward += kWorth;
        }
        break;
      case Logic::kOnce:
        if (t.twice && !t.rewarded_twice) {
          t.second = now;
          t.logic = Logic::kTwice;
          t.rewarded_twice = true;
          if (now - t.first < kInterval - kTolerance) {
            t.timed_out = true;
            t.logic = Logic::kTooSoon;
          } else if (now - t.first <= kInterval + kTolerance) {
            reward += kWorth;
          }
        }
        // Also after a late second touch, which was no success.
        if (now - t.first > kInterval + kTolerance) {
          t.timed_out = true;
          t.logic = Logic::kNoSecond;
          t.second = now;
        }
        break;
      default:
        if (t.timed_out) {
          if (now > t.second + kFailure) t.timed_out = false;
        } else if (now > t.second + kDelay) {
          t.again = true;
        }
    }
    return reward;
  }
  double Nearness(const Physics& physics, int hand) const {
    const Vec3 away = Difference(physics.xpos(hand), physics.geom_xpos(orb_));
    double sum = 0;
    for (const double x : away) sum += std::fabs(x);
    return std::exp(-3. * sum);
  }

  const int orb_, orb_body_;
  const int hands_[2];
  const int material_;
  int textures_[3];
  std::vector<bool> of_hand_;  // by geom
  mjtNum *place_ = nullptr, *centre_ = nullptr;
  int* colour_ = nullptr;
  Touches touches_{};
  Logic seen_ = Logic::kBefore;  // before the step's reward
  double reward_ = 0;
};

}  // namespace

std::unique_ptr<Task> MakeTwoTouch(const mjModel& model) {
  return std::make_unique<TwoTouch>(model);
}

}  // namespace envpool::mujoco
