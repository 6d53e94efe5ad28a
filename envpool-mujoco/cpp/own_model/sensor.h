// SPDX-License-Identifier: Apache-2.0
// Sensor: a number that a model measures, by its name in the model.
//
//   const Sensor speed(model, "reward", "speed");         // <velocimeter name="speed" .../>
//   const Sensor height(model, "reward", "position[2]");  // a component
//   speed.Read(data);
#pragma once

#include <mujoco/mujoco.h>

#include <charconv>
#include <string>
#include <string_view>

#include "envpool/error.h"

namespace envpool::mujoco {

class Sensor {
 public:
  /// `option` is the option whose value names it. Throws OptionError if the model has no such
  /// sensor.
  Sensor(const mjModel& model, const std::string& option, const std::string& text) {
    const std::size_t bracket = text.find('[');
    const std::string name = text.substr(0, bracket);
    const int id = mj_name2id(&model, mjOBJ_SENSOR, name.c_str());
    if (id < 0) {
      throw envpool::OptionError(option, "'" + text + "'", "sensors of the model: " + Names(model),
                                 "name one of them, or add it to the model");
    }
    const int size = model.sensor_dim[id];
    int index = size == 1 && bracket == std::string::npos ? 0 : -1;
    if (bracket != std::string::npos && text.ends_with(']')) {
      std::from_chars(text.data() + bracket + 1, text.data() + text.size() - 1, index);
    }
    if (index < 0 || index >= size) {
      throw envpool::OptionError(
          option, "'" + text + "'", "one number: the sensor has " + std::to_string(size),
          "write '" + name + "[0]' .. '" + name + "[" + std::to_string(size - 1) + "]'");
    }
    address_ = model.sensor_adr[id] + index;
  }

  double Read(const mjData& data) const { return data.sensordata[address_]; }

 private:
  static std::string Names(const mjModel& model) {
    std::string names;
    for (int i = 0; i < static_cast<int>(model.nsensor); ++i) {
      const char* name = mj_id2name(&model, mjOBJ_SENSOR, i);
      if (name != nullptr) names += (names.empty() ? "'" : ", '") + std::string(name) + "'";
    }
    return names.empty() ? "it has none with a name" : names;
  }

  int address_ = 0;
};

}  // namespace envpool::mujoco
