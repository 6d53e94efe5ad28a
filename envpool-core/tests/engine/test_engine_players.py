# SPDX-License-Identifier: Apache-2.0
"""The environment in the documentation's spelling: players, dynamic arrays, nested names."""

from __future__ import annotations

import gc
import subprocess
import sys
import textwrap
import weakref

import numpy as np
import pytest
from envpool.errors import ActionError, ConfigError, EnvIdError, SavedStateError, WorkerError
from refusals import refused

THREADS = (1, 2, 4)


def action_of(ids, players, value=1, **other):
    """An action for environments `ids` whose players are listed in `players` by environment."""
    count = len(players)
    action = {
        "list_action": np.full((len(ids), 6), 0.5),
        "players.action": np.arange(count) + value,
        "players.push": np.ones((count, 2), np.float32),
        "level": np.zeros(len(ids), np.int32),
    }
    return action | other


def expected_players(ids, steps, most):
    return [(env + steps[env]) % (most + 1) for env in ids]


@pytest.mark.parametrize("num_threads", THREADS)
@pytest.mark.parametrize("most", [1, 2, 3])
def test_rows_of_players(make, num_threads, most):
    num_envs, length = 7, 5
    pool = make("_DummyEnvSpec", num_envs=num_envs, num_threads=num_threads, max_num_players=most)
    rng = np.random.default_rng(2)
    result = pool.reset()
    steps = np.zeros(num_envs, int)
    sums = np.zeros(num_envs, int)
    ids = np.arange(num_envs)
    for _ in range(60):
        counts = [1] * len(ids) if most == 1 else expected_players(ids, steps, most)
        owners = np.repeat(ids, counts)
        slots = np.concatenate([np.arange(count) for count in counts]).astype(int)
        assert result["info:env_id"].tolist() == ids.tolist()
        assert result["info:players.env_id"].tolist() == owners.tolist()
        assert result["info:players.health"].tolist() == (100 * owners + slots).tolist()
        assert result["info:players.done"].tolist() == (slots % 2 == 0).tolist()
        assert result["info:player_num"].tolist() == counts
        raw = 10 * steps[owners][:, None] + np.arange(3)
        assert result["obs:raw"].shape == (len(owners), 3)
        assert result["obs:raw"].tolist() == raw.tolist()
        assert result["reward"].tolist() == (sums[owners] + slots).tolist()
        assert result["discount"].tolist() == (steps[owners] < length).astype(float).tolist()
        assert result["elapsed_step"].tolist() == steps[ids].tolist()
        assert result["obs:dyn"].shape == (len(owners),)
        for row, (owner, slot) in enumerate(zip(owners, slots, strict=True)):
            dynamic = result["obs:dyn"][row]
            assert dynamic.dtype == np.int32
            assert dynamic.tolist() == [[slot + 1, 0, 0]] * (owner + 1)
        last = dict(zip(result["info:env_id"].tolist(), counts, strict=True))
        assert not result["done"].any() or (steps[ids][result["done"]] == length).all()

        ids = rng.permutation(num_envs)[: rng.integers(1, num_envs + 1)]
        previous = np.array([all_counts(env, steps, most) for env in ids])
        owners = np.repeat(ids, previous)
        action = action_of(ids, owners)
        if rng.random() < 0.5:
            # Players in any order: players.env_id has the environment of each.
            order = rng.permutation(len(owners))
            action |= {"players.env_id": owners[order], "env_id": ids}
            given = action["players.action"]
            sums_now = np.bincount(owners[order], given, num_envs)
            result = pool.step(action)
        else:
            sums_now = np.bincount(owners, action["players.action"], num_envs)
            result = pool.step(action, ids)
        sums_now += np.bincount(owners, minlength=num_envs)  # each pushes by 1
        over = steps[ids] == length
        steps[ids] = np.where(over, 0, steps[ids] + 1)
        sums[ids] = np.where(over, 0, sums_now[ids])
        del last


def all_counts(env, steps, most):
    return 1 if most == 1 else (env + steps[env]) % (most + 1)


def test_nobody_at_all(make):
    pool = make("_DummyEnvSpec", num_envs=1, max_num_players=2)
    result = pool.reset()
    assert result["info:players.env_id"].shape == (0,)
    assert result["obs:raw"].shape == (0, 3)
    assert result["obs:dyn"].shape == (0,)
    result = pool.step(action_of([0], []))
    assert result["info:players.env_id"].tolist() == [0]


