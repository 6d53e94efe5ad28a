# SPDX-License-Identifier: Apache-2.0
"""The options that EnvPool 1.2.5 lacks and no other test compares."""

from __future__ import annotations

from typing import Any

import envpool
import numpy as np
import pytest
from envpool_atari import _atari
from envpool_atari._games import GAMES, HISTORY_GAMES, task_id
from sampling import sampled

_STEPS = 120


def _rollout(task: str, env_type: str = "gymnasium", steps: int = _STEPS, **config: Any) -> Any:
    """All results of a pool of two environments that play the same random actions."""
    random = np.random.default_rng(3)
    with envpool.make(task, env_type, num_envs=2, seed=4, **config) as pool:
        count = envpool.make_spec(task, **config).action_space.n
        actions = random.integers(count, size=(steps, 2)).astype(np.int32)
        return [pool.reset(), *(pool.step(action) for action in actions)]


def _observations(task: str, **config: Any) -> Any:
    return np.stack([result[0] for result in _rollout(task, **config)])


def test_layouts_are_one_image() -> None:
    options = {"gray_scale": False, "stack_num": 3, "img_height": 40, "img_width": 30}
    first, last, stack = (
        _observations(
            "MsPacman-v5", layout=f"{name}_first" if name != "last" else "channel_last", **options
        )
        for name in ("channel", "last", "stack")
    )
    steps = len(first)
    np.testing.assert_array_equal(
        stack, first.reshape(steps, 2, 3, 3, 40, 30).transpose(0, 1, 2, 4, 5, 3)
    )
    np.testing.assert_array_equal(last, first.transpose(0, 1, 3, 4, 2))


def test_gray_layouts() -> None:
    first = _observations("Pong-v5")
    np.testing.assert_array_equal(first, _observations("Pong-v5", layout="stack_first"))
    last = _observations("Pong-v5", layout="channel_last")
    np.testing.assert_array_equal(first.transpose(0, 1, 3, 4, 2), last)


def test_a_stack_is_the_last_screens() -> None:
    single = _observations("Breakout-v5", stack_num=1)[:, :, 0]
    stacked = _observations("Breakout-v5", stack_num=5)
    for age in range(5):
        np.testing.assert_array_equal(stacked[age:, :, 4 - age], single[: len(single) - age])


@pytest.mark.parametrize(("task", "height"), [("Pong-v5", 210), ("Carnival-v5", 214)])
def test_raw_screens(task: str, height: int) -> None:
    rgb = _observations(task, obs_type="rgb")
    gray = _observations(task, obs_type="gray")
    assert rgb.shape[2:] == (height, 160, 3)
    # A screen of its own size, unpooled, is the same image.
    whole = {"img_height": height, "img_width": 160, "stack_num": 1, "max_pool": False}
    np.testing.assert_array_equal(gray, _observations(task, **whole)[:, :, 0])
    colours = _observations(task, **whole, gray_scale=False, layout="stack_first")
    np.testing.assert_array_equal(rgb, colours[:, :, 0])


def test_crop() -> None:
    whole = _observations("Adventure-v5", obs_type="gray")
    cut = _observations("Adventure-v5", obs_type="gray", crop="210")
    assert whole.shape[2:] == (250, 160)
    np.testing.assert_array_equal(whole[:, :, :210], cut)


def test_ram_is_the_observation() -> None:
    for obs, *_, info in _rollout("Breakout-v5", obs_type="ram"):
        np.testing.assert_array_equal(obs, info["ram"])


def test_what_is_observed_changes_nothing() -> None:
    """Frames that are not drawn play as those that are."""
    for kind in ("rgb", "ram"):
        for seen, other in zip(
            _rollout("Seaquest-v5"), _rollout("Seaquest-v5", obs_type=kind), strict=True
        ):
            np.testing.assert_array_equal(seen[-1]["ram"], other[-1]["ram"])


@pytest.mark.parametrize(
    "game", sampled((g for g in GAMES if g not in HISTORY_GAMES), 16, salt="cache_reset")
)
def test_cached_resets_are_exact(game: str) -> None:
    row = _atari.game_info(game)
    other = {"mode": row.modes[-1], "difficulty": row.difficulties[-1]}
    for variant in ({}, {**other, "repeat_action_probability": 0.25}):
        config: dict[str, Any] = {
            "obs_type": "ram",
            "max_episode_steps": 30,
            "steps": 93,
            **variant,
        }
        np.testing.assert_array_equal(
            _observations(task_id(game), **config),
            _observations(task_id(game), **config, cache_reset=True),
        )


def test_cached_resets_show_the_same() -> None:
    config: dict[str, Any] = {"max_episode_steps": 30, "preset": "gymnasium"}
    np.testing.assert_array_equal(
        _observations("MsPacman-v5", **config),
        _observations("MsPacman-v5", **config, cache_reset=True),
    )


def test_discount_of_a_lost_life() -> None:
    lives = 5
    for step in _rollout("Breakout-v5", "dm", zero_discount_on_life_loss=True, steps=300):
        now = step.observation.lives[0]
        assert step.discount[0] == (now == lives or step.step_type[0] == 0)
        lives = now
    assert lives < 5


