// SPDX-License-Identifier: Apache-2.0
// The shared part of Humanoid and HumanoidStandup: an observation of the whole body, and its
// uniform start. Gymnasium's versions 5 and 4; version 5 leaves out parts that never change.
#pragma once

#include <limits>

#include "gymnasium/gymnasium_env.h"

namespace envpool::mujoco {

inline auto HumanoidBodyOptions(const char* xml_file) {
  return GymnasiumOptions(xml_file, 5) +
         envpool::Dict{"ctrl_cost_weight"_ = 0.1,
                       "reset_noise_scale"_ = 1e-2,
                       "exclude_current_positions_from_observation"_ = true,
                       "include_cinert_in_observation"_ = true,
                       "include_cvel_in_observation"_ = true,
                       "include_qfrc_actuator_in_observation"_ = true,
                       "include_cfrc_ext_in_observation"_ = true};
}

/// The array infos of version 5.
inline InfoNames WithTendons(InfoNames names, const ModelSizes& sizes) {
  names.push_back({"tendon_length", {sizes.ntendon}});
  names.push_back({"tendon_velocity", {sizes.ntendon}});
  return names;
}

template <typename Config>
int HumanoidBodySize(const Config& config, const ModelSizes& sizes) {
  const bool new_rules = config["version"_] >= 5;
  const int bodies = sizes.nbody - (new_rules ? 1 : 0);
  const int forces = sizes.nv - (new_rules ? 6 : 0);
  return sizes.nq + sizes.nv - (config["exclude_current_positions_from_observation"_] ? 2 : 0) +
         (config["include_cinert_in_observation"_] ? 10 * bodies : 0) +
         (config["include_cvel_in_observation"_] ? 6 * bodies : 0) +
         (config["include_qfrc_actuator_in_observation"_] ? forces : 0) +
         (config["include_cfrc_ext_in_observation"_] ? 6 * bodies : 0);
}

template <typename Description>
class HumanoidBody : public GymnasiumEnv<Description> {
 public:
  using Base = GymnasiumEnv<Description>;
  using Base::Base;

 protected:
  using Base::data;
  using Base::nbody;
  using Base::nq;
  using Base::nv;
  using Base::version;
  using typename Base::Infos;

  /// np.sum(np.square(data.ctrl)), in float64 like MuJoCo's data.
  double SquaredControls() const { return numpy::SumOfSquares(data().ctrl, this->nu()); }
  /// np.sum(np.square(data.cfrc_ext)).
  double SquaredForces() const { return numpy::SumOfSquares(data().cfrc_ext, 6 * nbody()); }
  void TellTendons(const Infos& info) const {
    info["tendon_length"].Assign(data().ten_length, this->model().ntendon);
    info["tendon_velocity"].Assign(data().ten_velocity, this->model().ntendon);
  }

 private:
  void Start() override {
    this->DrawPositions(this->spec_.config["reset_noise_scale"_]);
    this->DrawUniformVelocities(this->spec_.config["reset_noise_scale"_]);
  }
  bool ShowsBodyForces() const override { return true; }

  double* Observe(double* out) const override {
    const auto& config = this->spec_.config;
    const int skip = config["exclude_current_positions_from_observation"_] ? 2 : 0;
    const int world = version() >= 5 ? 1 : 0;  // number of bodies left out
    const int root = version() >= 5 ? 6 : 0;   // degrees of freedom without an actuator
    const int bodies = nbody() - world;
    out = this->Copy(data().qpos + skip, nq() - skip, out);
    out = this->Copy(data().qvel, nv(), out);
    if (config["include_cinert_in_observation"_]) {
      out = this->Copy(data().cinert + 10 * world, 10 * bodies, out);
    }
    if (config["include_cvel_in_observation"_]) {
      out = this->Copy(data().cvel + 6 * world, 6 * bodies, out);
    }
    if (config["include_qfrc_actuator_in_observation"_]) {
      out = this->Copy(data().qfrc_actuator + root, nv() - root, out);
    }
    if (config["include_cfrc_ext_in_observation"_]) {
      out = this->Copy(data().cfrc_ext + 6 * world, 6 * bodies, out);
    }
    return out;
  }
};

}  // namespace envpool::mujoco
