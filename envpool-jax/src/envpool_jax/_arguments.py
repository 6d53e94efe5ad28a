# SPDX-License-Identifier: Apache-2.0
"""Actions that are arrays of JAX or tensors of PyTorch: arrays on a device stay there."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from envpool.pool_backend import PythonArguments


class DeviceArguments(PythonArguments):
    """Arguments of a pool whose steps take arrays of JAX."""

    def on_host(self, value: Any) -> Any:
        """The value as an array of NumPy; as one of JAX if it is on another device than the CPU.

        Values on a device are not checked, since that would wait for them.
        """
        value = _on_its_device(value)
        is_far = isinstance(value, jax.Array) and not _is_on_cpu(value)
        return value if is_far else np.asarray(value)


def _is_on_cpu(array: jax.Array) -> bool:
    return all(device.platform == "cpu" for device in array.devices())


def _on_its_device(value: Any) -> Any:
    """A tensor of PyTorch as an array: NumPy's on the CPU, else JAX's, without a copy."""
    if not (hasattr(value, "detach") and hasattr(value, "device")):
        return value
    tensor = value.detach()
    if tensor.device.type == "cpu":
        return tensor.numpy()
    if "64" in str(tensor.dtype):  # JAX has 64 bits only if they are enabled
        tensor = tensor.float() if tensor.is_floating_point() else tensor.int()
    return jax.numpy.from_dlpack(tensor)
