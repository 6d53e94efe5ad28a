# SPDX-License-Identifier: Apache-2.0
"""The properties of JAX pools beside the common contract, and refusals."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from importlib.metadata import EntryPoint
from typing import Any

import by_hand
import envpool
import envpool_jax
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from envpool.errors import (
    ActionError,
    ConfigError,
    MissingPackageError,
    PluginError,
    RenderError,
    StateError,
    UnknownTaskError,
    WorkerError,
)
from envpool.testing import CHECKS, check_task, random_actions
from envpool_jax import _adapters, _compiling
from toys import Broken, Countdown, Trees

CARTPOLE = "jax:gymnax/CartPole-v1"
# XLA rounds the floats of these simulations otherwise for another number of rows, so that episodes
# of pools with other slices differ in the last bits.
SIMULATIONS = ("jax:brax/", "jax:playground/")
OF_OTHER_SLICES = ("check_batch_sizes", "check_batches")
# Tracing and compiling an id takes up to minutes. These ids are checked completely: one of each
# kind of action and observation of a library. The other ids share its adapter, and only their
# declarations are checked.
WHOLE = (
    CARTPOLE,
    *("jax:gymnax/Pendulum-v1", "jax:gymnax/FrozenLake-misc", "jax:pgx/tic_tac_toe"),
    *("jax:jumanji/Game2048-v1", "jax:jumanji/Connector-v3", "jax:jumanji/MultiCVRP-v0"),
    *("jax:brax/inverted_pendulum", "jax:craftax/Craftax-Classic-Symbolic-v1"),
    "jax:playground/CartpoleBalance",
)
OF_DECLARATIONS = (
    "check_spec",
    "check_reset",
    "check_arrays",
    "check_spaces",
    "check_observation_keys",
    "check_same_seed",
    "check_time_limit",
)
# Ids that share a robot with another id, with other rewards and starts: only their spaces are
# checked.
SAME_ROBOT = re.compile(
    "jax:(brax/humanoidstandup|playground/(.*Sparse|CartpoleSwingup|FingerTurn.*|HopperStand"
    "|Humanoid(Walk|Run)|ReacherHard|Walker(Stand|Walk)))"
)
assert {check.__name__ for check in CHECKS} >= {*OF_OTHER_SLICES, *OF_DECLARATIONS}


def rollout(pool: Any, steps: int, action: Any) -> list[Any]:
    return [pool.reset(), *(pool.step(action) for _ in range(steps))]


def same(one: Any, other: Any) -> None:
    ours, theirs = jax.tree.leaves(one), jax.tree.leaves(other)
    assert len(ours) == len(theirs)
    for mine, its in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(np.asarray(mine), np.asarray(its))


def marks_of(task_id: str) -> list[Any]:
    """All but one task run under --full only; pgx's boards need cairosvg."""
    if task_id == CARTPOLE:
        return []
    drawn = [pytest.mark.needs_cairosvg] if task_id.startswith("jax:pgx/") else []
    return [pytest.mark.full, *drawn]


@pytest.mark.filterwarnings(
    "ignore:Brax System:UserWarning",
    "ignore::DeprecationWarning",
    "ignore:scatter inputs:FutureWarning",  # in jumanji's own code
)
@pytest.mark.parametrize(
    "task_id",
    [pytest.param(task.id, marks=marks_of(task.id)) for task in envpool_jax.FAMILY.envpool_tasks()],
)
def test_contract(task_id: str) -> None:
    """Checks all ids of the installed libraries."""
    names = {check.__name__ for check in CHECKS} if task_id in WHOLE else {*OF_DECLARATIONS}
    if SAME_ROBOT.fullmatch(task_id):
        names = {"check_spec"}
    if task_id.startswith(SIMULATIONS):
        names -= {*OF_OTHER_SLICES}
    checks = [check for check in CHECKS if check.__name__ in names]
    check_task(task_id, num_envs=3, steps=12, checks=checks)
    jax.clear_caches()  # XLA crashed in processes that kept the programs of 18 ids


