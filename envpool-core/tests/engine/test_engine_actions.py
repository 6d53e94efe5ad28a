# SPDX-License-Identifier: Apache-2.0
"""Actions: what is converted, what is refused; a refusal sends nothing, on whichever call."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from envpool.errors import ActionError
from refusals import refused

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


def test_bounds_of_single_elements(make):
    pool = make("Arrays", shape=[], num_envs=2)
    pool.reset()
    result = pool.step(zeros(2, flexible=[1.5, 2.5]))
    assert result["obs:flexible"].tolist() == [1.5, 2.5]
    pool = make("Arrays", shape=[0, 3], num_envs=2)
    pool.reset()
    assert pool.step(zeros(2, flexible=np.zeros((2, 0, 3))))["obs:flexible"].shape == (2, 0, 3)
