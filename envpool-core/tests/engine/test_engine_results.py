# SPDX-License-Identifier: Apache-2.0
"""Result arrays belong to Python: an array that is kept, or a view of it, does not change."""

from __future__ import annotations

import ctypes
import gc
import pickle
import weakref
from typing import Any, NamedTuple

import numpy as np
import pytest
from envpool.errors import ActionError, ConfigError, StateError


def steps_of(pool, count, num_envs):
    rng = np.random.default_rng(3)
    for _ in range(count):
        yield pool.step(rng.integers(0, 1000, num_envs))


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("keep_every", [1, 2, 7])
def test_arrays_that_are_kept_stay_as_they_are(make, num_threads, keep_every):
    pool = make(num_envs=70, num_threads=num_threads)
    pool.reset()
    kept = []
    for number, result in enumerate(steps_of(pool, 200, 70)):
        if number % keep_every == 0:
            kept.append((result, {name: array.copy() for name, array in result.items()}))
    for result, copies in kept:
        for name, array in result.items():
            assert np.array_equal(array, copies[name]), name
    memory = {array.ctypes.data for result, _ in kept for array in result.values()}
    assert len(memory) == sum(len(result) for result, _ in kept)


def test_arrays_that_are_let_go_are_used_again(make):
    pool = make(num_envs=70)
    pool.reset()
    seen = {result["obs"].ctypes.data for result in steps_of(pool, 200, 70)}
    assert len(seen) <= 3


HOLDERS = {
    "array": lambda array: array,
    "view": lambda array: array[1:],
    "view of a view": lambda array: array[1:][:, 1:],
    "reshaped": lambda array: array.reshape(-1),
    "transposed": lambda array: array.T,
    "other dtype": lambda array: array.view(np.uint8),
    "asarray": lambda array: np.asarray(memoryview(array)),
    "memoryview": memoryview,
    "memoryview slice": lambda array: memoryview(array)[1:],
    "frombuffer": lambda array: np.frombuffer(array, np.int32),
    "ctypes": lambda array: (ctypes.c_int * array.size).from_buffer(array),
    "dlpack": np.from_dlpack,
    "dlpack capsule": lambda array: array.__dlpack__(),
    "flat iterator": lambda array: array.flat,
    "broadcast": lambda array: np.broadcast_to(array, (2, *array.shape)),
    "record": lambda array: array.view(np.recarray),
    "masked": np.ma.array,
}


def content(holder):
    """The bytes that a holder of int32 numbers reads."""
    if isinstance(holder, memoryview):
        return holder.tobytes()
    if isinstance(holder, ctypes.Array):
        return bytes(holder)
    if type(holder).__name__ == "PyCapsule":

        class Owner:
            def __dlpack__(self, **_):
                return holder

            def __dlpack_device__(self):
                return 1, 0

        return np.from_dlpack(Owner()).tobytes()
    return np.array(holder).tobytes()


@pytest.mark.parametrize("name", HOLDERS)
def test_whatever_looks_into_an_array_keeps_it(make, name):
    pool = make(num_envs=4, goal=0)
    pool.reset()
    array = pool.step([1, 2, 3, 4])["obs"]
    before = content(HOLDERS[name](array.copy()))
    address = array.ctypes.data
    holder = HOLDERS[name](array)
    del array
    gc.collect()
    for result in steps_of(pool, 60, 4):
        assert result["obs"].ctypes.data != address
    del result
    pool.close()
    del pool
    gc.collect()
    assert content(holder) == before


def test_one_row_is_enough_to_keep_an_array(make):
    pool = make(num_envs=4, goal=0)
    pool.reset()
    rows = [result["obs"][2] for result in steps_of(pool, 100, 4)]
    assert [row[0] for row in rows] == list(range(1, 101))


