# SPDX-License-Identifier: Apache-2.0
"""Actors that end, hang or fail, and what comes of their environments."""

from __future__ import annotations

import os
import signal
from typing import Any

import envpool
import envpool_ray
import numpy as np
import psutil
import pytest
from comparing import assert_same
from envpool.errors import (
    ActionError,
    ConfigError,
    EnvIdError,
    RecvTimeoutError,
    StateError,
    WorkerError,
)
from envpool_ray._recovery import MAX_LOSSES

SMALL = {"num_actors": 2, "cpus_per_actor": 1, "num_threads": 1, "num_envs": 4, "seed": 2}
ONES = np.ones(4, np.int64)


def kill(pool: Any, actor: int) -> None:
    """Ends the process of an actor, as nothing that it could catch."""
    os.kill(pool._compiled._group.workers[actor].pid, signal.SIGKILL)


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_killed(mode: str) -> None:
    with envpool_ray.make("Ledger-v0", **SMALL, autoreset_mode=mode) as pool:
        pool.reset()
        before = pool.step(ONES)[0]["ledger"].copy()
        kill(pool, 0)
        obs, reward, terminated, truncated, info = pool.step(ONES)
        assert truncated.tolist() == [True, True, False, False]
        assert info["actor_restarted"].tolist() == truncated.tolist()
        assert not terminated.any()
        assert reward.tolist() == [0, 0, 2, 2]
        assert info["env_id"].tolist() == [0, 1, 2, 3]
        if mode == "same_step":
            assert (info["final_obs"]["ledger"][:2] == before[:2]).all()
            assert obs["ledger"][:2, 2].tolist() == [0, 0]
        else:
            assert (obs["ledger"][:2] == before[:2]).all()
        if mode == "disabled":
            with pytest.raises(StateError, match="env 0, whose episode is over"):
                pool.step(ONES)
            pool.reset([0, 1])
        obs, _, _, truncated, info = pool.step(ONES)
        assert not truncated.any()
        assert not info["actor_restarted"].any()
        assert obs["ledger"][:, 2].tolist() == [*([0, 0] if mode == "next_step" else [1, 1]), 3, 3]
        # Other episodes than those that were seen.
        assert not set(obs["ledger"][:2, 0].tolist()) & {2, 3}


def test_killed_with_checkpoints() -> None:
    with (
        envpool_ray.make("Ledger-v0", **SMALL, checkpoint_every=5) as ours,
        envpool.make("Ledger-v0", num_envs=4, seed=2) as reference,
    ):
        assert_same(ours.reset(), reference.reset())
        chance = np.random.default_rng(0)
        for step in range(40):
            if step in (2, 15, 31):  # before the first checkpoint, and after some
                kill(ours, step % 2)
            action = chance.integers(0, 6, 4)
            result = ours.step(action)
            assert_same(result, reference.step(action))
            assert not result[4]["actor_restarted"].any()
        assert ours._compiled.restarts == [1, 2]


def test_loaded_before_an_actor_is_killed() -> None:
    with (
        envpool_ray.make("Ledger-v0", **SMALL, checkpoint_every=20) as ours,
        envpool.make("Ledger-v0", num_envs=4, seed=2) as reference,
    ):
        for pool in (ours, reference):
            pool.reset()
            states = pool.save_state()
            pool.step(ONES)
            pool.step(2 * ONES)
            pool.load_state(states)
        # Actions before the states were loaded are not played again.
        kill(ours, 0)
        for step in range(4):
            assert_same(ours.step(step * ONES), reference.step(step * ONES))
        assert ours._compiled.restarts == [1, 0]


def test_killed_before_it_answers() -> None:
    with envpool_ray.make("Ledger-v0", **SMALL) as pool:
        pool.reset()
        first, second = (worker.pid for worker in pool._compiled._group.workers)
        os.kill(first, signal.SIGSTOP)  # it does not answer, however long this process is held up
        pool.send(ONES)
        kill(pool, 0)
        assert pool.recv()[3].tolist() == [True, True, False, False]
        os.kill(second, signal.SIGSTOP)
        pool.send(ONES)
        kill(pool, 1)
        pool.close()  # while answers are in flight, and one will never come
        assert pool.closed


