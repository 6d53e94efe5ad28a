# SPDX-License-Identifier: Apache-2.0
"""Wrong values of every kind, and an environment that returns them on request."""

from __future__ import annotations

import dataclasses
import decimal
import enum
import fractions
import threading
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces


class Colour(enum.Enum):
    """A class that is not NumPy's."""

    RED = 1


@dataclasses.dataclass
class Point:
    """Likewise."""

    x: int = 1


class Hostile:
    """Raises an exception at any access."""

    def __getattr__(self, name: str) -> Any:  # noqa: D105
        raise ArithmeticError(f"hostile {name}")

    def __array__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D105
        raise ArithmeticError("hostile array")

    def __float__(self) -> float:  # noqa: D105
        raise ArithmeticError("hostile float")

    def __repr__(self) -> str:  # noqa: D105
        return "hostile"

    def __reduce__(self) -> Any:  # noqa: D105
        raise ArithmeticError("hostile pickle")


def generator() -> Iterator[int]:
    """Cannot be pickled."""
    yield 1


WRONG: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "a text": lambda: "text",
    "bytes": lambda: b"bytes",
    "an empty text": lambda: "",
    "minus one": lambda: -1,
    "7": lambda: 7,
    "a huge number": lambda: 2**70,
    "a negative huge number": lambda: -(2**70),
    "a fraction": lambda: 0.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "a complex number": lambda: 1 + 2j,
    "a Decimal": lambda: decimal.Decimal("0.5"),
    "a Fraction": lambda: fractions.Fraction(1, 2),
    "an empty list": list,
    "a list": lambda: [1, 2],
    "a ragged list": lambda: [[1], [1, 2]],
    "a list of texts": lambda: ["a", "b"],
    "a list of None": lambda: [None, None, None],
    "a list of floats": lambda: [0.5, 1.5, 2.5],
    "a list of huge numbers": lambda: [2**70] * 3,
    "an empty tuple": lambda: (),
    "a tuple of five": lambda: (1, 2, 3, 4, 5),
    "a set": lambda: {1, 2},
    "an empty dict": dict,
    "a dict": lambda: {"a": 1},
    "a dict of numbers": lambda: {0: 1},
    "an array of one": lambda: np.ones(1),
    "an array of no dimension": lambda: np.array(1.0),
    "an empty array": lambda: np.zeros(0),
    "an array of another shape": lambda: np.zeros((2, 5)),
    "an array of objects": lambda: np.array([None, "a", 3], object),
    "an array of texts": lambda: np.array(["a", "b", "c"]),
    "an array of times": lambda: np.array(["2020-01-01"] * 3, "M8[D]"),
    "an array of nan": lambda: np.full(3, np.nan),
    "an array of complex": lambda: np.ones(3, np.complex128),
    "a structured array": lambda: np.zeros(3, [("a", "i4")]),
    "a read-only array": lambda: np.broadcast_to(np.float32(1), (3,)),
    "a class": lambda: int,
    "a function": lambda: len,
    "a lambda": lambda: lambda: 1,
    "a module": lambda: np,
    "a lock": threading.Lock,
    "a generator": generator,
    "an iterator": lambda: iter([1, 2]),
    "an Enum": lambda: Colour.RED,
    "a dataclass": Point,
    "an exception": lambda: ValueError("returned"),
    "NotImplemented": lambda: NotImplemented,
    "an object": object,
    "a hostile object": Hostile,
    "a hostile list": lambda: [Hostile()],
    "a hostile dict": lambda: {"a": Hostile()},
}

# An exception of a caller's class is passed to the caller.
ARGUMENTS = {name: make for name, make in WRONG.items() if "hostile" not in name}
SPACE = spaces.Dict(
    {"box": spaces.Box(-1, 1, (3,), np.float32), "n": spaces.Discrete(3), "text": spaces.Text(4)}
)
PLACES = (
    *("step", "step obs", "step reward", "step terminated", "step truncated", "step info"),
    *("reset", "reset obs", "reset info"),
    *("box", "n", "text", "info value", "nested info"),
)


class Liar(gymnasium.Env[Any, Any]):
    """Returns the wrong value that an attribute names, and right values elsewhere."""

    observation_space = SPACE
    action_space = spaces.Discrete(2)
    render_mode = "rgb_array"
    metadata = {"render_modes": ["rgb_array"]}  # noqa: RUF012
    place = ""
    value = ""

    def _lie(self, place: str, right: Any) -> Any:
        return WRONG[self.value]() if place == self.place else right

    def _observe(self, where: str) -> Any:
        right = {"box": np.zeros(3, np.float32), "n": 1, "text": "ab"}
        obs = {key: self._lie(key, value) for key, value in right.items()}
        return self._lie(f"{where} obs", obs)

    def _info(self, where: str) -> Any:
        info: dict[str, Any] = {"speed": 1.5}
        for place, tell in (
            ("info value", lambda value: info.update(speed=value)),
            ("nested info", lambda value: info.update(speed={"deep": value})),
        ):
            if place == self.place:
                tell(WRONG[self.value]())
        return self._lie(f"{where} info", info)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return self._lie("reset", (self._observe("reset"), self._info("reset")))

    def step(self, action: Any) -> Any:
        step = (
            self._observe("step"),
            self._lie("step reward", 1.0),
            self._lie("step terminated", False),
            self._lie("step truncated", False),
            self._info("step"),
        )
        return self._lie("step", step)

    def render(self) -> Any:
        return self._lie("frame", np.zeros((4, 4, 3), np.uint8))