@pytest.mark.parametrize("batch_size", [6, 4])
def test_arrays_outlive_their_pool(make, module, batch_size):
    pool = module.Counter.make({"num_envs": 6, "batch_size": batch_size}, "Test-v0")
    layout = ("info:env_id", "obs", "elapsed_step")
    pool.set_result_layouts(layout, layout)
    pool.async_reset()
    results = [pool.recv()]
    for _ in range(20):
        pool.send(np.arange(batch_size), results[-1][0])
        results.append(pool.recv())
    copies = [[array.copy() for array in result] for result in results]
    del pool
    gc.collect()
    rubbish = [np.full(2**16, 7) for _ in range(50)]
    for result, copy in zip(results, copies, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(result, copy, strict=True))
    del rubbish


@pytest.mark.parametrize(("num_envs", "batch_size"), [(7, 7), (7, 3)])
def test_arrays_are_ready_for_any_use(make, num_envs, batch_size):
    pool = make("Arrays", num_envs=num_envs, batch_size=batch_size)
    pool.async_reset()
    result = pool.recv()
    for name, array in result.items():
        assert array.flags.c_contiguous and array.flags.aligned and array.flags.writeable, name
        assert array.dtype.isnative
        assert len(array) == batch_size
        array[...] = 1
        assert (pickle.loads(pickle.dumps(array)) == 1).all()


def test_arrays_may_be_written(make):
    pool = make(num_envs=3, goal=0)
    pool.reset()
    for step, result in enumerate(steps_of(pool, 50, 3), 1):
        assert result["obs"][:, 0].tolist() == [step] * 3
        for array in result.values():
            array[...] = 1


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # NumPy would have us make views
def test_arrays_that_python_changed_are_not_handed_out_again(make):
    """Shape, dtype and the permission to write can be changed in place."""
    pool = make(num_envs=4, goal=0)
    pool.reset()
    changes = {
        "obs": lambda array: setattr(array, "shape", (2, 4)),
        "info:draw": lambda array: setattr(array, "dtype", np.int32),
        "reward": lambda array: array.setflags(write=False),
        "done": lambda array: setattr(array, "dtype", np.int8),
        "info:life": lambda array: setattr(array, "shape", (2, 2)),
    }
    for step, result in enumerate(steps_of(pool, 40, 4), 1):
        assert result["obs"].shape == (4, 2)
        assert result["info:life"].tolist() == [step] * 4
        assert result["done"].dtype == bool
        assert result["info:draw"].dtype == np.uint32
        assert all(array.flags.writeable for array in result.values())
        for name, change in changes.items():
            change(result[name])


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("batch_size", [9, 4])
def test_what_a_step_does_not_write_is_zero(make, batch_size, num_threads):
    pool = make("Image", num_envs=9, batch_size=batch_size, num_threads=num_threads)
    pool.async_reset()
    for _ in range(100):
        result = pool.recv()
        flat = result["obs"].reshape(batch_size, -1)
        assert (np.sort(flat, 1)[:, -1] == 255).all()
        assert (flat != 0).sum() == batch_size
        assert set(result["info:sum"][:, 1].tolist()) <= {0.0, 1.0}
        assert not result["info:sum"][:, 0].any()
        assert not result["reward"].any()
        ids = result["info:env_id"].copy()
        for array in result.values():
            array[...] = 77  # the memory is used again
        pool.send(np.zeros((batch_size, 2), np.float32), ids)


class Made:
    """A class of a layout."""

    def __init__(self, *parts):
        self.parts = parts


def test_layouts(make, module):
    pool = module.Counter.make({"num_envs": 3}, "Test-v0")
    assert pool.reset() is None
    pool.set_result_layouts(
        [Made, "info:env_id", ("reward", None, {"a": "obs", "b": {}}), "*"],
        {"x": (), "mask": "*"},
    )
    result = pool.reset()
    assert list(result) == ["x", "mask"]
    assert result["x"] == ()
    assert result["mask"].tolist() == [True] * 3
    result = pool.step([1, 2, 3])
    assert isinstance(result, Made)
    ids, (reward, nothing, tree), _mask = result.parts
    assert ids.tolist() == [0, 1, 2]
    assert reward.tolist() == [1, 1, 1]
    assert nothing is None
    assert tree["a"].tolist() == [[1, 1], [1, 2], [1, 3]]
    assert tree["b"] == {}
    pool.send([4], [1])
    assert pool.recv(True)["mask"].tolist() == [True]
    pool.send([4], [1])
    with pytest.raises(Exception, match="1 results in flight"):
        pool.set_result_layouts("info:env_id", "info:env_id")
    pool.recv()
    for wrong in (1, "x", "final obs", "final", "", 1.5, [], {1}):
        with pytest.raises(ValueError, match=r"^layout: "):
            pool.set_result_layouts(wrong, "obs")
        with pytest.raises(ValueError, match=r"^layout: "):
            pool.set_result_layouts("obs", (wrong,))
    assert pool.step([1, 2, 3]).parts[0].tolist() == [0, 1, 2]


