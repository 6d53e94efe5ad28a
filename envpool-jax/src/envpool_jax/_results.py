# SPDX-License-Identifier: Apache-2.0
"""Results on their way, and how they are handed over: as arrays of NumPy, JAX or PyTorch."""

from __future__ import annotations

import importlib
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from envpool.errors import MissingPackageError

from ._arguments import Ids
from ._layouts import ALL_ROWS, OWN, Layout
from ._packing import Outputs


class Part(NamedTuple):
    """Results of some environments that were computed together.

    Attributes:
        ids: The environments.
        rows: Where each is in the outputs; None: they are all of it, in this order.
        outputs: Of all that were computed with them.
    """

    ids: Ids
    rows: Any
    outputs: Outputs

    def take(self, rows: Any) -> Part:
        """Some of these results, by position or mask."""
        mine = np.arange(len(self.ids)) if self.rows is None else self.rows
        return Part(self.ids[rows], mine[rows], self.outputs)


class Results:
    """What was sent and not received, in the order in which it was sent."""

    def __init__(self) -> None:
        """Nothing is on its way."""
        self._parts: deque[Part] = deque()
        self.count = 0

    def add(self, part: Part) -> None:
        """Something was sent."""
        self._parts.append(part)
        self.count += len(part.ids)

    def drop(self, ids: Ids) -> None:
        """Forgets the results of some environments."""
        kept = [part.take(~np.isin(part.ids, ids)) for part in self._parts]
        self._parts = deque(part for part in kept if len(part.ids))
        self.count = sum(len(part.ids) for part in self._parts)

    def next(self, rows: int) -> list[Part]:
        """What the next batch is made of; it stays here."""
        parts = []
        for part in self._parts:
            if not rows:
                break
            parts.append(part if len(part.ids) <= rows else part.take(slice(rows)))
            rows -= len(parts[-1].ids)
        return parts

    def take(self, rows: int) -> list[Part]:
        """The next batch."""
        self.count -= rows
        parts = []
        while rows:
            part = self._parts.popleft()
            if len(part.ids) > rows:
                self._parts.appendleft(part.take(slice(rows, None)))
                part = part.take(slice(rows))
            parts.append(part)
            rows -= len(part.ids)
        return parts

    def take_last(self) -> Part:
        """What was added last."""
        part = self._parts.pop()
        self.count -= len(part.ids)
        return part


class IdsOnDevice:
    """Ids as arrays of JAX. The last are kept: to move them to a GPU takes as long as a step."""

    def __init__(self, put: Callable[[Any], Any]) -> None:
        """`put` moves an array to the device."""
        self._put = put
        self._ids: Ids | None = None
        self._arrays: dict[str, Any] = {}

    def array(self, name: str, ids: Ids) -> Any:
        """These ids, which nobody changes; of each name an array of its own."""
        if ids is not self._ids:
            self._ids, self._arrays = ids, {}
        kept = self._arrays.get(name)
        if kept is None or kept.is_deleted():  # a caller can donate it to a compiled function
            kept = self._arrays[name] = self._put(jnp.asarray(ids.copy()))
        return kept


class Batch:
    """The parts of one batch as arrays of one kind."""

    def __init__(self, parts: list[Part], kind: str, copy: bool, on_device: IdsOnDevice) -> None:
        """Computes nothing yet.

        Args:
            parts: Of the batch.
            kind: "numpy", "jax" or "torch".
            copy: Whether NumPy's arrays are writable, and of the caller alone.
            on_device: Makes the ids an array of JAX.
        """
        self._parts, self._kind, self._copy, self._on_device = parts, kind, copy, on_device
        self.ids = parts[0].ids if len(parts) == 1 else np.concatenate([p.ids for p in parts])

    def build(self, layout: Layout) -> Any:
        """A result after its layout."""
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
        if len(self._parts) == 1 and self._parts[0].rows is None:
            return self._parts[0].outputs.arrays(self._copy)
        found = []
        for _, rows, outputs in self._parts:
            arrays = outputs.arrays(copy=False)
            found.append(arrays if rows is None else {n: a[rows] for n, a in arrays.items()})
        if len(found) == 1:
            return found[0]
        return {name: np.concatenate([arrays[name] for arrays in found]) for name in found[0]}

    def _jax(self, name: str) -> Any:
        if name in OWN:
            return self._on_device.array(name, self.ids)
        arrays = []
        for _, rows, outputs in self._parts:
            array = outputs.array(name)
            arrays.append(array if rows is None else array[rows])
        return arrays[0] if len(arrays) == 1 else jnp.concatenate(arrays)

    def _torch(self, name: str) -> Any:
        torch = torch_module()
        if name in OWN:
            return torch.from_numpy(self._own(name))
        array = self._jax(name)
        if array.dtype == jnp.bool_:  # older editions of DLPack have none
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
