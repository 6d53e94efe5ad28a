# SPDX-License-Identifier: Apache-2.0
"""Missions as text."""

from __future__ import annotations

from typing import Any

import numpy as np
from envpool.errors import ConfigError
from numpy.typing import NDArray


def decode_mission(mission: NDArray[np.uint8]) -> Any:
    """The text of a mission.

    Args:
        mission: `obs["mission"]`, uint8: of one environment (n,), or of a batch (batch, n). Bytes
        from the first zero on are ignored.

    Returns:
        A str, or an array of str, (batch,) of dtype object.

    Raises:
        ConfigError: If `mission` is not such an array.
    """
    array = np.asarray(mission)
    if array.dtype != np.uint8 or array.ndim not in (1, 2):
        raise ConfigError(
            "decode_mission(mission)",
            f"an array of dtype {array.dtype} and shape {array.shape}",
            "dtype uint8, of shape (n,) or (batch, n)",
            'Pass obs["mission"], or a row of it',
        )
    if array.ndim == 1:
        return array.tobytes().partition(b"\0")[0].decode("latin-1")
    texts = np.empty(len(array), object)
    texts[:] = [decode_mission(row) for row in array]
    return texts