def test_contract_of_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class by its name, with observations, actions and states that are trees."""
    case_id = "jax:toys:Trees"
    listed = [*envpool.list_all_envs(), case_id]
    monkeypatch.setattr("envpool.testing._check_life.list_all_envs", lambda: listed)
    check_task(case_id, num_envs=3, steps=16)


def test_a_class_takes_arguments() -> None:
    with envpool.make("jax:toys:Countdown", num_envs=64, env_kwargs={"longest": 4}) as pool:
        assert set(pool.reset()[0].tolist()) == {3, 4}
    with envpool_jax.make(Countdown(4), num_envs=64) as pool:
        obs, info = pool.reset()
        assert set(obs.tolist()) == {3, 4} and not info["paid"].any()
        assert pool.step(np.ones(64, int))[4]["paid"].tolist() == [2.0] * 64


def test_an_environment_of_a_library_is_recognised() -> None:
    pgx: Any = importlib.import_module("pgx")
    with envpool_jax.make(pgx.make("tic_tac_toe"), num_envs=2) as pool:
        obs, info = pool.reset()
        assert obs.shape == (2, 3, 3, 2) and info["legal_action_mask"].all()
    spec = envpool.make_spec("jax:pgx.go:Go", env_kwargs={"size": 5})
    assert spec.observation_space.shape == (5, 5, 17)


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
@pytest.mark.parametrize("resets", ["chunks", "select", "auto"])
def test_ways_to_reset_give_the_same(mode: str, resets: str) -> None:
    """With more rows than a chunk has, and ends in most steps."""
    config: dict[str, Any] = {"num_envs": 70, "autoreset_mode": mode, "max_episode_steps": 5}
    action = np.arange(70) % 2
    with envpool_jax.make(Countdown(), **config) as pool:
        expected = rollout(pool, 20, action)
    with envpool_jax.make(Countdown(), resets=resets, **config) as pool:
        same(rollout(pool, 20, action), expected)


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_functional_is_the_pool_inside_of_a_scan(mode: str) -> None:
    actions = np.random.default_rng(0).integers(0, 2, (12, 4))
    limit = 20 if mode == "disabled" else 5
    with envpool.make(CARTPOLE, num_envs=4, autoreset_mode=mode, max_episode_steps=limit) as pool:
        pool.reset()
        carry, step = pool.functional()
        expected = [pool.step(action) for action in actions[: 4 if mode == "disabled" else 12]]
        for _ in range(2):  # the caller's carry is not used up
            _, results = jax.jit(lambda c, a: jax.lax.scan(step, c, a))(carry, jnp.asarray(actions))
            for number, result in enumerate(expected):
                same(jax.tree.map(lambda leaf, n=number: leaf[n], results), result)


def test_limits_of_an_own_class() -> None:
    class Limited(Countdown):
        """Its limit is set by the test."""

    for limit in (0, -1, 2.7, True, "9", 2**40):
        env = Limited()
        env.max_episode_steps = limit  # type: ignore[assignment]
        with pytest.raises(ConfigError, match=r"max_episode_steps.*whole number of steps"):
            envpool_jax.make(env)
    env.max_episode_steps = np.int64(2)  # type: ignore[assignment]
    with envpool_jax.make(env) as pool:
        assert pool.spec.max_episode_steps == 2


@pytest.mark.parametrize("count", [5, 6])
def test_what_gymnax_returns_is_explained(count: int) -> None:
    class OfGymnax(Countdown):
        """Returns as many values as gymnax: five before 1.0, six since."""

        def step(self, key: Any, state: Any, action: Any) -> Any:
            return (state, state, 1.0, False, False, {})[6 - count :]

    with pytest.raises(ConfigError, match=rf"{count} values; allowed: \(state, envpool_jax.Step"):
        envpool_jax.make(OfGymnax())

    class Lone(Countdown):
        """Returns no pair."""

        def reset(self, key: Any) -> Any:
            return jnp.int32(3)

    with pytest.raises(ConfigError, match=r"reset\(key\) of Lone.*\(state, observation\)"):
        envpool_jax.make(Lone())


def test_memory_of_jax_is_read_only_for_others() -> None:
    with envpool_jax.make(Countdown(), num_envs=4, copy=False) as pool:
        obs = pool.reset()[0]
        with pytest.raises(ValueError, match="read-only"):
            obs[0] = 1
        with pytest.raises(BufferError, match=r"Pass result\.copy\(\)"):
            np.from_dlpack(obs)
        own = np.from_dlpack(obs.copy())
        own[0] = -1
        assert (obs >= 0).all()
    with envpool_jax.make(Countdown(), num_envs=4) as pool:
        assert type(pool.reset()[0]) is np.ndarray


def test_functional_starts_by_itself() -> None:
    with envpool.make(CARTPOLE, num_envs=4) as pool:
        carry, step = pool.functional()
        _, result = jax.jit(step)(carry, jnp.zeros(4, jnp.int32))
        same(result[0], pool.reset()[0])


@pytest.mark.parametrize(
    ("env_type", "config", "error", "message"),
    [
        ("gymnasium", {"autoreset_mode": "same_step"}, StateError, "reset"),
        ("gymnasium", {"batch_size": 2}, ConfigError, "asynchronous"),
        ("vector", {}, ConfigError, "vector"),
    ],
)
def test_functional_is_refused(
    env_type: str, config: dict[str, Any], error: type[Exception], message: str
) -> None:
    with (
        envpool_jax.make(Countdown(), env_type, num_envs=4, **config) as pool,
        pytest.raises(error, match=message),
    ):
        pool.functional()


def test_xla_as_upstream_has_it() -> None:
    with envpool.make(CARTPOLE, num_envs=4) as pool:
        pool.async_reset()
        handle, recv, send, step = pool.xla()

        @jax.jit
        def play(handle: Any) -> Any:
            handle, first = recv(handle)

            def one(handle: Any, _: Any) -> Any:
                handle, result = recv(send(handle, jnp.ones(4, jnp.int32)))
                return handle, result

            return first, jax.lax.scan(one, handle, None, 15)[1]

        first, results = play(handle)
        same(first, pool.recv())
        for number in range(15):
            expected = pool.step(np.ones(4, int))
            same(jax.tree.map(lambda leaf, n=number: leaf[n], results), expected)
        with pytest.raises(ActionError, match=r"float32 of shape \(4,\)"):
            step(handle, jnp.ones(4))
        with pytest.raises(ActionError, match="2 environments"):
            send(handle, jnp.ones(2, jnp.int32), jnp.arange(2))


def test_results_are_views_if_that_is_asked_for() -> None:
    """They do not change when the state that they came from is given to the next step."""
    with envpool.make(CARTPOLE, num_envs=64, copy=False) as pool:
        kept = [pool.reset(), *(pool.step(np.zeros(64, int)) for _ in range(30))]
        copies = jax.tree.map(np.copy, kept)
        for _ in range(30):
            pool.step(np.ones(64, int))
    assert not kept[1][0].flags.writeable and kept[1][4]["env_id"].flags.writeable
    same(kept, copies)
    with envpool.make(CARTPOLE, num_envs=64) as pool:
        same(kept, rollout(pool, 30, np.zeros(64, int)))


def test_results_are_arrays_of_jax() -> None:
    with envpool.make(CARTPOLE, num_envs=4, batch_size=2, array="jax") as pool:
        pool.async_reset()
        obs, info = pool.recv(reset=True)
        assert isinstance(obs, jax.Array) and isinstance(info["env_id"], jax.Array)
        pool.send(jnp.ones(2, jnp.int32), info["env_id"])
        pool.send(jnp.ones((1, 1), jnp.int32), pool.recv()[4]["env_id"][:1])
        obs, *_, info = pool.recv()
        assert isinstance(obs, jax.Array) and info["env_id"].tolist() == [0, 1]
    with pytest.raises(ConfigError, match=r"gymnasium\.vector"):
        envpool.make(CARTPOLE, "vector", num_envs=4, array="jax")


def test_results_can_be_donated() -> None:
    """All arrays of one result, also ids, which the pool keeps for the next result."""
    used = jax.jit(lambda result: jax.tree.map(jnp.flip, result), donate_argnums=0)
    with envpool.make(CARTPOLE, num_envs=4, array="jax") as pool:
        pool.reset()
        for _ in range(3):
            result = pool.step(jnp.ones(4, jnp.int32))
            assert result[4]["env_id"].tolist() == [0, 1, 2, 3]
            used(result)
            assert result[4]["env_id"].is_deleted()


@pytest.mark.needs_torch
def test_results_are_tensors_of_torch() -> None:
    torch: Any = importlib.import_module("torch")
    with envpool.make(CARTPOLE, num_envs=4, array="torch") as pool:
        obs, info = pool.reset()
        assert isinstance(obs, torch.Tensor) and obs.dtype == torch.float32
        policy = torch.nn.Linear(4, 2)
        obs, reward, terminated, _, info = pool.step(policy(obs).argmax(1))
        assert terminated.dtype == torch.bool and not terminated.any()
        assert reward.tolist() == [1.0] * 4 and info["elapsed_step"].tolist() == [1] * 4


def test_states_come_back_in_another_pool() -> None:
    """In slices as well, and with keys of JAX's own key type in them."""
    action = {"move": np.ones((4, 2), int), "push": np.full((4, 2), 0.5)}
    with envpool_jax.make(Trees(), num_envs=4) as pool:
        pool.reset()
        pool.step(action)
        states = pool.save_state()
        expected = [pool.step(action) for _ in range(9)]
    half = jax.tree.map(lambda leaf: leaf[:2], action)
    with envpool_jax.make(Trees(), num_envs=4, batch_size=2, seed=1) as pool:
        pool.load_state(states)
        for result in expected:
            for ids in ([0, 1], [2, 3]):
                pool.send(half, np.asarray(ids, np.int32))
                obs, reward, *_ = pool.recv()
                same(reward, result[1][ids])
                same(obs, jax.tree.map(lambda leaf, ids=ids: leaf[ids], result[0]))


