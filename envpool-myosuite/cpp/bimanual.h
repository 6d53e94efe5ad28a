// SPDX-License-Identifier: Apache-2.0
// Pass an object from a hand to a prosthesis, which puts it down. BimanualEnvV1 of myosuite 2.12.2.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "joint_list.h"
#include "muscle_env.h"
#include "touches.h"

namespace envpool::myosuite {

struct BimanualSpec : MuscleSpec<BimanualSpec> {
  static constexpr Motors kMotors = Motors::kOfRange;

  static auto DefaultConfig() {
    return MuscleOptions("envs/myo/assets/arm/myoarm_bionic_bimanual.xml", 10) +
           Dict{"obj_scale_change"_ = std::vector<double>{0.1, 0.05, 0.1},
                "obj_mass_change"_ = std::vector<double>{-0.05, 0.05},
                "obj_friction_change"_ = std::vector<double>{0.1, 0.001, 0.00002}};
  }
  static SharedModel Model(const auto& config) { return TaskModel(config); }
  static auto StateSpec(const auto& config) {
    const SharedModel model = Model(config);
    const std::vector<double>& scale = config["obj_scale_change"_];
    CheckChanges("obj_scale_change", scale, 3);
    for (const double change : scale) {
      if (change < 1) continue;
      throw OptionError("obj_scale_change", std::to_string(change), "shares below 1",
                        "pass a smaller one");
    }
    CheckRange("obj_mass_change", config["obj_mass_change"_]);
    CheckChanges("obj_friction_change", config["obj_friction_change"_], 3);
    if (model->nkey < 3) {
      throw OptionError("xml_file", std::to_string(model->nkey) + " keyframes", "3 or more",
                        "pass such a model");
    }
    const int joints = 2 * (Joints(*model).size() + ProsthesisJoints(*model).size());
    return MuscleState(config, model, 1 + joints + 7 + 6 + 5);
  }
  static auto ActionSpec(const auto& config) { return MuscleActions(*Model(config)); }
  /// The joints of the arm with muscles.
  static JointList Joints(const mjModel& model) {
    return JointList(model, [](std::string_view name) {
      return !name.starts_with("prosthesis") && name != "manip_object/freejoint";
    });
  }
  static JointList ProsthesisJoints(const mjModel& model) {
    return JointList(model, [](std::string_view name) { return name.starts_with("prosthesis"); });
  }
};

class Bimanual final : public MuscleEnv<BimanualSpec> {
 public:
  Bimanual(const Spec& spec, int env_id)
      : MuscleEnv(spec, env_id),
        scale_change_(spec.config["obj_scale_change"_]),
        friction_change_(spec.config["obj_friction_change"_]),
        joints_(BimanualSpec::Joints(model())),
        prosthesis_(BimanualSpec::ProsthesisJoints(model())),
        object_(mujoco::BodyOf(model(), "manip_object")),
        start_(mujoco::BodyOf(model(), "start")),
        goal_(mujoco::BodyOf(model(), "goal")),
        geom_(model().body_geomadr[object_] + 1),
        object_place_(mujoco::PlaceOf(model(), "manip_object/freejoint")),
        object_speed_(mujoco::VelocityOf(model(), "manip_object/freejoint")),
        palm_(mujoco::SiteOf(model(), "S_grasp")),
        centre_(mujoco::SiteOf(model(), "touch_site")),
        tips_{mujoco::SiteOf(model(), "THtip"), mujoco::SiteOf(model(), "IFtip"),
              mujoco::SiteOf(model(), "MFtip"), mujoco::SiteOf(model(), "RFtip"),
              mujoco::SiteOf(model(), "LFtip")},
        grip_{mujoco::SiteOf(model(), "prosthesis/palm_thumb"),
              mujoco::SiteOf(model(), "prosthesis/palm_pinky")},
        places_(OwnBodies(&mjModel::body_pos, 3)),
        masses_(OwnBodies(&mjModel::body_mass, 1)),
        frictions_(OwnGeoms(&mjModel::geom_friction, 3)),
        sizes_(OwnGeoms(&mjModel::geom_size, 3)) {
    if (model().body_geomnum[object_] < 2) {
      throw OptionError("xml_file", "an object of one geom", "one with a second, which is held",
                        "pass such a model");
    }
    const std::vector<double>& mass = spec.config["obj_mass_change"_];
    mass_ = {masses_[object_] + mass[0], masses_[object_] + mass[1]};
    if (mass_[0] < kLeastMass) {
      throw OptionError("obj_mass_change", std::to_string(mass[0]),
                        "more than what the object has: " + std::to_string(masses_[object_]),
                        "pass a larger one");
    }
    for (int body = 0; body < simulation().sizes().nbody; ++body) {
      const char* const text = mj_id2name(&model(), mjOBJ_BODY, body);
      const std::string name = text == nullptr ? "" : text;
      if (name.starts_with("prosthesis/")) prosthesis_bodies_.Add(body);
      const bool thing = name == "start" || name == "goal" || name == "manip_object";
      if (!thing && !name.starts_with("prosthesis")) bodies_.Add(body);
    }
  }

