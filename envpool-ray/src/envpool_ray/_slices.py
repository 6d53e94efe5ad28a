# SPDX-License-Identifier: Apache-2.0
"""How the environments of a pool are spread over workers, and the requests that these get."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
from envpool.pool_backend import Ids
from numpy.typing import NDArray

from . import _cluster
from ._rows import WorkerLayout
from ._settings import Settings
from ._worker import RESET, STEP
from ._workers import WorkerGroup, WorkerState
from .wire.framing import Arrays, Header, Kinds
from .wire.shared_buffers import MAX_RESULTS_HELD, BufferPool, BufferSlot, fields_of

_SEED_BITS = 62


class Request:
    """A message to a worker, kept until its results are no longer needed.

    Attributes:
        kind: `STEP`, `RESET`, or the name of another method of `PoolActor`.
        ids: Environments, counted in the whole pool.
        payload: The arrays of an action, or seeds, or the other arguments of the method.
        save: Whether it asks for a checkpoint.
        sent: When it was sent.
        answered: Whether its response was received.
        response: The value that another method returned, or an error of ours.
        slot: The memory for large results; None once they are there, or if they will be copied.
        replaces_step: Whether it resets environments that were asked to step, and were lost.
    """

    __slots__ = (
        "answered", "ids", "kind", "payload", "replaces_step", "response", "save", "sent", "slot",
    )  # fmt: skip

    def __init__(
        self,
        kind: str,
        ids: Ids,
        payload: Any,
        replaces_step: bool = False,
        slot: BufferSlot | None = None,
    ) -> None:
        """Is not sent yet."""
        self.kind, self.ids, self.payload = kind, ids, payload
        self.replaces_step, self.slot = replaces_step, slot
        self.answered = self.save = False
        self.response: Any = None
        self.sent = 0.0

    @property
    def plays(self) -> bool:
        """Whether it is a step or a reset."""
        return self.kind in (STEP, RESET)

    def message(self, first: np.int32) -> tuple[Any, Arrays, bool]:
        """The message: an object, arrays, and whether the object is a repeated one.

        Args:
            first: The first environment of the worker.
        """
        payload, own = self.payload, self.ids - first
        if not self.plays:
            return (self.kind, self.answered, (own, *payload)), (), False
        arrays = [own]
        if self.kind == STEP:
            arrays += payload.arrays.values()
            names = (*payload.arrays,)
            if payload.players is not None:
                arrays.append(payload.players - first)
                names = (*names, "players.env_id")
            payload = names
        slot = None if self.slot is None else (self.slot.buffer.number, self.slot.row)
        work = (self.kind, payload, self.save, slot)
        return ("work", self.answered, work), arrays, self.kind == STEP


class SliceState(WorkerState):
    """A worker, and what is known of its slice of the environments.

    Attributes:
        ids: The environments.
        pending: Requests that are not answered, in order.
        log: Requests since the last checkpoint, if there are checkpoints.
        unsaved: Steps and resets since the last one that asks for a checkpoint.
        states: The last checkpoint: states by environment.
        with_result: Environments that have had a result.
        losses: How often the worker was lost after it had started, since its last response.
        known_headers: Headers of responses, by whether their results were shared, and rows: the
            meaning, and the dtypes and shapes of the arrays in the message.
        steps: Steps that were taken.
        seconds: The time that the worker was in its environments.
    """

    def __init__(self, index: int, ids: Ids) -> None:
        """Is not started yet."""
        super().__init__(index)
        self.ids, self.first = ids, ids[0]
        self.pending: deque[Request] = deque()
        self.log: list[Request] = []
        self.unsaved = self.losses = 0
        self.states: dict[int, bytes] = {}
        self.with_result: set[int] = set()
        self.known_headers: dict[tuple[bool, int], tuple[Header, Kinds]] = {}
        self.steps = 0
        self.seconds = 0.0

    def note_results(self, ids: Ids) -> None:
        """Environments have had a result."""
        if len(self.with_result) < len(self.ids):
            self.with_result.update(ids.tolist())


class Slices:
    """The slices of a pool, and the memory for their results.

    Attributes:
        workers: Their workers.
        buffers: Memory that workers on this machine share with the caller.
    """

    def __init__(self, settings: Settings, layout: WorkerLayout, ray: Any) -> None:
        """Starts nothing.

        Args:
            settings: The settings of the pool.
            layout: The arrays that workers are asked for.
            ray: The package, in a cluster.
        """
        self._settings, self._layout = settings, layout.worker_layout
        self._caller = node_of_caller(ray)
        self._nodes = max(1, sum(1 for node in ray.nodes() if node["Alive"]))
        count = settings.recipe.options["num_actors"] or self._nodes
        everybody = np.arange(settings.num_envs, dtype=np.int32)
        parts = np.array_split(everybody, min(count, settings.num_envs))
        self.workers = [SliceState(index, ids) for index, ids in enumerate(parts)]
        self._owners = np.repeat(np.arange(len(parts)), [len(ids) for ids in parts])
        share = len(parts[0])
        rows, most = share, MAX_RESULTS_HELD * len(parts)
        if settings.sync:
            rows, most = settings.num_envs, MAX_RESULTS_HELD
        fields = fields_of(settings.results, layout.arrays, settings.max_players, rows)
        self.buffers = BufferPool(fields, rows, most, share)

    def split(self, ids: Ids) -> Iterator[tuple[SliceState, NDArray[np.intp]]]:
        """The workers of some environments, and which of the ids are theirs."""
        owners = self._owners[ids]
        order = owners.argsort(kind="stable")
        ends = np.bincount(owners).cumsum().tolist()
        for worker, begin, end in zip(self.workers, [0, *ends], ends, strict=False):
            if begin < end:
                yield worker, order[begin:end]

    def start_args(self, worker: SliceState, threads: int) -> tuple[Any, ...]:
        """The arguments of `PoolActor.open`.

        Args:
            worker: The worker that will own the slice.
            threads: Threads of its pool.
        """
        settings = self._settings
        return (
            settings.recipe.task_id,
            self._config(worker, threads),
            self._layout,
            int(worker.first),
            worker.states,
            settings.every > 0,
            settings.row_bytes,
            0 if worker.restarts else -(-len(self.workers) // self._nodes),
            self._caller,
            self.buffers.fields,
        )

    def _config(self, worker: SliceState, threads: int) -> dict[str, Any]:
        """The options of a slice: environment i has the seed that it has in the whole pool."""
        settings, recipe = self._settings, self._settings.recipe
        config = {
            **recipe.given,
            "num_envs": len(worker.ids),
            "autoreset_mode": settings.autoreset_mode,
            "num_threads": threads,
        }
        if recipe.env_fns:
            config["env_fns"] = [recipe.env_fns[i] for i in worker.ids]
        seeds = list(settings.config["env_seed"])
        if seeds:
            own = [seeds[i] for i in worker.ids]
        else:
            own = [int(settings.config["seed"]) + int(i) for i in worker.ids]
        if worker.restarts and not settings.every:  # not the episodes that were seen already
            own = [
                _later(seed, worker.restarts) if env_id in worker.with_result else seed
                for env_id, seed in zip(worker.ids.tolist(), own, strict=True)
            ]
        if seeds or worker.restarts:
            config["env_seed"] = own
        else:
            config["seed"] = own[0]
        return config


def start_workers(
    settings: Settings, layout: WorkerLayout
) -> tuple[Slices, WorkerGroup[SliceState]]:
    """Enters the cluster and starts the workers, or leaves nothing behind.

    Each call needs one of `_cluster.leave`.

    Args:
        settings: The settings of the pool.
        layout: The arrays that workers are asked for.

    Raises:
        ConfigError: If the cluster cannot be reached, or an option of placement is wrong.
        StateError: If workers have not started in time.
        WorkerError: If an environment fails while it is built.
    """
    own = settings.recipe.options
    cpus = own["num_actors"] * (own["cpus_per_actor"] or settings.config["num_threads"])
    ray = _cluster.enter(f"make({settings.task_id!r}", own["address"], cpus, settings.start_timeout)
    try:
        slices = Slices(settings, layout, ray)
        group = WorkerGroup(ray, settings, slices.workers)
        try:
            group.start_all(lambda worker: slices.start_args(worker, group.threads))
        except BaseException:
            group.stop_all()
            raise
    except BaseException:
        _cluster.leave(ray)
        raise
    return slices, group


def node_of_caller(ray: Any) -> str:
    """The node of this process, with whose workers it shares memory."""
    return str(ray.get_runtime_context().get_node_id())


def _later(seed: int, restarts: int) -> int:
    """A seed for the environment that takes the place of one that was lost."""
    state = np.random.SeedSequence([seed, restarts]).generate_state(1, np.uint64)
    return int(state[0]) >> (64 - _SEED_BITS)