def test_seeds_above_32_bits() -> None:
    seeds = [5, 5 + 2**32, 5 + 2**40]
    with envpool.make(CARTPOLE, num_envs=3, seed=seeds) as pool:
        obs, _ = pool.reset()
        assert len({row.tobytes() for row in obs}) == 3
    event = next(by_hand.events(by_hand.library_of(CARTPOLE), 0, [], None, seed=5))
    np.testing.assert_array_equal(obs[0], event.observation[""])


def test_frames() -> None:
    with envpool_jax.make(Countdown(), num_envs=3, render_mode="rgb_array") as pool:
        with pytest.raises(RenderError, match="no episode"):
            pool.render([0])
        obs, _ = pool.reset()
        frames = pool.render(range(3))
        assert frames.shape == (3, 4, 10, 3)
        assert ((frames[:, 0, :, 0] == 255).sum(1) == obs).all()
        with pytest.raises(RenderError, match="camera_id=1"):
            pool.render(0, camera_id=1)
    with pytest.raises(ConfigError, match="cannot draw itself"):
        envpool.make("jax:gymnax/FrozenLake-misc", render_mode="rgb_array")


DRAWN = [
    CARTPOLE,
    *(
        pytest.param(f"jax:{task}", marks=[pytest.mark.full, *marks])
        for task, *marks in (
            ("gymnax/Breakout-MinAtar",),
            ("gymnax/Catch-bsuite",),
            ("gymnax/MetaMaze-misc",),
            ("pgx/tic_tac_toe", pytest.mark.needs_cairosvg),
            ("pgx/go_9x9", pytest.mark.needs_cairosvg),
            ("jumanji/Game2048-v1",),
            ("jumanji/Snake-v1",),
            ("brax/inverted_pendulum", pytest.mark.needs_brax),
        )
    ),
]