def test_arrays_of_the_documentation(make):
    pool = make("_DummyEnvSpec", num_envs=2, max_num_players=2)
    pool.reset()
    result = pool.step(action_of([0, 1], [1], level=[2, 4]))
    assert result["obs:obs_a.obs_b"].tolist() == [2, 4]
    assert result["obs:obs_a.obs_c"][0].tolist() == [[0, 1, 0], [0, 0, 0.5]]
    assert result["info:bla"].shape == (2, 2, 3, 3)
    assert result["info:bla"].dtype == np.float32
    assert result["info:bla"][1, 1, 2, 2] == 7
    assert result["info:bla"].sum() == 14
    assert result["info:path_size"].tolist() == [9, 9]
    assert result["info:path_size"].dtype == np.uint64
    assert result["info:list"].shape == (2, 2)
    assert result["info:list"][0, 0] is None
    assert result["info:list"][0, 1].tolist() == [0.5]
    assert result["info:list"][0, 1].dtype == np.float32


def test_what_python_sees_of_the_specs(module):
    config, state, action = module._DummyEnvSpec.describe({"state_num": 4, "max_num_players": 3})
    assert (config["state_num"], config["path"], config["num_envs"]) == (4, "init_path", 1)
    arrays = {array[0]: array[1:] for array in [*state, *action]}
    assert list(arrays)[:2] == ["info:env_id", "info:players.env_id"]
    assert [array[0] for array in action][:2] == ["env_id", "players.env_id"]
    dtype, shape, low, high, dynamic, inner, *_ = arrays["obs:dyn"]
    assert (dtype, shape, dynamic, inner) == (np.int32, (-1,), True, (-1, 4))
    dtype, shape, low, high, dynamic, inner, *_ = arrays["obs:obs_a.obs_c"]
    assert (dtype, shape, dynamic) == (np.float64, (2, 3), False)
    assert low.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert high.tolist() == [[9, 9, 9], [9, 9, 9]]
    dtype, shape, low, high, dynamic, inner, *_ = arrays["players.push"]
    assert (dtype, shape, float(low), float(high)) == (np.float32, (-1, 2), -2, 2)
    dtype, shape, low, high, dynamic, inner, *_ = arrays["info:bla"]
    assert (float(low), float(high)) == (-np.inf, np.inf)
    dtype, shape, low, high, dynamic, inner, *_ = arrays["info:path_size"]
    assert (dtype, low, high) == (np.uint64, 0, 2**63 - 1)
    assert arrays["info:path_size"][6] and not arrays["info:env_id"][6] and not arrays["env_id"][6]
    assert module._DummyEnvSpec is module._DummyEnvPool
    assert module._DummyEnvSpec.name == "Dummy"


def test_wrong_actions_of_players(make):
    pool = make("_DummyEnvSpec", num_envs=4, max_num_players=3)
    pool.reset()  # 0, 1, 2, 3 players
    good = action_of([0, 1, 2, 3], [1, 2, 2, 3, 3, 3])
    owners = np.array([1, 2, 2, 3, 3, 3])

    def wrong(kind=ActionError, env_id=None, **change):
        action = {key: value for key, value in (good | change).items() if value is not None}
        return refused(kind, lambda: pool.step(action, env_id))

    key = {"players.action": np.arange(5)}
    message = wrong(**key)
    assert (message.got, message.allowed) == (
        "5 rows for 4 environments",
        "6 rows, the players of their last results",
    )
    message = wrong(**{"players.push": np.zeros((6, 3))})
    assert (message.got, message.allowed) == ("shape (6, 3)", "shape (6, 2), one row per player")
    message = wrong(**{"players.action": None})
    assert message.got == "no key 'players.action'"
    assert "list_action, players.action, players.push, level" in message.allowed
    message = wrong(playrs=1)
    assert message.got == "key 'playrs'"
    message = wrong(level=[1, 2, 3])
    assert (message.got, message.allowed) == (
        "shape (3,)",
        "shape (4,), one row per environment id",
    )
    message = wrong(level=[0, 0, 6, 0])
    assert (message.asked, message.got, message.allowed) == (
        "action 'level' of Test/_DummyEnvSpec-v0",
        "6 for env 2",
        "whole numbers 0 .. 5",
    )
    message = wrong(**{"players.action": [1, 2, 3, 4, 100, 5]})
    assert (message.got, message.allowed) == ("100 for env 3", "whole numbers 0 .. 99")
    message = wrong(**{"players.env_id": [1, 2, 2, 3, 3]})
    assert (message.got, message.allowed) == ("shape (6,)", "shape (5,), one row per player")
    message = wrong(**{"players.env_id": [1, 2, 2, 2, 2, 3]})
    assert message.got == "more than 3 players for env 2"
    message = wrong(EnvIdError, **{"players.env_id": [1, 2, 2, 3, 3, 4]})
    assert (message.got, message.allowed) == ("env id 4", "0 .. 3")
    message = wrong(
        env_id=[0, 1, 2],
        list_action=np.zeros((3, 6)),
        level=[0, 0, 0],
        **{"players.env_id": owners},
    )
    assert message.got == "a player of env 3"
    message = refused(ActionError, lambda: pool.step(np.zeros(4)))
    assert "several action arrays" in message.allowed
    assert pool.num_in_flight == 0
    assert pool.step(good | {"players.env_id": owners})["info:player_num"].tolist() == [1, 2, 3, 0]