def test_killed_within_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    # Without shared memory, and more than the connection holds: the actor waits in the midst of it.
    elsewhere = "ray.runtime_context.RuntimeContext.get_node_id"
    monkeypatch.setattr(elsewhere, lambda context: "another node")
    options = {**SMALL, "num_actors": 1, "size": 2**24}
    with envpool_ray.make("Ledger-v0", **options) as pool:
        first = pool.reset()[0]["frame"]
        assert (first == first[:, :1]).all()
        pool.send(ONES)
        connection = pool._compiled._group.workers[0].connection
        assert pool._compiled._group.select(60.0)
        assert not connection._incoming.take(connection._socket)  # the start of the answer
        kill(pool, 0)
        obs, _, _, truncated, info = pool.recv()
        assert truncated.all()
        assert info["actor_restarted"].all()
        assert (obs["frame"] == first).all()


def test_killed_before_it_is_given_memory() -> None:
    """The connection is lost when an actor is to be given new memory, before it is sent a step."""
    with envpool_ray.make("Ledger-v0", **SMALL) as pool:
        results = [pool.reset(), pool.step(ONES), pool.step(ONES)]
        assert pool._compiled._fast_path.armed is not None  # the next call is one of compiled code
        for worker in pool._compiled._group.workers:
            actor = psutil.Process(worker.pid)
            actor.kill()
            actor.wait(60)
        # All results are kept, so that there is no memory that the actors have.
        results.append(pool.step(ONES))
        assert results[-1][4]["actor_restarted"].all()
        results.append(pool.step(ONES))
        assert not results[-1][3].any()
        assert pool._compiled.restarts == [1, 1]


def test_out_of_memory() -> None:
    options = {**SMALL, "num_actors": 1, "size": 2**24}
    with envpool_ray.make("Ledger-v0", **options) as pool:
        pool.reset()
        actor = psutil.Process(pool._compiled._group.workers[0].pid)
        actor.rlimit(psutil.RLIMIT_AS, (actor.memory_info().vms, psutil.RLIM_INFINITY))
        assert pool.step(ONES)[4]["actor_restarted"].all()
        pool.step(ONES)
        assert pool.step(ONES)[0]["ledger"][:, 2].tolist() == [1] * 4
        assert pool._compiled.restarts == [1]


def test_what_the_caller_writes_into() -> None:
    """Results are the caller's; what was seen last is shown as the caller has left it."""
    with envpool_ray.make("Ledger-v0", **{**SMALL, "num_actors": 1}) as pool:
        pool.reset()
        obs, reward, terminated, truncated, info = pool.step(ONES)
        for array in (reward, terminated, truncated, info["env_id"], info["players"]["env_id"]):
            array[:] = 1
        obs["ledger"][:] = [[-1], [-2], [-3], [-4]]
        kill(pool, 0)
        obs, _, _, truncated, info = pool.step(ONES)
        assert truncated.all()
        assert info["env_id"].tolist() == [0, 1, 2, 3]
        assert obs["ledger"][:, 0].tolist() == [-1, -2, -3, -4]


def test_failures_of_an_environment() -> None:
    with envpool_ray.make("Ledger-v0", **SMALL, actor_timeout=15.0) as pool:
        pool.reset()
        result = pool.step(np.array([1, 7, 1, 1]))  # hangs
        assert result[3].tolist() == [True, True, False, False]
        result = pool.step(np.array([1, 1, 1, 8]))  # ends the process
        assert result[3].tolist() == [False, False, True, True]
        pool.reset()
        with pytest.raises(WorkerError, match="env 2") as caught:
            pool.step(np.array([1, 1, 9, 1]))  # raises
        assert [env_id for env_id, _ in caught.value.failures] == [2]
        assert pool.recv()[4]["env_id"].tolist() == [0, 1, 3]
        with pytest.raises(StateError, match="env 2, which failed before"):
            pool.step(ONES)
        assert pool.reset([2])[1]["env_id"].tolist() == [2]
        assert pool.step(ONES)[4]["env_id"].tolist() == [0, 1, 2, 3]


def test_an_action_that_kills_again_and_again() -> None:
    # With checkpoints the action is played again, and kills the next actor too.
    with envpool_ray.make("Ledger-v0", **SMALL, checkpoint_every=3) as pool:
        pool.reset()
        with pytest.raises(WorkerError, match="cannot be replaced"):
            pool.step(np.array([8, 1, 1, 1]))
        assert set(pool.recv()[4]["env_id"].tolist()) == {2, 3}
        pool.reset([0, 1])
        assert pool.step(ONES)[4]["env_id"].tolist() == [0, 1, 2, 3]


