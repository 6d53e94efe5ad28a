# SPDX-License-Identifier: Apache-2.0
"""The compiled part, from cpp/. It has a class on Linux, and nothing on other systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

class FastPath:
    """Steady-state calls of a pool; see cpp/fast_path.h."""

    def __init__(
        self,
        *,
        channels: Sequence[tuple[int, int, int, bool]],
        fields: Sequence[tuple[np.dtype[Any], list[int]]],
        tree: Any,
        action_dtype: np.dtype[Any],
        action_item: list[int],
        action_most: list[int],
        batch_size: int,
        buffer_rows: int,
        acquire: Callable[[int], Any],
        header: Callable[[int, int, Any, int], bytes | None],
    ) -> None: ...
    def expect(
        self, channel: int, shared: bool, rows: int, header: bytes, fields: list[int]
    ) -> None: ...
    def expects(self, channel: int, shared: bool, rows: int) -> bool: ...
    def arm(
        self, requests: list[Any], last: tuple[int, NDArray[np.int32]] | None, until: float
    ) -> None: ...
    def settle(self) -> list[Any]: ...
    def retire(self) -> None: ...
    def step(self, action: Any, env_id: Any) -> Any: ...
    def send(self, action: Any, env_id: Any) -> bool | None: ...
    def recv(self, until: float) -> Any: ...
    def take_back(self) -> None: ...
    @property
    def busy(self) -> bool: ...
    @property
    def num_in_flight(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def last(self) -> tuple[int, NDArray[np.int32], bool] | None: ...