@pytest.mark.parametrize(("rows", "known"), [(4, 1), (2, 1), (0, 1), (1, 0)])
def test_other_numbers_of_rows_are_refused(make, rows, known):
    pool = make("_DummyEnvSpec", num_envs=3, max_num_players=2, check=False)
    pool.reset()  # 0, 1, 2 players
    ids = [0, 1] if known else [0]
    # 4 and 2 rows are as many for each environment, and yet players.env_id is missing.
    message = refused(ActionError, lambda: pool.step(action_of(ids, [0] * rows), ids))
    assert message.got == f"{rows} rows for {len(ids)} environments"
    assert message.allowed == f"{known} rows, the players of their last results"
    assert pool.num_in_flight == 0


def test_told_players_may_be_others_than_those_of_the_last_result(make):
    pool = make("_DummyEnvSpec", num_envs=2, max_num_players=2, check=False)
    pool.reset()  # 0 and 1 players; only the second environment has an action
    action = action_of([0, 1], [0, 0, 1, 1])
    result = pool.step(action | {"players.env_id": [0, 0, 1, 1]})
    assert result["info:players.env_id"].tolist() == [0, 1, 1]
    assert result["reward"].tolist() == [0, 3 + 1, 3 + 1 + 1]


def test_rows_for_environments_that_had_no_result(make):
    """Their first step is a reset, which looks at no row; those of the others must be found."""
    for rows in (0, 2, 4):
        pool = make("_DummyEnvSpec", num_envs=2, max_num_players=2)
        result = pool.step(action_of([0, 1], [0] * rows))
        assert result["elapsed_step"].tolist() == [0, 0]
    pool = make("_DummyEnvSpec", num_envs=4, max_num_players=2)
    refused(ActionError, lambda: pool.step(action_of(range(4), [0] * 12)))  # 3 in each
    pool.reset([1, 2])  # 1, 2 players
    for rows in (0, 2, 4, 6):
        message = refused(ActionError, lambda rows=rows: pool.step(action_of(range(4), [0] * rows)))
        assert message.got == f"{rows} rows for 4 environments"
        assert message.allowed == (
            "3 rows, the players of their last results, and equally many for each of the 2 that "
            "have none yet"
        )
    rows = np.repeat(range(4), [1, 1, 2, 1])
    result = pool.step(action_of(range(4), rows, **{"players.action": [9, 10, 11, 12, 13]}))
    assert result["elapsed_step"].tolist() == [0, 1, 1, 0]
    # 0; 2 of environment 1; 0 of environment 2; 0 of environment 3: each pushes by 1.
    assert result["info:player_num"].tolist() == [0, 2, 0, 0]
    assert result["reward"].tolist() == [10 + 1, 10 + 1 + 1]


def test_rows_without_ids_are_those_of_the_last_batch(make):
    pool = make("Crowd", num_envs=4, batch_size=2, max_num_players=3)
    pool.async_reset()
    pool.recv()
    pool.recv()
    pool.send([1, 2, 3], [1, 0])  # 2 and 1 players
    result = pool.recv()
    assert sorted(result["info:env_id"].tolist()) == [0, 1]
    assert pool.num_in_flight == 0
    # 2 + 3 players; as many rows as there are environments would mean nothing else.
    message = refused(ActionError, lambda: pool.send([1, 2, 3, 4]))
    assert message.got == "4 rows for 2 environments"
    pool.send([1, 2, 3, 4, 5])
    assert sorted(pool.recv()["info:env_id"].tolist()) == [0, 1]