class Pair(NamedTuple):
    """A named tuple with a method, as dm_env.TimeStep is one."""

    obs: Any
    reward: Any = "default"

    def total(self) -> Any:
        return self.obs[:, 0] + self.reward


class Swapped(Pair):
    """One that makes something else of its arguments."""

    def __new__(cls, obs: Any, reward: Any) -> Swapped:
        return super().__new__(cls, reward, obs)


class Noted(Pair):
    """One that reads the arrays of its argument."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts


def test_named_tuples_of_a_layout(make):
    pool = make("Counter", num_envs=2, num_threads=1)
    pool.set_result_layouts(
        {
            "pair": [Pair, "obs", "reward"],
            "short": [Pair, "obs"],
            "swapped": [Swapped, "obs", "reward"],
            "noted": [Noted, "obs", "reward"],
        },
        None,
    )
    pool.reset()
    made = pool.step([1, 2])
    assert type(made["pair"]) is Pair
    assert made["pair"]._fields == ("obs", "reward")
    np.testing.assert_array_equal(made["pair"].total(), made["pair"][0][:, 0] + made["pair"][1])
    assert hash(Pair(1, 2)) == hash((1, 2))
    assert type(made["short"]) is Pair
    assert made["short"].reward == "default"
    assert type(made["swapped"]) is Swapped
    assert made["swapped"].obs is made["pair"].reward
    assert type(made["noted"]) is Noted
    assert made["noted"].parts[0] is made["pair"].obs
    pool.set_result_layouts([Pair, "obs", "reward", "obs"], None)
    with pytest.raises(TypeError, match="positional argument"):
        pool.step([1, 2])


def test_nested_actions(make):
    pool = make("Counter", num_envs=2, num_threads=1)
    pool.set_result_layouts("info:env_id", None)
    pool.reset()
    ids = pool.step({"action": [1, 2], "players": {"env_id": [1, 0]}, "env_id": [0, 1]})
    np.testing.assert_array_equal(ids, [0, 1])
    pool.send({"action": [1, 2], "players": {"env_id": [1, 0]}})
    pool.recv()
    endless: dict[str, Any] = {}
    endless["a"] = endless
    with pytest.raises(RecursionError):
        pool.step(endless)
    with pytest.raises(ActionError, match=r"key 'a\.b\.c'"):
        pool.step({"action": [1, 2], "a": {"b": {"c": 1}}})


def test_a_class_of_a_layout_that_raises(make, module):
    def refuse(*parts):
        raise KeyError("not today")

    pool = module.Counter.make({"num_envs": 3}, "Test-v0")
    pool.set_result_layouts([refuse, "obs"], "obs")
    pool.reset()
    for _ in range(50):
        with pytest.raises(KeyError, match="not today"):
            pool.step([1, 2, 3])
        assert pool.num_in_flight == 0
    pool.set_result_layouts("elapsed_step", "obs")
    assert pool.step([1, 2, 3]).tolist() == [51 % 11] * 3


def arrays_for(pool, value, rows):
    """Arrays that the next results may be written into."""
    like = pool.step(np.zeros(rows, int)) if rows else {}
    return {name: np.full_like(array, value) for name, array in like.items()}


@pytest.mark.parametrize("rows", [6, 4, 0])
def test_results_lie_where_the_program_wants_them(make, rows):
    """The same numbers as without, also where a result has fewer rows than the arrays."""
    pool, plain = make(num_envs=6), make(num_envs=6)
    ids = np.arange(rows, dtype=np.int32)
    for one in (pool, plain):
        one.reset()
    wanted = plain.step(np.zeros(6, int))
    given = arrays_for(pool, 1, 6)
    for i in range(5):
        pool.set_result_arrays(given)
        found, wanted = (one.step(np.full(rows, i % 3), ids) for one in (pool, plain))
        for name, array in found.items():
            assert np.array_equal(array, wanted[name]), name
            assert array.base is given[name] or array is given[name] or not rows
    assert not any(
        np.shares_memory(pool.step(np.zeros(6, int))[name], given[name]) for name in given
    )


def test_results_at_the_end_of_an_episode_lie_there_too(make):
    pool = make(num_envs=2, autoreset="same_step")
    pool.reset()
    final = np.zeros_like(pool.step([0, 0])["final obs"])
    for _ in range(30):
        pool.set_result_arrays({"final obs": final})
        result = pool.step([1, 1])
        assert result["final obs"] is final
        assert not np.shares_memory(result["obs"], final)
        if result["done"].any():
            assert final[result["done"]].all()
            return
    pytest.fail("no episode has ended")


def test_a_reset_writes_there_and_lets_go(make):
    pool = make(num_envs=4)
    pool.reset()
    given = arrays_for(pool, 0, 4)
    pool.set_result_arrays({"obs": given["obs"]})
    with pytest.raises(ActionError):
        pool.step([1])  # nothing was sent: they are for the next
    assert pool.reset()["obs"] is given["obs"]
    ref = weakref.ref(given.pop("obs"))
    gc.collect()
    assert ref() is None
    pool.set_result_arrays({"reward": given["reward"]})
    pool.close()  # which lets go of them, too
    ref = weakref.ref(given.pop("reward"))
    gc.collect()
    assert ref() is None


def test_arrays_that_will_not_do(make):
    pool = make(num_envs=4)
    pool.reset()
    good = arrays_for(pool, 0, 4)
    frozen = good["obs"].copy()
    frozen.flags.writeable = False
    memory = np.zeros(good["obs"].nbytes + 1, np.uint8)
    crooked = memory[1:].view(good["obs"].dtype).reshape(good["obs"].shape)
    for arrays, text in (
        ({"nothing": good["obs"]}, "stand in a layout"),
        ({"final obs": good["obs"]}, "stand in a layout"),
        ({"obs": good["obs"].tolist()}, "shape"),
        ({"obs": good["obs"][:3]}, "shape"),
        ({"obs": good["obs"].astype(np.float16)}, "float16"),
        ({"obs": frozen}, "writable"),
        ({"obs": np.repeat(good["obs"], 2, 0)[::2]}, "contiguous"),
        ({"obs": crooked}, "contiguous"),
        ({"reward": good["reward"], "obs": frozen}, "writable"),
    ):
        with pytest.raises(ConfigError, match=text):
            pool.set_result_arrays(arrays)
        assert not np.shares_memory(pool.step([1, 1, 1, 1])["reward"], good["reward"])
    pool.send([1, 1, 1, 1])
    with pytest.raises(StateError, match="set_result_arrays"):
        pool.set_result_arrays({})
    pool.recv()
    with pytest.raises(StateError, match="synchronous"):
        make(num_envs=4, batch_size=2).set_result_arrays({})


def test_rows_of_an_environment_that_writes_all_of_them_are_not_cleared(make):
    """An element that such an environment leaves out keeps the memory's old value; others get 0."""
    pool = make("Whole", num_envs=2)
    pool.reset()
    seen = set()
    for number in range(2, 20):
        result = pool.step(np.full(2, number, np.int32))
        assert (result["obs"][:, 0] == number).all()
        assert (result["reward"] == 0).all()
        if number % 2 == 1:
            seen |= set(result["obs"][:, 1].tolist())
        del result
    assert len(seen) > 1, seen
