# SPDX-License-Identifier: Apache-2.0
"""as_tensors and PinnedMemory, with a stand-in for the function of PyTorch that shares memory."""

from __future__ import annotations

import gc
import sys
import types

import envpool
import numpy as np
import pytest
from envpool.errors import ConfigError, MissingPackageError
from envpool.integrations import PinnedMemory, as_tensors


class Tensor:
    """A result of torch.from_numpy keeps the array, and has its memory."""

    def __init__(self, array):
        self.array = array
        self.shape = array.shape

    def data_ptr(self):
        return self.array.__array_interface__["data"][0]


@pytest.fixture(autouse=True)
def torch(monkeypatch):
    """A module `torch` without CUDA."""
    module = types.ModuleType("torch")
    module.from_numpy = Tensor
    module.cuda = types.SimpleNamespace(is_available=lambda: False)
    monkeypatch.setitem(sys.modules, "torch", module)


class Locks:
    """Memory that is locked: sizes by address."""

    def __init__(self):
        self.now, self.calls = {}, 0

    def lock(self, address, size):
        assert address not in self.now
        self.now[address] = size
        self.calls += 1

    def unlock(self, address):
        del self.now[address]


@pytest.mark.parametrize("env_type", ["gymnasium", "vector", "dm"])
def test_tensors_share_the_memory_of_results(env_type):
    pool = envpool.make("Pole-v0", env_type, num_envs=4)
    pool.reset()
    result = pool.step(np.zeros(4, int))
    tensors = as_tensors(result)
    assert type(tensors) is type(result)
    obs, tensor = (
        (tree.observation.obs if env_type == "dm" else tree[0]) for tree in (result, tensors)
    )
    assert tensor.data_ptr() == obs.__array_interface__["data"][0]
    if env_type != "dm":
        assert isinstance(tensors[4]["elapsed_step"], Tensor)


def test_a_tensor_that_lives_is_never_written():
    pool = envpool.make("Pole-v0", num_envs=4, seed=1)
    pool.reset()
    kept = [as_tensors(pool.step(np.ones(4, int)))[0] for _ in range(100)]
    copies = [tensor.array.copy() for tensor in kept]
    for _ in range(100):
        pool.step(np.ones(4, int))
    pool.close()
    del pool
    gc.collect()
    assert len({tensor.data_ptr() for tensor in kept}) == 100
    assert all(np.array_equal(t.array, copy) for t, copy in zip(kept, copies, strict=True))


def test_memory_is_locked_once_and_unlocked_at_its_end():
    locks = Locks()
    pinned = PinnedMemory(locks.lock, locks.unlock)
    pool = envpool.make("Pole-v0", num_envs=512)
    pool.reset()
    for _ in range(100):
        tensors = as_tensors(pool.step(np.zeros(512, int)), pinned)
    # The observations have 8 KiB; the other arrays are smaller than a page.
    assert 1 <= locks.calls <= 3
    assert set(locks.now.values()) == {8192}
    assert pinned.num_locked == len(locks.now)
    assert tensors[0].data_ptr() in locks.now
    pool.close()
    assert tensors[0].data_ptr() in locks.now  # the tensor still has it
    del tensors
    gc.collect()
    assert not locks.now and pinned.num_locked == 0


def test_a_part_of_a_batch_locks_the_whole_array():
    locks = Locks()
    pinned = PinnedMemory(locks.lock, locks.unlock)
    pool = envpool.make("Pole-v0", num_envs=512)
    pool.reset()
    as_tensors(pool.step(np.zeros(300, int), np.arange(300)), pinned)
    as_tensors(pool.step(np.zeros(200, int), np.arange(200)), pinned)
    assert set(locks.now.values()) == {8192}


def test_refusals(monkeypatch):
    with pytest.raises(ConfigError, match="finds no CUDA device"):
        PinnedMemory()
    with pytest.raises(ConfigError, match="both or none"):
        PinnedMemory(lock=lambda address, size: None)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingPackageError, match="pip install torch"):
        as_tensors(np.zeros(3))
