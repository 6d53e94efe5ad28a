# SPDX-License-Identifier: Apache-2.0
"""pool.xla() with a stand-in for the few functions of JAX that it uses."""

from __future__ import annotations

import sys
import types

import envpool
import numpy as np
import pytest
from envpool.errors import ConfigError


class ShapeDtypeStruct:
    """jax.ShapeDtypeStruct."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, np.dtype(dtype)


def tree_map(function, tree, *others):
    if isinstance(tree, dict):
        return {key: tree_map(function, tree[key], *(o[key] for o in others)) for key in tree}
    if isinstance(tree, tuple):
        items = [tree_map(function, *leaves) for leaves in zip(tree, *others, strict=True)]
        return type(tree)(*items) if hasattr(tree, "_fields") else tuple(items)
    return function(tree, *others)


def io_callback(function, shapes, *args, ordered):
    """Calls at once, and insists on the promised shapes as JAX does."""
    assert ordered
    result = function(*args)

    def check(array, shape):
        assert (array.shape, array.dtype) == (shape.shape, shape.dtype)
        return array

    return None if shapes is None else tree_map(check, result, shapes)


@pytest.fixture
def jax(monkeypatch):
    """A module `jax` without 64-bit types, as the real one is by default."""
    module = types.ModuleType("jax")
    module.tree = types.SimpleNamespace(map=tree_map)
    module.ShapeDtypeStruct = ShapeDtypeStruct
    module.numpy = np
    narrow = {"float64": "float32", "int64": "int32"}
    module.dtypes = types.SimpleNamespace(
        canonicalize_dtype=lambda dtype: np.dtype(narrow.get(dtype.name, dtype.name))
    )
    monkeypatch.setitem(sys.modules, "jax", module)
    experimental = types.ModuleType("jax.experimental")
    experimental.io_callback = io_callback
    monkeypatch.setitem(sys.modules, "jax.experimental", experimental)


@pytest.mark.usefixtures("jax")
@pytest.mark.parametrize("env_type", ["gymnasium", "vector", "dm"])
def test_step(env_type):
    pool = envpool.make("Counter-v0", env_type, num_envs=3, seed=5)
    pool.reset()
    handle, recv, send, step = pool.xla()
    assert handle.dtype == np.uint8
    same, result = step(handle, np.zeros(3, np.int32))
    assert same is handle
    obs = result.observation.obs if env_type == "dm" else result[0]
    assert obs.tolist() == [[5, 1], [6, 1], [7, 1]]
    total = result.observation.total if env_type == "dm" else result[4]["total"]
    assert total.dtype == np.int32
    assert recv(send(handle, {"action": np.zeros(3)}))[1][1].shape == (3,)


@pytest.mark.usefixtures("jax")
def test_subsets_and_batches():
    pool = envpool.make("Counter-v0", num_envs=4, seed=5)
    pool.reset()
    handle, *_, step = pool.xla()
    result = step(handle, np.zeros(2), np.array([3, 1]))[1]
    assert result[4]["env_id"].tolist() == [3, 1]
    pool = envpool.make("Counter-v0", num_envs=4, batch_size=2)
    pool.async_reset()
    handle, recv, _, step = pool.xla()
    ids = recv(handle)[1][4]["env_id"]
    assert step(handle, np.zeros(2), ids)[1][0].shape == (2, 2)


@pytest.mark.usefixtures("jax")
def test_nested_actions():
    import fake_family

    pool = envpool.make("Nested-v0", num_envs=2)
    pool.reset()
    handle, *_, step = pool.xla()
    step(handle, {"move": np.zeros(2), "players": {"aim": np.zeros((2, 2))}})
    assert set(fake_family.NESTED.pools[-1].calls[-2][1]) == {"move", "players.aim"}


@pytest.mark.usefixtures("jax")
@pytest.mark.parametrize(
    ("env_type", "config"),
    [
        ("gymnasium", {"max_num_players": 2}),
        ("vector", {"autoreset_mode": "same_step"}),
    ],
)
def test_results_without_a_fixed_shape(env_type, config):
    with pytest.raises(ConfigError, match=next(iter(config))):
        envpool.make("Counter-v0", env_type, **config).xla()


def test_without_jax(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(ImportError, match="pip install jax"):
        envpool.make("Counter-v0").xla()
