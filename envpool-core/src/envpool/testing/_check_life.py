# SPDX-License-Identifier: Apache-2.0
"""Checks of a pool as a Python object: its description, its copies, and its end."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from typing import Any

import dm_env  # type: ignore[import-untyped]
import gymnasium
import numpy as np
from gymnasium.spaces import Dict, Discrete, Text, Tuple
from gymnasium.vector.utils import batch_space

from .._discovery.registry import list_all_envs
from .._pools.make import make_spec
from ._case import Case
from ._rollout import RECV_TIMEOUT, difference, leaves


def check_listed(case: Case) -> None:
    """The task is listed, and `make_spec` has the same properties as its pools."""
    case.require(
        case.task_id in list_all_envs(),
        "list_all_envs() does not have the task",
        "Yield it in envpool_tasks()",
    )
    with case.make() as pool:
        facts = {
            "len(pool)": (len(pool), case.num_envs),
            "num_envs": (pool.num_envs, case.num_envs),
            "all_env_ids": (pool.all_env_ids.tolist(), list(range(case.num_envs))),
            "is_async": (pool.is_async, False),
            "closed": (pool.closed, False),
            "spec.id": (pool.spec.id, case.task_id),
            "config": (pool.config, case.spec.options),
            "observation_space": (pool.observation_space, case.spec.observation_space),
            "action_space": (pool.action_space, case.spec.action_space),
        }
        for name, (got, wanted) in facts.items():
            case.require(got == wanted, f"{name} is {got!r} and not {wanted!r}", "Report this")
        case.require(
            f"num_envs={case.num_envs}" in repr(pool),
            f"repr(pool) does not show the options: {pool!r}",
            "Report this",
        )


def check_copies(case: Case) -> None:
    """Specs and pools can be pickled and copied: as a recipe, so that the copy starts anew."""
    with case.make() as pool:
        case.actor(pool).run(2)
        for how, twin in (
            ("pickle", pickle.loads(pickle.dumps(pool))),
            ("copy.deepcopy", copy.deepcopy(pool)),
        ):
            with twin:
                case.require(
                    type(twin) is type(pool) and twin.config == pool.config,
                    f"{how} of {pool!r} gave {twin!r}",
                    "Report this",
                )
                rollout = case.actor(twin).run(4)
            found = difference(rollout, case.reference)
            what = f"{how} of a pool gave one that differs from a new one"
            case.require_same(found, what, "Look for state that environments share")
    spec = pickle.loads(pickle.dumps(case.spec))
    case.require(
        spec.options == case.spec.options,
        f"a pickled spec has the options {spec.options}",
        "Report this",
    )
    again = make_spec(case.task_id, **case.spec.kwargs)
    case.require(again.options == spec.options, "kwargs do not make the spec again", "Report this")


def check_end(case: Case) -> None:
    """A pool that is dropped with environments in flight ends, and its results stay valid."""
    pool = case.make(num_threads=2, batch_size=1)
    actor = case.actor(pool)
    pool.async_reset()
    result = pool.recv(timeout=RECV_TIMEOUT)
    bytes_before = pickle.dumps(result)
    pool.send(actor.action(result[4]["env_id"].tolist()), result[4]["env_id"])
    gone = weakref.ref(pool)
    del pool, actor
    gc.collect()
    case.require(
        gone() is None, "something keeps a pool that no one uses alive", "Look for a cycle"
    )
    case.require(
        pickle.dumps(result) == bytes_before,
        "a result changed when its pool ended",
        "Results belong to the caller; report this",
    )


def check_vector_env(case: Case) -> None:
    """The env type "vector" keeps the contract of gymnasium.vector.VectorEnv."""
    if case.spec.options["max_num_players"] > 1:
        return
    with case.make("vector", autoreset_mode="same_step", max_episode_steps=2) as pool:
        case.require(
            isinstance(pool, gymnasium.vector.VectorEnv), f"{pool!r} is no VectorEnv", "Report this"
        )
        for name in ("observation_space", "action_space"):
            single = getattr(case.spec, name)
            if name == "observation_space" and case.spec.task and case.spec.task.tuple_choices:
                single = Tuple(map(Discrete, case.spec.task.tuple_choices))
            elif name == "observation_space" and case.spec.task and case.spec.task.texts:
                spaces = dict(single.spaces)
                for text, letters in case.spec.task.texts.items():
                    if text in spaces:
                        length = spaces[text].shape[0]
                        spaces[text] = Text(length, min_length=0, charset=letters)
                single = Dict(spaces)
            wanted = batch_space(single, case.num_envs)
            case.require(getattr(pool, name) == wanted, f"{name} is not {wanted!r}", "Report this")
        actions = pool.action_space
        actions.seed(case.seed)
        results = [pool.reset(), *(pool.step(actions.sample()) for _ in range(case.steps))]
        for number, result in enumerate(results):
            if number:
                over = result[2] | result[3]
                has_final = "final_obs" in result[4]
                case.require(
                    has_final == over.any(),
                    f"result {number}: the info has {sorted(result[4])}, ended are {over}",
                    "final_obs is there when an episode ended; report this",
                )
            _check_masks(case, result[-1], f"result {number}: info")


def _check_masks(case: Case, info: dict[str, Any], where: str) -> None:
    for key, value in info.items():
        if key.startswith("_"):
            continue
        mask = info.get(f"_{key}")
        case.require(
            (
                isinstance(mask, np.ndarray)
                and mask.dtype == np.bool_
                and mask.shape == (case.num_envs,)
            )
            or isinstance(value, dict),
            f"{where}[{key!r}] has the mask {mask!r}",
            "Every key has a bool mask of shape (num_envs,); report this",
        )
        if isinstance(value, dict):
            _check_masks(case, value, f"{where}[{key!r}]")


def check_dm_environment(case: Case) -> None:
    """The env type "dm" keeps the contract of dm_env.Environment."""
    with case.make("dm", max_episode_steps=2) as pool:
        case.require(
            isinstance(pool, dm_env.Environment),
            f"{pool!r} is no dm_env.Environment",
            "Report this",
        )
        actor = case.actor(pool)
        steps = [pool.reset()]
        actor.keep(steps[0])
        for _ in range(case.steps):
            steps.append(pool.step(actor.action()))
            actor.keep(steps[-1])
    for number, step in enumerate(steps):
        types = {"step_type": np.int32, "reward": np.float32, "discount": np.float32}
        for name, dtype in types.items():
            got = getattr(step, name)
            case.require(
                isinstance(got, np.ndarray) and got.dtype == dtype,
                f"result {number}: {name} is {got!r} and not {np.dtype(dtype)}",
                "Report this",
            )
        case.require(
            (step.first() | step.mid() | step.last()).all(),
            f"result {number}: step_type is {step.step_type}",
            "Every row is FIRST, MID or LAST; report this",
        )
        inside = (step.discount >= 0) & (step.discount <= 1)
        case.require(
            inside.all(),
            f"result {number}: the discount is {step.discount}",
            "It lies between 0 and 1",
        )
        case.require("env_id" in leaves(step.observation), "State has no env_id", "Report this")