@pytest.mark.filterwarnings("ignore:Brax System:UserWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("task_id", DRAWN)
def test_frames_of_libraries(task_id: str) -> None:
    """Each row's picture shows its own state; drawing it again gives the same picture."""
    with envpool.make(task_id, num_envs=2, render_mode="rgb_array", seed=3) as pool:
        pool.reset()
        rng = np.random.default_rng(1)
        for _ in range(20):  # until the two are not in the same state by chance
            pool.step(random_actions(pool.action_space, 2, rng))
            frames = pool.render([0, 1])
            if (frames[0] != frames[1]).any():
                break
        assert frames.dtype == np.uint8 and frames.shape[0] == 2 and frames.shape[3] == 3
        assert len(np.unique(frames.reshape(-1, 3), axis=0)) > 2
        np.testing.assert_array_equal(pool.render([1])[0], frames[1])
        assert (frames[0] != frames[1]).any()


@pytest.mark.parametrize(
    ("rule", "error", "message"),
    [
        ("state", ConfigError, r"state\['more'\].*float32.*after step.*int32"),
        ("observation", ConfigError, "observation of .*float32 of shape .* after step.*int32"),
        ("reward", ConfigError, r"reward of .*shape \(3,\)"),
        ("tuple", ConfigError, "a tuple.*envpool_jax.Step"),
        ("space", ConfigError, r"int32 of shape \(\); allowed: int32 of shape \(2,\)"),
        ("kind", ConfigError, "Text.*MultiDiscrete"),
        ("info", ConfigError, "info.unknown"),
        ("raises", WorkerError, "step.*TracerBoolConversionError"),
    ],
)
def test_what_does_not_fit_is_named(rule: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        envpool_jax.make(Broken(rule), num_envs=2)


@pytest.mark.parametrize(
    ("task_id", "config", "error", "message"),
    [
        (CARTPOLE, {"array": "tensor"}, ConfigError, "array='tensor'.*'torch'"),
        (CARTPOLE, {"resets": "chunk"}, ConfigError, "Did you mean 'chunks'"),
        (CARTPOLE, {"device": "tpu:7"}, ConfigError, "tpu:7.*cpu"),
        (CARTPOLE, {"env_kwargs": {"no_such": 1}}, ConfigError, "no_such"),
        (CARTPOLE, {"env_kwargs": 3}, ConfigError, "a dict"),
        ("jax:gymnax/CartPoll-v1", {}, UnknownTaskError, "Did you mean 'CartPole-v1'"),
        ("jax:gymnas/CartPole-v1", {}, UnknownTaskError, "Did you mean 'gymnax'"),
        ("jax:no.such.module:Env", {}, UnknownTaskError, "no.such|No module"),
        ("jax:toys:NoSuch", {}, UnknownTaskError, "NoSuch"),
        ("jax:toys:jnp.zeros", {"env_kwargs": {"shape": 3}}, ConfigError, "reset_env"),
        ("jax:env", {}, ConfigError, "envpool_jax.make"),
    ],
)
def test_what_is_wrong_is_explained(
    task_id: str, config: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        envpool.make(task_id, num_envs=2, **config)


def test_a_library_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    # Otherwise modules of brax that another test imported would still be found.
    for name in ["brax", *(name for name in sys.modules if name.startswith("brax."))]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr("envpool_jax.adapters.brax.list_tasks", list)
    with pytest.raises(MissingPackageError, match=r"envpool-jax\[brax\]"):
        # Unique arguments: an environment that was made before is reused.
        envpool.make("jax:brax/fast", env_kwargs={"episode_length": 7})


def test_an_adapter_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = {
        "mine": EntryPoint("mine", "adapter_of_others", "envpool_jax"),
        "broken": EntryPoint("broken", "no_such_module", "envpool_jax"),
    }
    monkeypatch.setattr(_adapters, "adapters", lambda: entries)
    assert [task.id for task in envpool_jax.FAMILY.envpool_tasks()] == ["jax:mine/Down-v0"]
    task = envpool_jax.FAMILY.envpool_task("jax:mine/Down-v0")
    assert task is not None
    prepared: Any = envpool_jax.FAMILY.envpool_prepare(task, {"env_kwargs": {"longest": 3}}, False)
    assert prepared.env.env.longest == 3
    with pytest.raises(PluginError, match="no_such_module"):
        envpool_jax.FAMILY.envpool_task("jax:broken/any")
    told = [f for f in envpool_jax.FAMILY.envpool_findings() if isinstance(f, envpool.Finding)]
    found = {finding.name: finding for finding in told}
    assert found["broken"].status == "problem" and found["mine"].detail == "1 tasks"


def test_the_lists_are_those_of_the_libraries() -> None:
    gymnax: Any = importlib.import_module("gymnax.registration")
    pgx: Any = importlib.import_module("pgx")
    jumanji: Any = importlib.import_module("jumanji")
    downloads = {"MNISTBandit-bsuite", "bridge_bidding"}
    downloads |= {"Sokoban-v0", "Sudoku-v0", "Sudoku-very-easy-v0"}
    for name, known in (
        ("gymnax", gymnax.registered_envs),
        ("pgx", pgx.available_envs()),
        ("jumanji", jumanji.registered_environments()),
    ):
        assert set(_adapters.module_of(name).list_tasks()) == set(known) - downloads


def test_listing_imports_no_jax() -> None:
    code = (
        "import sys, envpool; names = envpool.list_all_envs();"
        f"assert {CARTPOLE!r} in names and 'jax:pgx/go_9x9' in names;"
        "print('jax' in sys.modules, 'gymnax' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.filterwarnings("ignore:.*fork:RuntimeWarning", "ignore:.*fork:DeprecationWarning")
def test_a_forked_child_is_told() -> None:
    with envpool_jax.make(Countdown(), num_envs=2) as pool:
        pool.reset()
        reader, writer = os.pipe()
        child = os.fork()
        if not child:  # JAX's threads do not exist there, so only the refusal is allowed
            try:
                pool.step(np.zeros(2, int))
            except StateError as error:
                os.write(writer, str(error).encode())
            os._exit(0)
        os.close(writer)
        os.waitpid(child, 0)
        with os.fdopen(reader) as answer:
            assert "made before fork()" in answer.read()


def test_slow_compilation_is_announced(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_compiling, "_SLOW", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with _compiling.progress("jax:toys:Slow") as timer:
        timer.join(10)
    assert "jax:toys:Slow: XLA compiles" in capsys.readouterr().err
