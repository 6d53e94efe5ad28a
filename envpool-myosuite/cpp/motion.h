// SPDX-License-Identifier: Apache-2.0
// Motion: the reference motion of a hand and an object. ReferenceMotion of myosuite 2.12.2.
//
//   Motion motion(spec.config, 29);        // 29 joints and an object
//   motion.Seek(data.time, gen);
//   motion.joints()[0], motion.object()[2];
//
// With one row the goal is fixed. With two rows each number is drawn between them at each Seek.
// With more rows the motion is followed: a row holds until the time of the next row, the last row
// for ever.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "envpool/dict.h"
#include "envpool/error.h"
#include "envpool/random/numpy_random.h"
#include "envpool_mujoco/rotations.h"

namespace envpool::myosuite {
using namespace envpool::literals;

/// The options of a motion; the Python option `reference` is converted to them.
inline auto MotionOptions() {
  return Dict{"reference_time"_ = std::vector<double>{},
              "reference_robot"_ = std::vector<double>{},
              "reference_robot_vel"_ = std::vector<double>{},
              "reference_object"_ = std::vector<double>{},
              "robot_init"_ = std::vector<double>{},
              "object_init"_ = std::vector<double>{},
              "motion_start_time"_ = 0.0};
}

class Motion {
 public:
  static constexpr std::size_t kObject = 7;  // x, y, z, quaternion (w, x, y, z)

  /// `joints`: number of joints. `config` must outlive it. Throws OptionError unless all rows have
  /// fitting sizes, and with two rows no number of the first is above that of the second.
  template <typename Config>
  Motion(const Config& config, int joints)
      : count_(static_cast<std::size_t>(joints)),
        time_(config["reference_time"_]),
        robot_(config["reference_robot"_]),
        velocity_(config["reference_robot_vel"_]),
        object_(config["reference_object"_]),
        robot_init_(config["robot_init"_]),
        object_init_(config["object_init"_]),
        start_time_(config["motion_start_time"_]),
        robot_rows_(RowsOf("reference_robot", robot_, count_)),
        object_rows_(RowsOf("reference_object", object_, kObject)) {
    if (!velocity_.empty() && velocity_.size() != robot_.size()) {
      RefuseCount("reference_robot_vel", velocity_.size(),
                  "as many as reference_robot, " + std::to_string(robot_.size()) + ", or none");
    }
    const std::size_t rows = std::max(robot_rows_, object_rows_);
    if (std::min(robot_rows_, object_rows_) != 1 && robot_rows_ != object_rows_) {
      throw OptionError("reference_robot",
                        std::to_string(robot_rows_) + " rows, where `reference_object` has " +
                            std::to_string(object_rows_),
                        "as many rows in both, or one row in either",
                        "leave rows out, or add some");
    }
    if (rows > 2 && time_.size() != rows) {
      RefuseCount("reference_time", time_.size(),
                  "one for each of the " + std::to_string(rows) + " rows");
    }
    if (rows > 2 && !std::is_sorted(time_.begin(), time_.end())) {
      throw OptionError("reference_time", "times that go back", "times in s that grow",
                        "sort the rows");
    }
    if (!robot_init_.empty() && robot_init_.size() != count_) {
      RefuseCount("robot_init", robot_init_.size(),
                  std::to_string(count_) + ", one for each joint");
    }
    if (!object_init_.empty() && object_init_.size() != kObject && object_init_.size() != 6) {
      RefuseCount("object_init", object_init_.size(),
                  "7: a place and a quaternion, or 6 with angles");
    }
    if (rows != 2) return;
    CheckOrder("reference_robot", robot_, count_);
    CheckOrder("reference_robot_vel", velocity_, count_);
    CheckOrder("reference_object", object_, kObject);
    const std::size_t velocities = has_velocities() ? count_ : 0;
    drawn_.resize(count_ + velocities + kObject);  // for one row as well as for two
  }