 private:
  enum Touch : std::size_t { kHand, kProsthesis, kStart, kGoal, kOther };
  /// A vector from one body to another.
  struct Span {
    int first = -1, last = -1;
    void Add(int body) {
      if (first < 0) first = body;
      last = body;
    }
    bool Has(int body) const { return first <= body && body <= last && first >= 0; }
  };

  void Start() override {
    PutAround(start_, {-0.4, -0.25, 1.05}, 0.055);
    PutAround(goal_, {0.4, -0.25, 1.05}, 0.098);
    steps_at_goal_ = 0;
    masses_[object_] = gen_.Uniform(mass_[0], mass_[1]);
    const mjModel& file = *simulation().shared();
    DrawAround(file.geom_friction + 3 * geom_, friction_change_, frictions_ + 3 * geom_);
    if (began_) {
      for (std::size_t i = 0; i < 3; ++i) {
        const double change = gen_.Uniform(-scale_change_[i], scale_change_[i]);
        const auto place = 3 * static_cast<std::size_t>(geom_) + i;
        sizes_[place] = file.geom_size[place] * (change + 1);
      }
    }
    began_ = true;  // in the first episode the object has the file's size, as in the reference
    std::copy_n(model().key_qpos + 2 * nq(), nq(), position().begin());
  }
  /// Draws x and y of a table, around its middle.
  void PutAround(int body, const std::array<double, 3>& middle, double far) {
    const double scales[] = {far, far, 0};
    for (std::size_t i = 0; i < 3; ++i) {
      const double share = 2 * gen_.Random() - 1;
      places_[3 * static_cast<std::size_t>(body) + i] = middle[i] + scales[i] * share;
    }
  }
  void Look(bool placed) override {
    if (!placed) SeeAll();
    touches_.fill(0);
    ForTouching(model(), data(), object_, [&](int geom) {
      const int body = model().geom_bodyid[geom];
      touches_[bodies_.Has(body)              ? kHand
               : prosthesis_bodies_.Has(body) ? kProsthesis
               : body == start_               ? kStart
               : body == goal_                ? kGoal
                                              : kOther] = 1;
    });
    if (placed) return;
    if (touches_[kGoal] == 1) ++steps_at_goal_;
    double away[3];
    const double goal[] = {places_[3 * goal_], places_[3 * goal_ + 1], 1.09};
    for (int i = 0; i < 3; ++i) away[i] = Site(centre_)[i] - goal[i];
    // An episode ends a step after it is solved, and so does the next episode, because the
    // reference keeps this flag over a reset.
    // this over a reset.
    ends_ = solved_;
    solved_ = mujoco::RowNorm(away, 3) < 0.17 && steps_at_goal_ >= 10;
  }
  double* Observe(double* out) const override {
    *out++ = data().time;
    for (const JointList* joints : {&joints_, &prosthesis_}) {
      out = joints->WritePositions(data(), out);
      for (const int place : joints->velocities) *out++ = data().qvel[place];
    }
    out = std::copy_n(data().qpos + object_place_, 7, out);
    out = std::copy_n(data().qvel + object_speed_, 6, out);
    return std::copy(touches_.begin(), touches_.end(), out);
  }
  Verdict Judge(const double* /*end*/, double effort) const override {
    std::array<double, 3> grip;
    for (std::size_t i = 0; i < 3; ++i) grip[i] = (Site(grip_[0])[i] + Site(grip_[1])[i]) / 2;
    double tips = 0;
    for (const int tip : tips_) tips += Away(Site(tip));
    const double reach = Away(Site(palm_)), prosthesis = Away(grip.data());
    const bool late = data().time > 10, falls = Site(centre_)[2] < 0.3;
    const double sum = ((-0.1 * (reach + std::log(reach + 1e-6)) + 0 * effort) +
                        -0.5 * (tips + std::log(tips + 1e-6))) +
                       -1 * (prosthesis + std::log(prosthesis + 1e-3));
    Verdict verdict{sum, 0, solved_, late || falls || ends_};
    if (!late && falls) verdict.time = 10.0;
    return verdict;
  }
  void SaveTask(StateWriter& out) const override {
    out.Write(touches_, steps_at_goal_, began_, solved_, ends_);
  }
  void LoadTask(StateReader& in) override {
    in.Read(touches_, steps_at_goal_, began_, solved_, ends_);
  }

  const double* Site(int site) const { return data().site_xpos + 3 * site; }
  /// The distance of a place from the object, in m.
  double Away(const double* place) const {
    double away[3];
    for (int i = 0; i < 3; ++i) away[i] = place[i] - Site(centre_)[i];
    return mujoco::RowNorm(away, 3);
  }

  const std::vector<double> scale_change_, friction_change_;
  const JointList joints_, prosthesis_;
  const int object_, start_, goal_, geom_, object_place_, object_speed_, palm_, centre_;
  const std::array<int, 5> tips_;
  const std::array<int, 2> grip_;
  mjtNum *const places_, *const masses_, *const frictions_, *const sizes_;
  std::array<double, 2> mass_{};  // from and to, in kg
  Span bodies_, prosthesis_bodies_;
  std::array<double, 5> touches_{};
  int steps_at_goal_ = 0;
  bool began_ = false, solved_ = false, ends_ = false;
};

}  // namespace envpool::myosuite