@pytest.mark.parametrize("preset", ["envpool", "ale"])
def test_life_loss_info_changes_flags_only(preset: str) -> None:
    """The game goes on with the same steps, and dm_env sees a discount of 0."""
    config = {"preset": preset, "steps": 300}
    plain = _rollout("Breakout-v5", **config)
    marked = _rollout("Breakout-v5", life_loss_info=True, **config)
    marked_dm = _rollout("Breakout-v5", "dm", life_loss_info=True, **config)
    lives, lost = plain[0][1]["lives"], 0
    for seen, other, dm in zip(plain[1:], marked[1:], marked_dm[1:], strict=True):
        now = seen[-1]["lives"]
        fewer, lives = now < lives, now
        lost += int(fewer.sum())
        np.testing.assert_array_equal(seen[0], other[0])
        np.testing.assert_array_equal(seen[1], other[1])
        np.testing.assert_array_equal(seen[2] | fewer, other[2])
        np.testing.assert_array_equal(seen[4]["elapsed_step"], other[4]["elapsed_step"])
        np.testing.assert_array_equal(dm.discount, np.where(other[2], 0, 1))
        np.testing.assert_array_equal(dm.last(), seen[2])
    assert lost > 10


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_saved_lives(mode: str) -> None:
    """A state between two lives knows that the game goes on, and for how long it has."""
    config: dict[str, Any] = {"episodic_life": True, "autoreset_mode": mode, "seed": 4}
    noop = np.zeros(1, np.int32)
    with (
        envpool.make("MsPacman-v5", **config) as pool,
        envpool.make("MsPacman-v5", **config) as other,
    ):
        pool.reset()
        other.reset()
        while not pool.step(noop)[2][0]:
            pass
        state = pool.save_state()
        other.load_state(state)
        results = [pool.step(noop) for _ in range(5)]
        assert results[0][4]["elapsed_step"][0] > 100
        for result in results:
            again = other.step(noop)
            np.testing.assert_array_equal(result[0], again[0])
            for key in ("elapsed_step", "lives", "frame_number"):
                assert result[4][key] == again[4][key]


def test_episodic_life_goes_on() -> None:
    """The episode after a lost life is the same game; after the last one it is a new one."""
    results = _rollout("Breakout-v5", episodic_life=True, steps=600)
    lives, over, ends = 5, False, []
    for _, _, terminated, _, info in (
        (*results[0][:1], 0, [False], 0, results[0][1]),
        *results[1:],
    ):
        if over:
            assert info["lives"][0] == (lives if lives > 0 else 5)
        over, lives = bool(terminated[0]), int(info["lives"][0])
        if over:
            ends.append(lives)
            assert info["terminated"][0] == (lives == 0)
    assert {0, 1, 2, 3, 4} <= set(ends)


def test_frame_skip_range() -> None:
    frames = [info["frame_number"][0] for *_, info in _rollout("Pong-v5", frame_skip=(2, 5))]
    assert set(np.diff(frames)) == {2, 3, 4}


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"mode": 77}, "mode=77.: got 77; allowed: -1, 0, 1"),
        ({"difficulty": 4}, "allowed: -1, 0, 1, 2, 3"),
        ({"frame_skip": 0}, "frame_skip"),
        ({"frame_skip": (3, 3)}, "got .3, 3.; allowed: a number of frames, or a pair"),
        ({"frame_skip": (2, 3, 4)}, r"frame_skip=\(2, 3, 4\).* or a pair \(low, high\)"),
        ({"frame_skip": (2, "x")}, r"frame_skip=\(2, 'x'\).* or a pair \(low, high\)"),
        ({"stack_num": 0}, "stack_num"),
        ({"noop_max": -1}, "noop_max"),
        ({"img_width": 0}, "img_width"),
        ({"repeat_action_probability": 1.5}, "0 .. 1"),
        ({"obs_type": "image"}, "'screen', 'ram', 'rgb', 'gray'"),
        ({"layout": "hwc"}, "'channel_last'"),
        ({"crop": "200"}, "'none', '210'"),
        ({"crop": 200}, "'none', '210'"),
        ({"preset": "atari"}, "'envpool', 'ale', 'gymnasium'"),
    ],
    ids=str,
)
def test_impossible_options(config: dict[str, Any], words: str) -> None:
    with pytest.raises(envpool.errors.ConfigError, match=words):
        envpool.make_spec("Pong-v5", **config)


@pytest.mark.parametrize("task", ["Pong-v5", "Breakout-v5", "MsPacman-v5", "Seaquest-v5"])
def test_saved_states(task: str) -> None:
    """A saved state is small, and a loaded state shows the frame of its moment."""
    with envpool.make(task, num_envs=2, seed=1, render_mode="rgb_array") as pool:
        pool.reset()
        for number in range(60):
            pool.step(np.full(2, number % pool.action_space.n, np.int32))
        states, frame = pool.save_state(), pool.render([0, 1])
        for _ in range(9):
            pool.step(np.zeros(2, np.int32))
        assert (pool.render([0, 1]) != frame).any()
        pool.load_state(states)
        np.testing.assert_array_equal(pool.render([0, 1]), frame)
        assert pool.save_state() == states
        # The machine is 1.6 kB, twice 0.8; the rest are the screens of the stack.
        assert max(map(len, states)) < 8000
    with envpool.make(task, num_envs=1, obs_type="ram") as pool:
        pool.reset()
        assert len(pool.save_state()[0]) < 2000


def test_rendering() -> None:
    sizes = [
        ({}, (210, 160)),
        ({"render_width": 320}, (420, 320)),
        ({"render_height": 84}, (84, 64)),
    ]
    for config, size in sizes:
        with envpool.make("Pong-v5", render_mode="rgb_array", **config) as pool:
            pool.reset()
            assert pool.render().shape == (1, *size, 3)
    with envpool.make("Pong-v5", render_mode="rgb_array", obs_type="rgb") as pool:
        obs, _ = pool.reset()
        np.testing.assert_array_equal(pool.render(), obs)
