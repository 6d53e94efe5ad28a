# SPDX-License-Identifier: Apache-2.0
"""Policies with knowledge of the game beat others; the command writes a video of a match."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import envpool
import pytest
from envpool_meadow import policies
from PIL import Image


def returns(fox: policies.Policy, hare: policies.Policy) -> tuple[float, float]:
    """The returns of all foxes and of all hares in 300 steps, the mean of 32 meadows."""
    sums = [0.0, 0.0]
    with envpool.make("Meadow/Tag-v0", num_envs=32, seed=9) as pool:
        obs, _ = pool.reset()
        for _ in range(300):
            obs, reward, _, _, info = pool.step(policies.by_kind(fox, hare)(obs["players"]))
            for kind in (0, 1):
                sums[kind] += float(reward[info["players"]["is_hare"] == kind].sum())
    return sums[0] / 32, sums[1] / 32


def test_who_knows_the_game_wins() -> None:
    hunters, chased = returns(policies.hunt, policies.random_policy(1))
    idlers, idle = returns(policies.random_policy(0), policies.random_policy(1))
    late_hunters, fled = returns(policies.hunt, policies.flee)
    assert hunters > 4 * idlers  # 11.7 and 1.1 catches were measured
    assert fled > chased + 4  # -1.5 and -11.4
    assert late_hunters < hunters / 2
    assert idle > chased


def match(*words: str) -> Any:
    code = "from envpool.cli import main; main()"
    line = [sys.executable, "-c", code, "meadow-match", "--json", *words]
    done = subprocess.run(line, capture_output=True, text=True, timeout=100, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else done.stdout + done.stderr


def test_the_command_plays() -> None:
    facts = match("--seed", "4", "--hares", "random")
    assert facts == match("--seed", "4", "--hares", "random")
    assert facts["hares"] == facts["caught"] == 3
    assert facts["seconds"] < 30
    assert "file" not in facts


def test_the_command_writes_a_video(tmp_path: Path) -> None:
    path = tmp_path / "match.gif"
    facts = match("--out", str(path), "--task", "Meadow/Duel-v0", "--width", "120", "--seed", "1")
    assert facts["frames"] == 10 * facts["seconds"] + 1
    with Image.open(path) as video:
        assert video.size == (120, 93)
        assert video.info["duration"] == 100  # ms: a step
        # Equal frames are merged into a frame that is shown longer.
        assert 0.9 * facts["frames"] <= getattr(video, "n_frames", 0) <= facts["frames"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--out", "x.mp4"), "'x.mp4' does not end in .gif"),
        (("--foxes", "sleep"), "'sleep'"),
        (("--seed", "-1"), "--seed"),
        (("--task", "Meadow/Tig-v0"), "Meadow/Tag-v0"),
    ],
)
def test_the_command_refuses(words: tuple[str, ...], text: str) -> None:
    assert text in match(*words)