def test_actors_that_are_lost_before_they_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where Ray puts them on a node and does not know yet that it has gone."""
    with envpool_ray.make("Ledger-v0", **SMALL) as pool:
        pool.reset()
        compiled = pool._compiled
        group, options, times = compiled._group, compiled._settings.recipe.options, [0]
        worker, start = group.workers[0], group.start

        def lost(worker: Any, args: Any) -> None:
            start(worker, args)
            times[0] += 1
            if times[0] <= 2 * MAX_LOSSES or options["start_timeout"] < 1:
                group.ray.kill(worker.handle)

        monkeypatch.setattr(group, "start", lost)
        kill(pool, 0)
        assert pool.step(ONES)[3].tolist() == [True, True, False, False]
        assert not pool.step(ONES)[3].any()
        assert worker.restarts == 2 * MAX_LOSSES + 1
        options["start_timeout"] = 0.5
        kill(pool, 0)
        assert pool.step(ONES)[3].tolist() == [True, True, False, False]
        with pytest.raises(WorkerError, match=r"have not started in 0.5 s.*ActorDiedError"):
            pool.step(ONES)


@pytest.mark.parametrize("every", [0, 3])
def test_given_up_while_some_are_idle(every: int) -> None:
    with envpool_ray.make("Ledger-v0", **SMALL, checkpoint_every=every) as pool:
        pool.reset()
        states = pool.save_state()
        pool.send(ONES[:1], [0])
        # As where no node has room for another actor.
        workers, sender = pool._compiled._group.workers, pool._compiled._sender
        sender.give_up(workers[0], TimeoutError("no room"))
        failed = [0, 1] if every else [0]
        with pytest.raises(WorkerError, match="no room") as caught:
            pool.recv()
        assert [env_id for env_id, _ in caught.value.failures] == failed
        if every:
            with pytest.raises(StateError, match="env 1, which failed before"):
                pool.step(ONES[:1], [1])
            pool.reset([0, 1])
        else:
            assert pool.step(ONES[:1], [1])[4]["actor_restarted"].tolist() == [True]
            pool.reset([0])
        assert pool.step(ONES)[4]["env_id"].tolist() == [0, 1, 2, 3]
        sender.give_up(workers[1], TimeoutError("no room"))
        if not every:
            pool.load_state(states[2:], [2, 3])  # another actor is started for them
            assert pool.step(ONES[:2], [2, 3])[0]["ledger"][:, 2].tolist() == [1, 1]


def test_refused() -> None:
    with envpool_ray.make("Ledger-v0", **SMALL) as pool:
        pool.reset()
        for action in (np.ones(3, np.int64), np.array([1, 1, 1, 10]), np.full(4, 0.5), "x"):
            with pytest.raises(ActionError):
                pool.step(action)
        with pytest.raises(EnvIdError, match="env 1 twice"):
            pool.send(ONES[:2], [1, 1])
        with pytest.raises(EnvIdError, match="env id 4"):
            pool.send(ONES[:1], [4])
        with pytest.raises(StateError, match="0 results in flight"):
            pool.recv()
        with pytest.raises(RecvTimeoutError):
            pool.recv(timeout=0.01)
        pool.send(ONES)
        with pytest.raises(EnvIdError, match="in flight"):
            pool.send(ONES)
        assert len(pool.recv()[1]) == 4
        pool.close()
        pool.close()
        with pytest.raises(StateError, match="closed"):
            pool.step(ONES)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"num_actors": -1}, "num_actors=-1"),
        ({"placement": "spreadd"}, "Did you mean 'spread'"),
        ({"checkpoint_evry": 1}, "Did you mean 'checkpoint_every'"),
        ({"resources": 3}, "resources=3"),
    ],
)
def test_wrong_options(options: dict[str, Any], part: str) -> None:
    with pytest.raises(ConfigError, match=part):
        envpool_ray.make("Ledger-v0", **options)


def test_no_room() -> None:
    with pytest.raises(StateError, match=r"2 of 2 actors .* each needs 1000 CPU"):
        envpool_ray.make(
            "Ledger-v0", num_envs=2, num_actors=2, cpus_per_actor=1000, start_timeout=1.0
        )
