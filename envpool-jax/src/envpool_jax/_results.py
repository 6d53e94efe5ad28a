# SPDX-License-Identifier: Apache-2.0
"""Results that may still be computed, and their conversion to arrays of NumPy, JAX or PyTorch."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from envpool.errors import MissingPackageError
from envpool.pool_backend import ALL_ROWS, OWN, Ids, Layout, Rows
from numpy.typing import NDArray

from ._packing import Outputs


class DeviceRows(Rows):
    """Results of some environments that are computed together.

    Attributes:
        ids: The environments.
        rows: Each environment's row in the outputs; None: all of them, in this order.
        outputs: The outputs of all environments that were computed together.
    """

    def __init__(self, ids: Ids, rows: Any, outputs: Outputs) -> None:
        """Keeps the arguments without waiting."""
        self.ids, self.rows, self.outputs = ids, rows, outputs

    def is_ready(self) -> bool:
        """True if all of it is computed."""
        return self.outputs.is_ready()

    def take(self, index: Any) -> DeviceRows:
        """Some of these results, by position or mask."""
        mine = np.arange(len(self.ids)) if self.rows is None else self.rows
        return DeviceRows(self.ids[index], mine[index], self.outputs)

    def done(self) -> NDArray[np.bool_]:
        """True for each environment whose episode has ended."""
        done: NDArray[np.bool_] = self.outputs.arrays(copy=False)["done"]
        return done if self.rows is None else done[self.rows]


class IdsOnDevice:
    """Ids as arrays of JAX. The last are kept: moving them to a GPU takes as long as a step."""

    def __init__(self, put: Callable[[Any], Any]) -> None:
        """`put` moves an array to the device."""
        self._put = put
        self._ids: Ids | None = None
        self._arrays: dict[str, Any] = {}

    def array(self, name: str, ids: Ids) -> Any:
        """These ids as an array that does not change; each name has its own array."""
        if ids is not self._ids:
            self._ids, self._arrays = ids, {}
        kept = self._arrays.get(name)
        if kept is None or kept.is_deleted():  # a caller can donate it to a compiled function
            kept = self._arrays[name] = self._put(jnp.asarray(ids.copy()))
        return kept


class BatchArrays:
    """The parts of one batch as arrays of one kind."""

    def __init__(
        self,
        parts: Sequence[Any],
        order: NDArray[np.intp] | None,
        kind: str,
        copy: bool,
        on_device: IdsOnDevice,
    ) -> None:
        """Computes nothing yet.

        Args:
            parts: The `DeviceRows` of the batch.
            order: Order of the rows; None: unchanged.
            kind: "numpy", "jax" or "torch".
            copy: True to make NumPy's arrays writable copies that only the caller has.
            on_device: Makes the ids an array of JAX.
        """
        self._parts: Sequence[DeviceRows] = parts
        self._order = order
        self._kind, self._copy, self._on_device = kind, copy, on_device
        self.ids = parts[0].ids if len(parts) == 1 else np.concatenate([p.ids for p in parts])
        if order is not None:
            self.ids = self.ids[order]

    def build(self, layout: Layout) -> Any:
        """A result in the form of its layout."""
        if self._kind == "numpy":
            arrays = self._numpy()
            for name in OWN & layout.names:
                arrays[name] = self._own(name)
        else:
            get = self._jax if self._kind == "jax" else self._torch
            arrays = {name: get(name) for name in layout.names}
        return layout.build(arrays)

    def _own(self, name: str) -> Any:
        return np.ones(len(self.ids), np.bool_) if name == ALL_ROWS else self.ids.copy()

    def _numpy(self) -> dict[str, Any]:
        if len(self._parts) == 1 and self._parts[0].rows is None and self._order is None:
            return self._parts[0].outputs.arrays(self._copy)
        found = []
        for part in self._parts:
            arrays = part.outputs.arrays(copy=False)
            found.append(
                arrays if part.rows is None else {n: a[part.rows] for n, a in arrays.items()}
            )
        if len(found) == 1 and self._order is None:
            return found[0]
        order = slice(None) if self._order is None else self._order
        return {
            name: np.concatenate([arrays[name] for arrays in found])[order] for name in found[0]
        }

    def _jax(self, name: str) -> Any:
        if name in OWN:
            return self._on_device.array(name, self.ids)
        arrays = []
        for part in self._parts:
            array = part.outputs.array(name)
            arrays.append(array if part.rows is None else array[part.rows])
        joined = arrays[0] if len(arrays) == 1 else jnp.concatenate(arrays)
        return joined if self._order is None else joined[self._order]

    def _torch(self, name: str) -> Any:
        torch = torch_module()
        if name in OWN:
            return torch.from_numpy(self._own(name))
        array = self._jax(name)
        if array.dtype == jnp.bool_:  # older versions of DLPack have no bool
            return torch.from_dlpack(array.view(jnp.uint8)).view(torch.bool)
        return torch.from_dlpack(array)


def torch_module() -> Any:
    """PyTorch.

    Raises:
        MissingPackageError: If it is not installed.
    """
    try:
        return importlib.import_module("torch")
    except ImportError as cause:
        raise MissingPackageError(
            "make(..., array='torch')",
            f"no PyTorch ({cause})",
            "a Python that has torch",
            "Run `pip install torch`",
        ) from cause
