#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# highway-env 1.12.1: a TupleObservation of each of several agents shows all what the first one sees.
#
# MultiAgentObservation tells each agent's observation whose car it is, but a TupleObservation does
# not tell its parts, and they take the first car of the environment. With one observation an agent,
# each sees from its own car.
#
# Seen with Python 3.11, gymnasium 1.4.0 and NumPy 2.4.6. Fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "highway-env==1.12.1" "gymnasium==1.4.0" "numpy==2.4.6"
output=$(PYGAME_HIDE_SUPPORT_PROMPT=1 "$folder/venv/bin/python" - <<'PY'
import gymnasium
import highway_env  # noqa: F401 (registers the ids)

table = {"type": "Kinematics"}
for name, one in (
    ("Kinematics", table),
    ("TupleObservation", {"type": "TupleObservation", "observation_configs": [table]}),
):
    config = {
        "controlled_vehicles": 2,
        "observation": {"type": "MultiAgentObservation", "observation_config": one},
        "action": {"type": "MultiAgentAction", "action_config": {"type": "DiscreteMetaAction"}},
    }
    first, second = gymnasium.make("highway-fast-v0", config=config).reset(seed=1)[0]
    if name == "TupleObservation":
        (first,), (second,) = first, second
    print(name, "the same" if (first == second).all() else "each its own")
PY
)
echo "what the second of two agents sees"
echo "$output"
test "$output" = "Kinematics each its own
TupleObservation the same"
