# SPDX-License-Identifier: Apache-2.0
"""as_tensors and PinnedMemory: results of a pool as PyTorch tensors that share its memory.

    pinned = PinnedMemory()
    obs, reward, *_ = as_tensors(pool.step(action), pinned)
    obs = obs.to("cuda", non_blocking=True)

PyTorch is imported when it is used.
"""

from __future__ import annotations

import importlib
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ConfigError, MissingPackageError


def as_tensors(result: Any, pinned: PinnedMemory | None = None) -> Any:
    """A result with a tensor in place of every array, nothing copied.

    A tensor keeps the memory of its array: the pool writes elsewhere as long as the tensor lives.

    Args:
        result: The result of `step`, `recv` or `reset`: an array, or tuples and dicts of arrays.
        pinned: Locks the memory first, for copies to a GPU that overlap with other work.

    Returns:
        The same tuples and dicts. Arrays of objects, and objects that are no arrays, stay.

    Raises:
        MissingPackageError: If PyTorch is not installed.
    """
    return _tensors(result, _torch().from_numpy, pinned)


class PinnedMemory:
    """Page-locks the memory of results. A pool uses its arrays again, so each array is locked once.

    Memory is unlocked when its last array is freed. Arrays of less than a page are not locked: they
    share their page with others, and copying them takes no time.

    Attributes:
        num_locked: Arrays that are locked now.
    """

    SMALLEST = 4096  # bytes

    def __init__(
        self,
        lock: Callable[[int, int], None] | None = None,
        unlock: Callable[[int], None] | None = None,
    ) -> None:
        """Locks nothing yet.

        Args:
            lock: Locks memory, given its address and its size in bytes. None: CUDA's function.
            unlock: Unlocks memory, given its address. None: CUDA's function.

        Raises:
            ConfigError: If there is no CUDA, or only one of the functions is given.
            MissingPackageError: If PyTorch is not installed.
        """
        if (lock is None) != (unlock is None):
            raise ConfigError(
                "PinnedMemory(lock, unlock)", "one of them", "both or none", "Pass both functions"
            )
        self._lock, self._unlock = (lock, unlock) if lock and unlock else _cuda_functions()
        self._locked: dict[int, weakref.finalize[Any, Any]] = {}

    @property
    def num_locked(self) -> int:
        """The number of arrays that are locked now."""
        return len(self._locked)

    def pin(self, array: NDArray[Any]) -> None:
        """Locks the pool's whole array that contains this array, unless it is locked."""
        while isinstance(array.base, np.ndarray):
            array = array.base
        address = array.__array_interface__["data"][0]
        if array.nbytes < self.SMALLEST or address in self._locked:
            return
        self._lock(address, array.nbytes)
        # Called before the array gives its memory back.
        self._locked[address] = weakref.finalize(array, self._release, address)

    def _release(self, address: int) -> None:
        del self._locked[address]
        self._unlock(address)


def _tensors(tree: Any, convert: Callable[[Any], Any], pinned: PinnedMemory | None) -> Any:
    if isinstance(tree, dict):
        return {key: _tensors(leaf, convert, pinned) for key, leaf in tree.items()}
    if isinstance(tree, tuple):
        leaves = [_tensors(leaf, convert, pinned) for leaf in tree]
        return type(tree)(*leaves) if hasattr(tree, "_fields") else tuple(leaves)
    if not isinstance(tree, np.ndarray) or tree.dtype == object:
        return tree
    if pinned is not None:
        pinned.pin(tree)
    return convert(tree)


def _torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError as cause:
        raise MissingPackageError(
            "as_tensors()",
            f"no PyTorch ({cause})",
            "a Python that has torch",
            "Run `pip install torch`",
        ) from cause


def _cuda_functions() -> tuple[Callable[[int, int], None], Callable[[int], None]]:
    torch = _torch()
    if not torch.cuda.is_available():
        raise ConfigError(
            "PinnedMemory()",
            "a PyTorch that finds no CUDA device",
            "machines with one, or functions of your own that lock memory",
            "Leave it out: as_tensors(result)",
        )
    runtime = torch.cuda.cudart()

    def lock(address: int, size: int) -> None:
        torch.cuda.check_error(runtime.cudaHostRegister(address, size, 0))

    def unlock(address: int) -> None:
        runtime.cudaHostUnregister(address)

    return lock, unlock
