# SPDX-License-Identifier: Apache-2.0
"""Infos that differ between environments, or contain classes of the user's script."""

from __future__ import annotations

import dataclasses
import enum
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import envpool_python
import gymnasium
import numpy as np
import pytest
from envpool.errors import WorkerError
from gymnasium import spaces


class Teller(gymnasium.Env[Any, Any]):
    """Returns its function's value as the info of each step."""

    observation_space = spaces.Box(0, 1, (1,), np.float32)
    action_space = spaces.Discrete(2)
    possible_agents = ["me"]  # noqa: RUF012 (it is no environment of PettingZoo for that)

    tell: Any = None

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return np.zeros(1, np.float32), 1.0, False, False, self.tell()


@pytest.fixture(scope="module")
def pool() -> Iterator[Any]:
    with envpool_python.make([Teller] * 5, num_workers=1) as pool:
        pool.reset()
        yield pool


@pytest.fixture
def told(pool: Any) -> Any:
    """The info of a batch in which environments return these; a function is called."""

    def tell(*infos: Any) -> dict[str, Any]:
        ids = np.arange(len(infos))
        functions = [info if callable(info) else lambda info=info: info for info in infos]
        pool.reset()
        pool.set_attr("tell", functions, ids)
        _, reward, _, _, info = pool.step(np.zeros(len(infos), np.int64), ids)
        assert reward.tolist() == [1.0] * len(infos)  # no step is lost
        return dict(info)

    return tell


class Numbered(Teller):
    """Ends with each step, and returns an info under a number and under a name."""

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[Any, Any]]:
        return np.zeros(1, np.float32), 1.0, True, False, {1: 2.5, "speed": 3, (4, "x"): 4}


@pytest.mark.parametrize("env_type", ["gymnasium", "vector"])
def test_final_infos_have_one_mask_for_each_key(env_type: str) -> None:
    options: Any = {"env_type": env_type, "autoreset_mode": "same_step"}
    with envpool_python.make([Numbered] * 2, **options) as pool:
        pool.reset()
        final = pool.step(np.zeros(2, np.int64))[4]["final_info"]
        keys = {key for key in final if key not in ("env_id", "elapsed_step", "players")}
        keys -= {"_env_id", "_elapsed_step", "_players"}
        assert keys == {1, "_1", "speed", "_speed", (4, "x"), "_(4, 'x')"}
        assert final[1].tolist() == [2.5, 2.5] and final["_1"].tolist() == [True, True]


def test_arrays_of_several_lengths(told: Any) -> None:
    info = told({"a": np.arange(2)}, {"a": np.arange(3)}, {}, {"a": np.arange(3)})
    assert info["_a"].tolist() == [True, True, False, True]
    assert [None if a is None else a.tolist() for a in info["a"]] == [
        [0, 1],
        [0, 1, 2],
        None,
        [0, 1, 2],
    ]


def test_empty_arrays(told: Any) -> None:
    info = told({"a": np.zeros(0), "b": np.zeros((2, 0), np.int8)}, {"a": np.zeros(0)}, {})
    assert info["a"].shape == (3, 0) and info["_a"].tolist() == [True, True, False]
    assert info["b"].shape == (3, 2, 0) and info["b"].dtype == np.int8
    info = told({"a": np.zeros(0)}, {"a": np.zeros(0)})
    assert info["a"].shape == (2, 0)


def test_numbers_of_several_types_keep_their_values(told: Any) -> None:
    info = told({"a": 1}, {"a": 2.5})
    assert info["a"].tolist() == [1.0, 2.5]
    info = told({"a": np.int8(1)}, {"a": 300})
    assert info["a"].tolist() == [1, 300]
    info = told({"a": 1}, {"a": "text"}, {"a": True}, {"a": None}, {"a": 2**70})
    assert info["a"].tolist() == [1, "text", True, None, 2**70]
    info = told({"a": 2**63 - 1}, {"a": np.uint64(2**64 - 1)})
    assert info["a"].tolist() == [2**63 - 1, 2**64 - 1]


def test_dicts_beside_what_is_none(told: Any) -> None:
    deep = {"x": {"y": 1, "z": np.arange(2)}}
    for infos in (
        (deep, {"x": 5}, {"x": {"y": 2}}),
        ({"x": 5}, deep, {"x": {"y": 2}}),
        ({"x": {"y": 2}}, {"x": "text"}, deep),
        (deep, {"x": {"y": {"w": 3}}}, {"x": {"y": 2}}),
    ):
        info = told(*infos)
        rows: list[Any] = [{} for _ in infos]
        spread(info, rows)
        np.testing.assert_equal(rows, [dict(one) for one in infos])


def spread(info: dict[str, Any], rows: list[Any]) -> None:
    """The columns of an info, split into the infos that they came from."""
    for key, column in info.items():
        mask = info.get(f"_{key}")
        if mask is None:
            continue
        inner: Any = column
        if isinstance(column, dict):
            inner = [{} for _ in rows]
            spread(column, inner)
        for row in np.flatnonzero(mask):
            rows[row][key] = inner[row]


class Colour(enum.Enum):
    """Moved to the main program below, as if the script had it."""

    RED = 1


@dataclasses.dataclass
class Point:
    """Likewise."""

    x: int


@pytest.fixture
def _script() -> Any:
    """Puts the classes into the main program, whose module no worker can import."""
    main = sys.modules["__main__"]
    for kind in (Colour, Point):
        kind.__module__ = "__main__"
        setattr(main, kind.__name__, kind)
    yield
    for kind in (Colour, Point):
        kind.__module__ = __name__
        delattr(main, kind.__name__)


@pytest.mark.usefixtures("_script")
def test_classes_of_the_script(told: Any) -> None:
    colour, point = Colour, Point
    info = told(lambda: {"colour": colour.RED, "at": point(3)}, {})
    assert info["colour"][0] is Colour.RED and info["colour"][1] is None
    assert info["at"][0] == Point(3)


def test_what_only_the_worker_can_import_costs_no_step(told: Any, tmp_path: Path) -> None:
    (tmp_path / "only_there.py").write_text("class Thing:\n    pass\n")
    folder = str(tmp_path)

    def tell() -> Any:
        sys.path.insert(0, folder)
        import only_there  # type: ignore[import-not-found]

        return {"thing": only_there.Thing()}

    info = told(tell, {"a": 1})
    assert info["_error"].tolist() == [True, False]
    assert "No module named 'only_there'" in info["error"][0]
    assert info["a"][1] == 1


@pytest.mark.parametrize("key", ["env_id", "players", "elapsed_step", "final_obs", "error", "_a"])
def test_keys_of_the_pool_are_refused(told: Any, key: str) -> None:
    with pytest.raises(WorkerError, match=rf"env 1: the info: got the key '{key}'.*Rename the key"):
        told({}, {"a": 1, key: 2})


def test_what_cannot_be_pickled_is_named(told: Any) -> None:
    with pytest.raises(WorkerError, match=r"env 0: the info\['deep'\]\['lock'\].*be pickled"):
        told(lambda: {"a": 1, "deep": {"lock": __import__("threading").Lock()}})
