// SPDX-License-Identifier: Apache-2.0
// Track: a hand and the object in it follow a motion. TrackEnv of myosuite 2.12.2.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>
#include <string>
#include <system_error>

#include "envpool/numpy_math.h"
#include "envpool_mujoco/rotations.h"
#include "motion.h"
#include "muscle_env.h"

namespace envpool::myosuite {

struct TrackSpec : MuscleSpec<TrackSpec> {
  static constexpr int kObjectJoints = 6;  // three slides and three hinges, after the hand's

  static auto DefaultConfig() {
    return MuscleOptions("envs/myo/assets/hand/myohand_object.xml", 10) + MotionOptions() +
           Dict{"object_name"_ = "airplane", "terminate_obj_fail"_ = true,
                "terminate_pose_fail"_ = false};
  }
  /// The model whose text has an object's name in place of OBJECT_NAME.
  static SharedModel Model(const auto& config) {
    const std::string &path = mujoco::ModelIn(config), &object = config["object_name"_];
    if (object.empty()) {
      throw OptionError("object_name", "''", "the name of an object", "pass one, as 'airplane'");
    }
    std::string text = path, name = "text", folder;
    if (!path.starts_with('<')) {
      std::error_code none;
      std::ifstream file(path, std::ios::binary);
      if (!file || !std::filesystem::is_regular_file(path, none)) {
        return TaskModel(config);  // this call throws the error
      }
      text.assign(std::istreambuf_iterator<char>(file), {});
      name = path;
      folder = std::filesystem::path(path).parent_path().string();
    }
    const std::string word = "OBJECT_NAME";
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
      text.replace(at, word.size(), object);
      at += object.size();
    }
    const std::string key = ModelStore::Add(name + " with object_name " + object, text, {}, folder);
    return WithCondition(ModelStore::Load(key), ConditionOf(config["muscle_condition"_]));
  }
  static auto StateSpec(const auto& config) {
    const SharedModel model = Model(config);
    if (model->nq != model->njnt || model->nq <= kObjectJoints) {
      throw OptionError("xml_file", "a model without a hand and an object on six joints",
                        "one whose joints are hinges and slides, the last six the object's",
                        "pass such a model");
    }
    const int joints = static_cast<int>(model->nq) - kObjectJoints;
    const Motion motion(config, joints);
    const int velocities = motion.has_velocities() ? joints : 1;
    const int size = static_cast<int>(model->nq + model->nv) + joints + velocities + 3;
    return MuscleState(config, model, size);
  }
  static auto ActionSpec(const auto& config) { return MuscleActions(*Model(config)); }
};

class Track final : public MuscleEnv<TrackSpec> {
 public:
  Track(const Spec& spec, int env_id)
      : MuscleEnv(spec, env_id),
        joints_(nq() - TrackSpec::kObjectJoints),
        motion_(spec.config, joints_),
        object_(mujoco::NumberOf(model(), mjOBJ_BODY, spec.config["object_name"_], "object_name")),
        wrist_(mujoco::BodyOf(model(), "lunate")),
        target_(mujoco::SiteOf(model(), "target")),
        ends_by_object_(spec.config["terminate_obj_fail"_]),
        ends_by_pose_(spec.config["terminate_pose_fail"_]) {
    // A bone that frames show at another place.
    const int bone = mujoco::NumberOf(model(), mjOBJ_GEOM, "body");
    simulation().Own(&mjModel::geom_rgba, 4 * static_cast<int>(model().ngeom))[4 * bone + 3] = 0;
    AtTheBeginning([this] { lifted_ = data().xipos[3 * object_ + 2] + 0.02; });
    motion_.Seek(0, gen_);  // like the reference's constructor, whose numbers are not observed
  }

 private:
  void Start() override { motion_.Begin(position().data()); }
  void Look(bool placed) override {
    motion_.Seek(data().time, gen_);
    std::copy_n(motion_.object(), 3, site_pos() + 3 * target_);
    Place();
    if (placed) simulation().Changed();  // the goal has moved since
  }
  void LookAgain() override { Place(); }
  double* Observe(double* out) const override {
    out = std::copy_n(data().qpos, nq(), out);
    out = std::copy_n(data().qvel, simulation().sizes().nv, out);
    for (int i = 0; i < joints_; ++i) *out++ = data().qpos[i] - motion_.joints()[i];
    if (motion_.has_velocities()) {
      for (int i = 0; i < joints_; ++i) *out++ = data().qvel[i] - motion_.velocities()[i];
    } else {
      *out++ = 0;
    }
    const double* const place = data().xipos + 3 * object_;
    for (int i = 0; i < 3; ++i) *out++ = place[i] - motion_.object()[i];
    return out;
  }
  Verdict Judge(const double* end, double /*effort*/) const override {
    const double *const away = end - 3, *const place = data().xipos + 3 * object_;
    const double* const goal = motion_.object();
    std::array<double, 3> base;
    for (std::size_t i = 0; i < 3; ++i) base[i] = place[i] - data().xipos[3 * wrist_ + i];
    const double distance = numpy::SumOfSquares(away, 3),
                 reach = numpy::SumOfSquares(base.data(), 3);
    const double turn = std::abs(Turn()) / std::numbers::pi;
    const double object = std::exp(-50.0 * (std::sqrt(distance) + 0.1 * turn));
    const double hand = std::exp(-40.0 * std::sqrt(reach));
    const double bonus = goal[2] >= lifted_ && place[2] >= lifted_ ? 1.0 : 0.0;
    const bool done = Fails(distance, reach, away);
    return {((object + hand) + bonus) + -2.0 * done, 0, false, done};
  }

  /// True if the object is too far from its goal or from the hand, or the hand from its pose (whose
  /// errors end before `away`).
  bool Fails(double distance, double reach, const double* away) const {
    if (ends_by_object_ && (distance >= 0.25 * 0.25 || reach >= 0.25 * 0.25)) return true;
    if (!ends_by_pose_) return false;
    const int velocities = motion_.has_velocities() ? joints_ : 1;
    return numpy::SumOfSquares(away - velocities - joints_, joints_) >= 0.75;
  }
  /// The angle from the goal's orientation to the object's, from 0 to 2 pi. The reference derives
  /// the object's quaternion from the eigenvectors of a matrix, with other last bits.
  double Turn() const {
    mjtNum q[4];
    mju_mat2Quat(q, data().ximat + 9 * object_);
    if (q[0] < 0) mju_scl(q, q, -1, 4);
    const double* const goal = motion_.object() + 3;
    const double g[] = {goal[0], -goal[1], -goal[2], -goal[3]};
    const double w = q[0] * g[0] - q[1] * g[1] - q[2] * g[2] - q[3] * g[3];
    const double axis[] = {q[0] * g[1] + q[1] * g[0] + q[2] * g[3] - q[3] * g[2],
                           q[0] * g[2] - q[1] * g[3] + q[2] * g[0] + q[3] * g[1],
                           q[0] * g[3] + q[1] * g[2] - q[2] * g[1] + q[3] * g[0]};
    return 2 * std::atan2(std::sqrt(numpy::SumOfSquares(axis, 3)), w);
  }

  const int joints_;
  Motion motion_;
  const int object_, wrist_, target_;
  const bool ends_by_object_, ends_by_pose_;
  double lifted_ = 0;  // height of a lifted object, in m
};

}  // namespace envpool::myosuite