def test_players_of_a_saved_state(make):
    pool = make("Crowd", num_envs=2, max_num_players=3)
    pool.reset()  # 1, 2 players
    states = pool.save_state([0, 1])
    expected = pool.step([7, 8, 9])["reward"]
    assert expected.tolist() == [7, 0, 8, 9, 0]  # 2, 3 players
    for other in (pool, make("Crowd", num_envs=2, max_num_players=3)):
        other.load_state(states, [0, 1])
        message = refused(ActionError, lambda other=other: other.step([0] * 5))
        assert message.allowed == "3 rows, the players of their last results"
        assert other.step([7, 8, 9])["reward"].tolist() == expected.tolist()
    # Each count comes with its state.
    pool.load_state(states[::-1], [0, 1])
    result = pool.step([1, 2, 50])
    assert result["obs"].tolist() == [3, 3, 50, 50, 50]
    small = make("Crowd", num_envs=1, max_num_players=1)
    before = small.save_state([0])
    message = refused(SavedStateError, lambda: small.load_state(states[1:], [0]))
    assert message.got == "a state of 2 players"
    assert small.save_state([0]) == before


def test_a_lone_player_may_be_named(make):
    pool = make(num_envs=3)
    pool.reset()
    action = {"action": [5, 6], "env_id": [2, 0], "players.env_id": [0, 2]}
    assert pool.step(action)["obs"].tolist() == [[1, 6], [1, 5]]
    message = refused(ActionError, lambda: pool.step(action | {"players.env_id": [0, 0]}))
    assert message.got == "more than 1 players for env 0"
    message = refused(
        ActionError, lambda: pool.step(action | {"players.env_id": [0], "action": [5]})
    )
    assert message.got == "no player for env 2"


def test_checks_of_an_environment_are_worker_errors(make):
    pool = make("_DummyEnvSpec", num_envs=3, max_num_players=2)
    pool.reset()
    action = action_of([2], [2]) | {"players.env_id": [2]}
    message = refused(WorkerError, lambda: pool.step(action, [2]))
    assert message.error.env_id == 2
    assert "documented.h:" in message.asked
    assert "(1 vs. 2)" in message.asked
    # The message goes on after the check's own words.
    pool.reset([2])


def test_bounds_must_fit_the_shape(make):
    message = refused(ConfigError, lambda: make("_DummyEnvSpec", state_num=-2))
    text, asked = message.asked.split("\n")
    assert "size -2 at position 1" in text
    assert asked == "config of Dummy"
    assert message.got == "state_num=-2"
    assert message.allowed == "options that its StateSpec and ActionSpec accept"


def test_an_exception_of_a_description_is_told_first(make):
    text = "num_foxes are 5: pass max_num_players, too"
    message = refused(ConfigError, lambda: make("Crowd", refuses=text, num_envs=4))
    assert message.asked == f"{text}\nconfig of Crowd"
    assert message.got == f"num_envs=4, refuses={text!r}"
    assert message.hint == "Correct the config"


def test_dynamic_arrays_are_freed_once(make):
    pool = make("_DummyEnvSpec", num_envs=3, max_num_players=2)
    result = pool.reset()
    array = result["obs:dyn"][0]
    view = array[:1]
    watch = weakref.ref(array.base) if isinstance(array.base, np.ndarray) else weakref.ref(array)
    before = view.copy()
    del result, array
    pool.step(action_of(range(3), [1, 2, 2]))
    pool.close()
    gc.collect()
    assert (view == before).all()
    del view
    gc.collect()
    assert watch() is None


def test_the_log_of_a_test_build(module_path):
    """ENVPOOL_TEST and LOG(INFO), as the documentation's page has them."""
    code = textwrap.dedent(
        f"""
        import importlib.util
        spec = importlib.util.spec_from_file_location("engine_envs", {str(module_path)!r})
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        pool = module._DummyEnvSpec.make({{"num_envs": 2}}, "Test-v0")
        pool.reset()
        pool.step({{"list_action": [[0] * 6] * 2, "players.action": [1, 2],
                   "players.push": [[0, 0]] * 2, "level": [0, 5]}})
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("INFO ")
    assert line.endswith("] level five in env 1")
