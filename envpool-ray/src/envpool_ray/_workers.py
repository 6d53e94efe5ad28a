# SPDX-License-Identifier: Apache-2.0
"""The workers of a pool, each an actor of Ray: starts and stops them, and waits for them.

Nothing here knows what workers do.
"""

from __future__ import annotations

import selectors
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Generic, TypeVar

from envpool.errors import ConfigError, EnvPoolError, StateError
from envpool.progress import Progress

from ._interrupts import Interruptible
from ._node_checks import check_same
from ._settings import Settings
from ._worker import PoolActor
from .wire.connection import Connection, connect, new_secret
from .wire.framing import Arrays

_SERVING = "serving"  # the concurrency group of what a worker does all its life


class WorkerState:
    """A worker: its actor and the connection to it.

    Attributes:
        index: Its number.
        handle: Ray's; None if it could not be started.
        start_ref: Ray's reference to the result of its start; None once it has started.
        serve_ref: Ray's reference to what it does, which only has a result if it is lost.
        connection: The connection to it; None until it has started.
        local: Whether it is on this machine, and shares memory.
        since: Since when it is being started; after that, when it has started or answered last.
        restarts: How often it was replaced.
        start_error: Why the last one was lost that had not started.
    """

    def __init__(self, index: int) -> None:
        """Is not started yet."""
        self.index = index
        self.handle: Any = None
        self.start_ref: Any = None
        self.serve_ref: Any = None
        self.secret = b""
        self.connection: Connection | None = None
        self.local = False
        self.pid = self.threads = self.restarts = 0
        self.since = 0.0
        self.start_error = ""


Worker = TypeVar("Worker", bound=WorkerState)


