# SPDX-License-Identifier: Apache-2.0
"""Ends and successes that random actions never reach: options or a changed model cause them.

Both sides have the same options and the same model; nothing may differ, before the end and after.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import envpool
import mujoco
import myosuite_reference
import numpy as np
import pytest
from envpool.testing.fidelity import Comparison, StepResult
from envpool_mujoco import family


def _count_successes(comparison: Comparison, result: StepResult) -> None:
    solved = (side.info.get("solved", False) for side in result.references)
    comparison.count("successes", sum(map(bool, solved)))


def _both(task_id: str, steps: int, limit: int = 100, **options: Any) -> Any:
    """The differences with the same options, in two environments."""
    theirs = dict(options)
    if "xml_file" in theirs:
        theirs["model_path"] = theirs.pop("xml_file")
    found = myosuite_reference.compare(
        task_id, steps, 2, limit=limit, ours=options, theirs=theirs, also=_count_successes
    )
    assert found.equal, found.differing
    return found


def _changed(path: Path, file: str, change: Callable[[Any], None]) -> str:
    """A copy of a model with changes."""
    source = family.assets_of("myosuite", "envs", "") / file
    spec = mujoco.MjSpec.from_file(str(source))
    for name in ("meshdir", "texturedir"):
        folder = source.parent / getattr(spec.compiler, name)
        setattr(spec.compiler, name, str(folder.resolve()))
    change(spec)
    spec.compile()
    copy = path / "changed.xml"
    copy.write_text(spec.to_xml())
    return str(copy)


@pytest.mark.parametrize("task", ["CHASE", "EVADE"])
def test_the_opponent_is_caught_or_catches(task: str) -> None:
    """At once, at any place: a chase is won, and an evader has lost."""
    found = _both("myoChallengeChaseTagP1-v0", 4, win_distance=20.0, task_choice=task)
    assert found.counts["episodes"] == 4
    assert (found.counts["successes"] > 0) == (task == "CHASE")


@pytest.mark.full
@pytest.mark.parametrize("task", ["CHASE", "EVADE"])
def test_the_twentieth_second(tmp_path: Path, task: str) -> None:
    """Then an evader has won, and a chaser has lost. No agent falls or moves away."""

    def held(spec: Any) -> None:
        spec.option.gravity = [0, 0, 0]
        spec.joint("root").damping = [1e6, 0, 0]

    model = _changed(tmp_path, "myo/assets/leg/myolegs_chasetag.xml", held)
    options = {"win_distance": 0.0, "task_choice": task, "frame_skip": 40, "xml_file": model}
    found = _both("myoChallengeChaseTagP1-v0", 510, limit=1000, **options)
    assert found.counts["episodes"] == 2
    assert found.counts["successes"] == (2 if task == "EVADE" else 0)


def test_a_goal(tmp_path: Path) -> None:
    """The ball begins behind the line; the goalkeeper always follows it."""

    def behind_the_line(spec: Any) -> None:
        place = list(spec.keys[0].qpos)
        place[:3] = [50.5, 1.0, 0.5]
        spec.keys[0].qpos = place

    model = _changed(tmp_path, "myo/assets/leg_soccer/myolegs_soccer.xml", behind_the_line)
    options = {"xml_file": model, "goalkeeper_probabilities": [1.0, 0.0, 0.0]}
    found = _both("myoChallengeSoccerP1-v0", 4, **options)
    assert found.counts["episodes"] == found.counts["successes"] == 4


def test_the_goalkeeper_goes_where_the_ball_is() -> None:
    """It is not observed: its place is in the saved state, among those of bodies."""
    name, blocks = "myoChallengeSoccerP1-v0", [1.0, 0.0, 0.0]
    env = myosuite_reference.make_reference(name, 3, goalkeeper_probabilities=blocks)
    places = set()
    with envpool.make(name, seed=3, goalkeeper_probabilities=blocks) as pool:
        myosuite_reference.reset(env)
        pool.reset()
        action = np.zeros((1, *pool.action_space.shape), np.float32)
        for _ in range(10):
            myosuite_reference.step(env, action[0])
            pool.step(action)
            place = env.goalkeeper.mj_data.mocap_pos[0]
            assert place.tobytes() in pool.save_state()[0]
            places.add(place[1])
    assert len(places) == 10


def test_the_tenth_second_of_soccer() -> None:
    found = _both("myoChallengeSoccerP2-v0", 8, max_time_sec=0.025)
    assert found.counts["episodes"] == 4
    assert found.counts["successes"] == 0


def test_a_ball_is_returned(tmp_path: Path) -> None:
    """It begins before the paddle and flies, with less gravity, to a larger table."""

    def before_the_paddle(spec: Any) -> None:
        spec.option.gravity = [0, 0, -8]
        half = spec.geom("coll_opponent_half")
        half.pos, half.size = [-3, 0.04, 0], [3, 4, 0.796]
        place = list(spec.keys[0].qpos)
        place[-7:-4] = [1.8, 0.6, 1.24]
        spec.keys[0].qpos = place

    model = _changed(tmp_path, "myo/assets/arm/myoarm_tabletennis.xml", before_the_paddle)
    found = _both("myoChallengeTableTennisP0-v0", 150, limit=200, xml_file=model, frame_skip=2)
    assert found.counts["successes"] == found.counts["episodes"] == 2


def test_an_object_is_at_its_goal(tmp_path: Path) -> None:
    """Ten steps of contact solve it, the next step ends it, and the first of the next one."""

    def at_the_goal(spec: Any) -> None:
        place = list(spec.keys[2].qpos)
        place[-7] = 0.4  # x of the object, which stands at its start
        spec.keys[2].qpos = place

    model = _changed(tmp_path, "myo/assets/arm/myoarm_bionic_bimanual.xml", at_the_goal)
    found = _both("myoChallengeBimanual-v0", 40, xml_file=model)
    assert found.counts["successes"] > 0
    assert found.counts["episodes"] > 2