  /// True if the motion has velocities.
  bool has_velocities() const { return !velocity_.empty(); }
  /// Looks up the row of this time of an episode, or draws it.
  void Seek(double time, NumpyRandom& gen) {
    const std::size_t rows = std::max(robot_rows_, object_rows_);
    if (rows == 2) return Draw(gen);
    std::size_t row = 0;
    if (rows > 2) {
      const double now = Rounded(time + start_time_);
      while (row + 1 < rows && Rounded(time_[row + 1]) <= now) ++row;
    }
    const std::size_t robot_row = robot_rows_ > 1 ? row : 0;
    joints_ = robot_.data() + robot_row * count_;
    velocities_ = has_velocities() ? velocity_.data() + robot_row * count_ : nullptr;
    place_ = object_.data() + (object_rows_ > 1 ? row : 0) * kObject;
  }
  /// After a Seek: the joints' angles; their velocities, or null; and kObject numbers.
  const double* joints() const { return joints_; }
  const double* velocities() const { return velocities_; }
  const double* object() const { return place_; }

  /// Writes the initial state: the joints, then x, y, z and Euler angles of the object.
  void Begin(double* out) const {
    const double* joints = robot_init_.empty() ? robot_.data() : robot_init_.data();
    out = std::copy_n(joints, count_, out);
    const double* place = object_init_.empty() ? object_.data() : object_init_.data();
    mujoco::Quaternion turn;
    if (object_init_.size() == 6) {
      turn = mujoco::QuaternionOf(mujoco::Euler{place[3], place[4], place[5]});
    } else {
      std::copy_n(place + 3, 4, turn.begin());
    }
    const mujoco::Euler angles = mujoco::EulerOf(turn);
    out = std::copy_n(place, 3, out);
    std::copy(angles.begin(), angles.end(), out);
  }

 private:
  [[noreturn]] static void RefuseCount(const char* option, std::size_t got,
                                       const std::string& allowed) {
    throw OptionError(option, std::to_string(got) + " numbers", allowed,
                      "pass rows of the same length, one after the other");
  }
  /// For two rows, between which numbers are drawn; a single row needs no check.
  static void CheckOrder(const char* option, const std::vector<double>& rows, std::size_t width) {
    for (std::size_t i = 0; i + width < rows.size(); ++i) {
      if (rows[i] <= rows[width + i]) continue;
      throw OptionError(option,
                        std::to_string(rows[i]) + " and below it " +
                            std::to_string(rows[width + i]) + " in column " + std::to_string(i),
                        "a first row of least numbers, and a second of greatest ones",
                        "exchange the two");
    }
  }
  static std::size_t RowsOf(const char* option, const std::vector<double>& values,
                            std::size_t width) {
    if (values.empty() || values.size() % width != 0) {
      RefuseCount(option, values.size(), "rows of " + std::to_string(width) + " numbers");
    }
    return values.size() / width;
  }
  /// np.around(time, 4): times are compared without their last digits.
  static double Rounded(double time) { return std::nearbyint(time * 1e4) / 1e4; }
  void Draw(NumpyRandom& gen) {
    double* out = drawn_.data();
    const auto draw = [&](const std::vector<double>& rows, std::size_t count) {
      const double* const begin = out;
      const bool two = rows.size() == 2 * count;
      for (std::size_t i = 0; i < count; ++i) {
        *out++ = gen.Uniform(rows[i], rows[two ? count + i : i]);
      }
      return begin;
    };
    joints_ = draw(robot_, count_);
    velocities_ = has_velocities() ? draw(velocity_, count_) : nullptr;
    place_ = draw(object_, kObject);
  }

  const std::size_t count_;
  const std::vector<double>&time_, &robot_, &velocity_, &object_, &robot_init_, &object_init_;
  const double start_time_;
  const std::size_t robot_rows_, object_rows_;
  std::vector<double> drawn_;
  const double *joints_ = nullptr, *velocities_ = nullptr, *place_ = nullptr;
};

}  // namespace envpool::myosuite