class WorkerGroup(Generic[Worker]):
    """The workers of a pool.

    Attributes:
        ray: The package.
        workers: The workers.
        cpus: CPUs of each.
        threads: Threads of the pool of each.
        starting: Workers that are being started, by Ray's references to the results.
    """

    def __init__(self, ray: Any, settings: Settings, workers: Sequence[Worker]) -> None:
        """Starts nothing yet.

        Args:
            ray: The package.
            settings: The settings of the pool.
            workers: The workers.
        """
        self.ray, self.workers = ray, workers
        self._task_id, self._start_timeout = settings.task_id, settings.start_timeout
        self._options = settings.recipe.options
        self._placement_group: Any = None
        self._selector = selectors.DefaultSelector()
        self.starting: dict[Any, Worker] = {}
        self._sending: set[Worker] = set()  # their connections wait for room
        self.cpus, self.threads = self._share(int(settings.config["num_threads"]))
        try:
            self._class = ray.remote(**self._placed())(PoolActor)
        except (ValueError, TypeError) as cause:
            raise ConfigError(
                f"make({self._task_id!r}), how actors are placed",
                str(cause).partition(". Valid")[0],
                f"what Ray {ray.__version__} takes; labels need a newer one than 2.40",
                "Correct placement, resources, labels or runtime_env, or upgrade Ray",
            ) from cause

    def start_all(self, args: Callable[[Worker], tuple[Any, ...]]) -> None:
        """Starts all workers, and waits until they have started.

        Args:
            args: Gives the arguments of `PoolActor.open` of each.

        Raises:
            StateError: If one cannot start, or has not in time.
            EnvPoolError: If environments could not be built.
        """
        for worker in self.workers:
            self.start(worker, args(worker))
        until = time.monotonic() + self._start_timeout
        count = len(self.workers)
        with Progress(f"Actors of {self._task_id}", count) as progress:
            while self.starting:
                with Interruptible():
                    done, _ = self.ray.wait([*self.starting], num_returns=1, timeout=0.2)
                for ref in done:
                    self._finish_first_start(self.starting[ref])
                progress.show(count - len(self.starting))
                if not done and time.monotonic() > until:
                    raise self.too_late(f"make({self._task_id!r})", len(self.starting))

    def start(self, worker: Worker, args: tuple[Any, ...]) -> None:
        """Starts a worker; `finish_start` takes what comes of it, once `starting` has a result.

        Args:
            worker: The worker.
            args: The arguments of `PoolActor.open`.
        """
        worker.handle = self._class.remote()
        worker.start_ref = worker.handle.open.remote(*args)
        self.starting[worker.start_ref] = worker

    def finish_start(self, worker: Worker, interruptible: bool = True) -> None:
        """Takes the result of a start, and connects. If interrupted, it can be called again.

        Args:
            worker: The worker.
            interruptible: Whether Ctrl-C may end it while it connects.

        Raises:
            EnvPoolError: If the environments could not be built.
            OSError: If the worker cannot be reached.
        """
        try:
            started = self.ray.get(worker.start_ref)
        except self.ray.exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, EnvPoolError):
                raise cause from error
            raise
        check_same(self._task_id, worker.index, started["versions"])
        if worker.serve_ref is None:
            worker.secret = new_secret()
            serve = worker.handle.serve.options(concurrency_group=_SERVING)
            worker.serve_ref = serve.remote(worker.secret)
        with Interruptible() if interruptible else nullcontext():
            connected = connect(started["address"])
        worker.connection = Connection(connected, worker.secret)
        self._selector.register(worker.connection, selectors.EVENT_READ, worker)
        del self.starting[worker.start_ref]
        worker.start_ref, worker.start_error = None, ""
        worker.since = time.monotonic()
        worker.pid, worker.threads = started["pid"], started["threads"]
        worker.local = started["local"]

    def send(self, worker: Worker, value: Any, arrays: Arrays, repeated: bool) -> None:
        """Sends a connected worker a message, at once or when there is room.

        Raises:
            OSError: If the worker was lost.
        """
        connection = worker.connection
        assert connection is not None
        connection.send(value, arrays, repeated)
        if connection.sending:
            self._sending.add(worker)

    def put_back(self, worker: Worker, begun: bytes, rest: bytes) -> None:
        """Goes on with the connection of a worker where somebody else has used it.

        Args:
            worker: The worker.
            begun: Bytes of a message that has come, in part or as a whole.
            rest: Bytes of a message to be sent for which there was no room.
        """
        if worker.connection is not None:
            worker.connection.put_back(begun, rest)
            if worker.connection.sending:
                self._sending.add(worker)

    def select(self, seconds: float) -> list[Worker]:
        """Waits so long at most for workers, and returns those whose connection has something."""
        for worker in [*self._sending]:
            connection = worker.connection
            if connection is None or not connection.sending:
                self._sending.remove(worker)
            if connection is not None and connection.sending != connection.watched:
                connection.watched = connection.sending
                room = selectors.EVENT_WRITE if connection.sending else 0
                self._selector.modify(connection, selectors.EVENT_READ | room, worker)
        return [key.data for key, _ in self._selector.select(seconds)]

    def check_connected(self) -> None:
        """Raises StateError if the program has left the cluster."""
        if not self.ray.is_initialized():
            raise StateError(
                f"use of {self._task_id}",
                "a cluster that this program has left",
                "a connection to the cluster of the pool",
                "Do not call ray.shutdown() before close(); make a new pool",
            )

    def lost(self) -> list[Worker]:
        """Actors of which Ray knows that they are lost."""
        self.check_connected()
        refs = {m.serve_ref: m for m in self.workers if m.serve_ref is not None}
        if not refs:
            return []
        done, _ = self.ray.wait([*refs], num_returns=len(refs), timeout=0)
        return [refs[ref] for ref in done]

    def loss_cause(self, worker: Worker, error: BaseException) -> BaseException:
        """Why a worker was lost, as far as Ray knows."""
        self.check_connected()
        if worker.serve_ref is None or not self.ray.wait([worker.serve_ref], timeout=0)[0]:
            return error
        try:
            self.ray.get(worker.serve_ref)
        except self.ray.exceptions.RayError as cause:
            error = cause
        return error

    def stop(self, worker: Worker) -> None:
        """Ends a worker at once."""
        handle, worker.handle = worker.handle, None
        self._disconnect(worker)
        self.starting.pop(worker.start_ref, None)
        worker.start_ref = worker.serve_ref = None
        if handle is not None:
            # It may be gone already, and so may be the cluster.
            try:
                self.ray.kill(handle, no_restart=True)
            except (self.ray.exceptions.RayError, ValueError, RuntimeError):
                return

    def close(self) -> None:
        """Ends all workers, after their environments were closed where that is soon."""
        closing = [m.handle.close.remote() for m in self.workers if m.handle is not None]
        try:
            if closing and self.ray.is_initialized():
                with Interruptible():
                    self.ray.wait(closing, num_returns=len(closing), timeout=2)
        finally:
            self.stop_all()

    def stop_all(self) -> None:
        """Ends all workers at once."""
        for worker in self.workers:
            self._disconnect(worker)
        if not self.ray.is_initialized():
            return
        for worker in self.workers:
            self.stop(worker)
        if self._placement_group is not None:
            from ray.util.placement_group import remove_placement_group

            remove_placement_group(self._placement_group)
            self._placement_group = None

    def too_late(self, asked: str, missing: int, error: str = "") -> StateError:
        """The error for actors that have not started in time."""
        needs: dict[str, Any] = {"CPU": self.cpus, **self._options["resources"]}
        free = self.ray.available_resources()
        have = {key: free.get(key, 0.0) for key in needs}
        seconds = self._options["start_timeout"]
        return StateError(
            asked,
            f"{missing} of {len(self.workers)} actors that have not started in {seconds:g} s; each "
            f"needs {_text(needs)}, free are {_text(have)}{error and f'; the last: {error}'}",
            "a cluster that has room for all of them",
            "Pass fewer num_actors or cpus_per_actor, add nodes, or raise start_timeout",
        )

    def _finish_first_start(self, worker: Worker) -> None:
        try:
            self.finish_start(worker)
        except (self.ray.exceptions.RayError, OSError) as cause:
            raise StateError(
                f"make({self._task_id!r})",
                f"actor {worker.index} that could not start: {reason(cause)}",
                "actors that start",
                "Look into the logs of Ray; is EnvPool installed on every node, and may nodes "
                "connect?",
            ) from cause

    def _disconnect(self, worker: Worker) -> None:
        connection, worker.connection = worker.connection, None
        if connection is not None:
            self._selector.unregister(connection)
            connection.close()

    def _share(self, threads: int) -> tuple[float, int]:
        """CPUs of a worker, and threads of its pool."""
        cpus = float(self._options["cpus_per_actor"]) or float(threads)
        if not cpus:
            total = self.ray.cluster_resources().get("CPU", 1.0)
            cpus = total / len(self.workers)
            cpus = float(int(cpus)) if cpus >= 1 else int(cpus * 1000) / 1000
        return cpus, threads or max(1, int(cpus))

    def _placed(self) -> dict[str, Any]:
        """The options of a worker: where it goes, and what it takes."""
        own = self._options
        options: dict[str, Any] = {"num_cpus": self.cpus, "max_restarts": 0, "max_task_retries": 0}
        options["concurrency_groups"] = {_SERVING: 1}
        for key, name in (
            ("resources", "resources"),
            ("labels", "label_selector"),
            ("runtime_env", "runtime_env"),
        ):
            if own[key]:
                options[name] = dict(own[key])
        placement = own["placement"]
        if placement == "spread":
            options["scheduling_strategy"] = "SPREAD"
        elif placement == "pack":
            options["scheduling_strategy"] = self._packed(options)
        elif placement is not None:
            options["scheduling_strategy"] = placement
        return options

    def _packed(self, options: Mapping[str, Any]) -> Any:
        from ray.util.placement_group import placement_group
        from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

        needs = {"CPU": self.cpus, **options.get("resources", {})}
        self._placement_group = placement_group([needs] * len(self.workers), strategy="PACK")
        return PlacementGroupSchedulingStrategy(self._placement_group)


def reason(cause: BaseException) -> str:
    """The first line of what an exception says: Ray's have many."""
    texts = [text.strip() for text in str(cause).splitlines() if text.strip()]
    return f"{type(cause).__name__}: {texts[0] if texts else ''}"[:300]


def _text(resources: Mapping[str, float]) -> str:
    return ", ".join(f"{value:g} {key}" for key, value in resources.items())
