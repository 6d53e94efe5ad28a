# SPDX-License-Identifier: Apache-2.0
"""Actions: what is converted, what is refused; a refusal sends nothing, on whichever call."""

from __future__ import annotations

import decimal
import functools

import numpy as np
import pytest
from engine_messages import refused
from envpool.errors import ActionError, StateError

DTYPES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float32",
    "float64",
]


def zeros(num_envs, **change):
    """An action of the environment Arrays."""
    action = {dtype: np.zeros((num_envs, 2), dtype) for dtype in DTYPES}
    action |= {"bounded": np.zeros((num_envs, 2), np.int16), "scalar": np.zeros(num_envs, int)}
    return action | {"flexible": np.zeros((num_envs, 2), np.float32)} | change


def limits(dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return False, True
    if dtype.kind == "f":
        return np.finfo(dtype).min, np.finfo(dtype).max
    info = np.iinfo(dtype)
    return info.min, min(info.max, 2**63 - 1)  # larger bounds are none, see Spec


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_arrives_unchanged(make, dtype):
    pool = make("Arrays", num_envs=3, num_threads=2)
    pool.reset()
    low, high = limits(dtype)
    values = np.array([[low, high], [0, 1], [high, low]], dtype)
    for order in ("=", ">"):
        given = values.astype(values.dtype.newbyteorder(order))
        result = pool.step(zeros(3, **{dtype: given}))[f"obs:{dtype}"]
        assert result.dtype == np.dtype(dtype)
        assert result.flags.c_contiguous and result.flags.writeable and result.flags.aligned
        assert np.array_equal(result, values)
    strided = np.stack([values, values], 1)[:, 0]
    assert not strided.flags.c_contiguous or strided.base is not None
    assert np.array_equal(pool.step(zeros(3, **{dtype: strided}))[f"obs:{dtype}"], values)
    listed = values.tolist()
    assert np.array_equal(pool.step(zeros(3, **{dtype: listed}))[f"obs:{dtype}"], values)


@pytest.mark.parametrize("given", DTYPES)
@pytest.mark.parametrize("wanted", DTYPES)
def test_conversions_lose_nothing_or_are_refused(make, given, wanted):
    """Every pair of dtypes: numbers that both can hold are converted, others are refused."""
    pool = make("Arrays")
    pool.reset()
    low, high = limits(wanted)
    for value in (0, 1, 2, -1, 127, 128, 255, 256, -128, -129, 2**15, 2**31, 2**40, -(2**40), 1.5):
        array = np.array([[value, 0]]).astype(given)
        if array[0, 0] != value:
            continue  # not a value of the given dtype
        action = zeros(1, **{wanted: array})
        whole = np.dtype(wanted).kind == "f" or value == int(value)
        if whole and low <= value <= high:
            result = pool.step(action)[f"obs:{wanted}"]
            assert result[0, 0] == np.dtype(wanted).type(value)
        else:
            message = refused(ActionError, lambda action=action: pool.step(action))
            assert message.asked == f"action '{wanted}' of Test/Arrays-v0"
            assert message.got.endswith(" for env 0")
            assert message.allowed == f"whole numbers {int(low)} .. {int(high)}"


def one_step(pool, dtype, value):
    """A step of one environment with a value for one key, to be taken when it is called."""
    return lambda: pool.step(zeros(1, **{dtype: value}))


def test_floats_of_any_value_but_nan(make):
    pool = make("Arrays")
    pool.reset()
    for dtype in ("float32", "float64"):
        step_with = functools.partial(one_step, pool, dtype)
        given = np.array([[np.inf, -np.inf]])
        assert pool.step(zeros(1, **{dtype: given}))[f"obs:{dtype}"].tolist() == given.tolist()
        message = refused(ActionError, step_with([[0, np.nan]]))
        assert (message.got, message.allowed) == ("nan for env 0", "any number but NaN")
    for dtype in DTYPES[:-2]:
        step_with = functools.partial(one_step, pool, dtype)
        for value in (np.nan, np.inf, 1e300):
            refused(ActionError, step_with([[0, value]]))
    refused(ActionError, lambda: pool.step(zeros(1, uint64=np.array([[2**63, 0]], np.uint64))))
    assert pool.num_in_flight == 0


def test_floats_outside_their_bounds_pass(make):
    # Whether to clip them is the environment's decision.
    pool = make("Image")
    pool.reset()
    pool.step(np.array([[5.0, -7.0]]))


@pytest.mark.parametrize("calls_before", [0, 1, 5])
def test_wrong_actions_of_one_key(make, calls_before):
    pool = make(num_envs=3)
    pool.reset()
    for _ in range(calls_before):
        pool.step([1, 2, 3])

    def wrong(action, *env_id):
        messages = [
            refused(ActionError, lambda call=call: call(action, *env_id))
            for call in (pool.step, pool.send)
        ]
        assert messages[0][:4] == messages[1][:4]
        assert messages[0].asked == "action 'action' of Test/Counter-v0"
        assert messages[0].hint == "Correct the action; nothing was sent"
        assert pool.num_in_flight == 0
        return messages[0].got, messages[0].allowed

    rows = "shape (3,), one row per environment id"
    assert wrong([1, 2]) == ("shape (2,)", rows)
    assert wrong([1, 2, 3, 4]) == ("shape (4,)", rows)
    assert wrong([]) == ("shape (0,)", rows)
    assert wrong(1) == ("shape ()", rows)
    assert wrong([[1, 2, 3]]) == ("shape (1, 3)", rows)
    assert wrong([[1, 2], [2, 3], [3, 4]]) == ("shape (3, 2)", rows)
    assert wrong([[1], [2]]) == ("shape (2, 1)", rows)
    assert wrong(np.zeros((3, 1, 1))) == ("shape (3, 1, 1)", rows)
    assert wrong([1, 2, 3], [0, 1]) == ("shape (3,)", "shape (2,), one row per environment id")
    numbers = "whole numbers 0 .. 999"
    assert wrong([0, 1000, 0]) == ("1000 for env 1", numbers)
    assert wrong([0, 1000], [0, 2]) == ("1000 for env 2", numbers)
    assert wrong([0, 0, -1]) == ("-1 for env 2", numbers)
    assert wrong([0, 0, 2**40]) == (f"{2**40} for env 2", numbers)
    assert wrong([0.5, 0, 0]) == ("0.5 for env 0", numbers)
    assert wrong([0, np.nan, 0]) == ("nan for env 1", numbers)
    assert wrong(np.array([0, np.inf, 0], np.float32)) == ("inf for env 1", numbers)
    shape = "numbers of shape (3,)"
    for action, dtype in (
        (["a", "b", "c"], "<U1"),
        ([1j, 0, 0], "complex128"),
        ([None, 0, 0], "object"),
        (np.array([1, 2, 3], "m8[s]"), "timedelta64[s]"),
        (np.array([1, 2, 3], "M8[s]"), "datetime64[s]"),
        ([decimal.Decimal(1)] * 3, "object"),
        ([2**70, 0, 0], "object"),
        (np.zeros(3, [("a", int)]), "[('a', '<i8')]"),
    ):
        got, allowed = wrong(action)
        assert got.endswith(f" of dtype {dtype}")
        assert allowed == shape
    assert wrong("abc")[0] == "shape ()"
    assert wrong(None)[0] == "shape ()"
    got, allowed = wrong([[1], [2, 3], []])
    assert (got, allowed) == ("[[1], [2, 3], []]", shape)
    assert pool.step([7, 8, 9])["obs"].tolist() == [
        [calls_before + 1, 7],
        [calls_before + 1, 8],
        [calls_before + 1, 9],
    ]


def test_a_column_of_numbers_is_one_number_for_each(make):
    """As networks give them, and EnvPool 1.2.5 takes them."""
    pool = make(num_envs=3)
    pool.reset()
    column = np.array([[5], [6], [7]])
    assert pool.step(column)["obs"][:, 1].tolist() == [5, 6, 7]
    assert pool.step(column.astype(np.float32))["obs"][:, 1].tolist() == [5, 6, 7]
    assert pool.step(column[:2], [2, 0])["obs"][:, 1].tolist() == [5, 6]
    assert pool.step({"action": column.tolist()})["obs"][:, 1].tolist() == [5, 6, 7]
    several = make("Arrays", num_envs=2)
    several.reset()
    assert several.step(zeros(2, scalar=[[1], [2]]))["obs:scalar"].tolist() == [1, 2]


def test_one_action_for_everybody(make):
    """Stoix steps those that are over with zeros for all; which row is whose does not matter."""
    pool = make(num_envs=4)
    pool.reset()
    assert pool.step(np.full(4, 7), [3, 1])["obs"][:, 1].tolist() == [7, 7]
    message = refused(ActionError, lambda: pool.step([7, 7, 8, 7], [3, 1]))
    assert message.got == "shape (4,)"
    refused(ActionError, lambda: pool.step([7, 7, 7], [3, 1]))
    several = make("Arrays", num_envs=3)
    several.reset()
    assert several.step(zeros(3), [2])["info:env_id"].tolist() == [2]


def test_wrong_actions_of_several_keys(make):
    pool = make("Arrays", num_envs=2)
    pool.reset()

    def wrong(**change):
        action = {key: value for key, value in zeros(2, **change).items() if value is not None}
        message = refused(ActionError, lambda: pool.step(action))
        assert pool.num_in_flight == 0
        return message.asked, message.got, message.allowed

    this = "of Test/Arrays-v0"
    rows = "one row per environment id"
    assert wrong(int8=[1, 2]) == (f"action 'int8' {this}", "shape (2,)", f"shape (2, 2), {rows}")
    assert wrong(int8=[[1, 2, 3]] * 2)[1:] == ("shape (2, 3)", f"shape (2, 2), {rows}")
    assert wrong(scalar=[[1], [2], [3]])[1:] == ("shape (3, 1)", f"shape (2,), {rows}")
    assert wrong(scalar=[0, 7])[1:] == ("7 for env 1", "whole numbers 0 .. 6")
    assert wrong(bounded=[[0, 5], [0, 6]])[1:] == ("6 for env 1", "whole numbers -5 .. 5")
    asked, got, allowed = wrong(flexible=None)
    assert (asked, got) == (f"action {this}", "no key 'flexible'")
    assert allowed.startswith("bool, int8, ") and allowed.endswith("env_id, players.env_id")
    assert wrong(bools=1)[1] == "key 'bools'"
    assert wrong(**{"1": 2})[1] == "key '1'"
    message = refused(ActionError, lambda: pool.step(zeros(2) | {5: 1}))
    assert message.got == "key 5"
    message = refused(ActionError, lambda: pool.step({}))
    assert message.got == "no key 'bool'"
    message = refused(ActionError, lambda: pool.step(np.zeros(2)))
    assert message.allowed == "a dict, because this task has several action arrays"


def test_a_lone_number_for_a_lone_environment(make):
    pool = make()
    pool.reset()
    for action in (3, 3.0, np.int8(3), np.array(3)):
        assert pool.step(action)["obs"][0, 1] == 3
    assert pool.step({"action": 4})["obs"][0, 1] == 4
    pool = make(num_envs=2)
    pool.reset()
    assert pool.step(5, 1)["obs"].tolist() == [[1, 5]]


def test_an_action_of_the_space_for_a_lone_environment(make):
    """With and without an axis of rows; where there are more environments, rows are needed."""
    one = {key: value[0] for key, value in zeros(1, int8=[[7, 9]]).items()}
    results = []
    for action in (one, {key: np.asarray(value)[None] for key, value in one.items()}):
        pool = make("Arrays", num_envs=1)
        pool.reset()
        results.append(pool.step(action))
    np.testing.assert_equal(*results)
    pool = make("Arrays", num_envs=2)
    pool.reset()
    message = refused(ActionError, lambda: pool.step(one))
    assert message.allowed.endswith("one row per environment id")
    pool.step(one, 1)


def test_things_that_look_like_arrays(make):
    class Array:
        def __array__(self, dtype=None, copy=None):
            return np.array([4, 5], dtype)

    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("no array today")

    pool = make(num_envs=2)
    pool.reset()
    for action in (Array(), memoryview(np.array([4, 5])), range(4, 6), np.ma.array([4, 5])):
        assert pool.step(action)["obs"][:, 1].tolist() == [4, 5]
    message = refused(ActionError, lambda: pool.step(Broken()))
    assert message.allowed == "numbers of shape (2,)"


@pytest.mark.parametrize("batch_size", [3, 1])
def test_the_action_may_be_overwritten_at_once(make, module, batch_size):
    pool = make("Gated", num_envs=3, batch_size=batch_size, num_threads=3, gated=True)
    pool.async_reset()
    for _ in range(3 // batch_size):
        pool.recv()
    module.close_gates([0, 1, 2])
    action = np.array([10, 11, 12])
    pool.send(action, [0, 1, 2])
    assert module.await_held(3, 30)
    action[:] = -1
    module.open_gates()
    for _ in range(3 // batch_size):
        result = pool.recv()
        assert result["obs"][:, 1].tolist() == (10 + result["info:env_id"]).tolist()


def test_an_asynchronous_pool_takes_actions_for_the_last_batch(make):
    pool = make(num_envs=4, batch_size=3)
    refused(StateError, pool.recv)
    pool.async_reset()
    ids = pool.recv()["info:env_id"]
    message = refused(ActionError, lambda: pool.send([1, 2]))
    assert message.allowed == "shape (3,), one row per environment id"
    refused(ActionError, lambda: pool.send(1))
    refused(ActionError, lambda: pool.send({"action": [1, 2]}))
    pool.send({"action": [1, 2, 3]})
    result = pool.recv()
    by_env = dict(zip(ids.tolist(), [1, 2, 3], strict=True)) | {6 - sum(ids.tolist()): 0}
    for env_id, obs in zip(result["info:env_id"].tolist(), result["obs"], strict=True):
        assert obs[1] == by_env[env_id]


def test_bounds_of_single_elements(make):
    pool = make("Arrays", shape=[], num_envs=2)
    pool.reset()
    result = pool.step(zeros(2, flexible=[1.5, 2.5]))
    assert result["obs:flexible"].tolist() == [1.5, 2.5]
    pool = make("Arrays", shape=[0, 3], num_envs=2)
    pool.reset()
    assert pool.step(zeros(2, flexible=np.zeros((2, 0, 3))))["obs:flexible"].shape == (2, 0, 3)
