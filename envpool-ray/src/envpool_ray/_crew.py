# SPDX-License-Identifier: Apache-2.0
"""Crew: the actors of a pool, and where they belong; starts them, talks to them, ends them."""

from __future__ import annotations

import selectors
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from envpool.errors import ConfigError, EnvPoolError, StateError
from numpy.typing import NDArray

from ._actor import RESET, STEP, Slice
from ._batch import Plan
from ._line import Kinds, Line, Told, new_secret
from ._settings import Settings
from ._shared import MOST, Memory, Place, fields_of
from ._signals import Interruptible
from ._versions import check_same

_SEED_BITS = 62
_SERVING = "serving"  # the concurrency group of what an actor does all its life


class Message:
    """What was sent to an actor, until its results are no longer needed.

    Attributes:
        kind: `STEP`, `RESET`, or the name of another method of `Slice`.
        ids: Environments, counted in the whole pool.
        what: The arrays of an action, or seeds, or the other arguments of the method.
        save: Whether it asks for a checkpoint.
        sent: When it was sent.
        answered: Whether its results were received.
        answer: Of another method: what it returned, or an error of ours.
        place: Where large results are to be; None once they are there, or if they will be copied.
        turned: Whether it resets environments that were asked to step, and were lost.
    """

    __slots__ = ("answer", "answered", "ids", "kind", "place", "save", "sent", "turned", "what")

    def __init__(
        self,
        kind: str,
        ids: NDArray[np.int32],
        what: Any,
        turned: bool = False,
        place: Place | None = None,
    ) -> None:
        """Is not sent yet."""
        self.kind, self.ids, self.what, self.turned = kind, ids, what, turned
        self.place = place
        self.answered = self.save = False
        self.answer: Any = None
        self.sent = 0.0

    @property
    def plays(self) -> bool:
        """Whether it is a step or a reset."""
        return self.kind in (STEP, RESET)


class Member:
    """An actor and what it has to do.

    Attributes:
        index: Its number.
        ids: The environments of its slice.
        pending: Messages that are not answered, in order.
        log: Messages since the last checkpoint, if there are checkpoints.
        states: The last checkpoint: states by environment.
        seen: Environments that have had a result.
        restarts: How often it was replaced.
        losses: How often it was lost after it had started, since its last answer.
        trouble: Why the last one was lost that had not started.
        since: Since when it is being started; after that, when it has started or answered last.
        opening: Ray's reference to the answer to its start; None once it has started.
        serving: Ray's reference to what it does, which only has an answer if it is lost.
        line: The connection to it; None until it has started.
        answers: Usual ones that have come, by whether their results were shared, and rows: what
            their head means, and the dtypes and shapes of the arrays in it.
        local: Whether it is on this machine, and shares memory.
        handle: Ray's; None if it could not be started.
    """

    def __init__(self, index: int, ids: NDArray[np.int32]) -> None:
        """Is not started yet."""
        self.index, self.ids = index, ids
        self.first = ids[0]
        self.pending: deque[Message] = deque()
        self.log: list[Message] = []
        self.unsaved = 0
        self.states: dict[int, bytes] = {}
        self.seen: set[int] = set()
        self.restarts = self.losses = 0
        self.trouble = ""
        self.since = 0.0
        self.opening: Any = None
        self.serving: Any = None
        self.line: Line | None = None
        self.answers: dict[tuple[bool, int], tuple[Told, Kinds]] = {}
        self.local = False
        self.handle: Any = None
        self.pid = self.threads = 0
        self.steps = 0
        self.seconds = 0.0


class Crew:
    """The actors of a pool.

    Attributes:
        ray: The package.
        members: The actors.
        cpus: CPUs of each.
        threads: Threads of the pool of each.
        opening: Actors that are being started, by Ray's references to the answers.
        memory: What those on this machine share with the caller.
    """

    def __init__(
        self, ray: Any, settings: Settings, plan: Plan, slices: list[NDArray[np.int32]]
    ) -> None:
        """Starts nothing yet.

        Args:
            ray: The package.
            settings: Of the pool.
            plan: What actors are asked for.
            slices: The environments of each actor.
        """
        self.ray, self._settings, self._layout = ray, settings, plan.actors_layout
        share = len(slices[0])
        rows, most = (settings.num_envs, MOST) if settings.sync else (share, MOST * len(slices))
        fields = fields_of(settings.results, plan.arrays, settings.max_players, rows)
        self.memory = Memory(fields, rows, most, share)
        self._recipe, self._config = settings.recipe, settings.config
        self.members = [Member(index, ids) for index, ids in enumerate(slices)]
        self._owners = np.repeat(np.arange(len(slices)), [len(ids) for ids in slices])
        self._group: Any = None
        self._nodes = max(1, sum(1 for node in ray.nodes() if node["Alive"]))
        self._selector = selectors.DefaultSelector()
        self.opening: dict[Any, Member] = {}
        self._sending: set[Member] = set()  # their lines wait for room
        self.cpus, self.threads = self._share()
        try:
            self._class = ray.remote(**self._placed())(Slice)
        except (ValueError, TypeError) as cause:
            raise ConfigError(
                f"make({settings.task_id!r}), how actors are placed",
                str(cause).partition(". Valid")[0],
                f"what Ray {ray.__version__} takes; labels need a newer one than 2.40",
                "Correct placement, resources, labels or runtime_env, or upgrade Ray",
            ) from cause

    def _share(self) -> tuple[float, int]:
        """CPUs of an actor, and threads of its pool."""
        own = self._recipe.options
        threads = int(self._config["num_threads"])
        cpus = float(own["cpus_per_actor"]) or float(threads)
        if not cpus:
            total = self.ray.cluster_resources().get("CPU", 1.0)
            cpus = total / len(self.members)
            cpus = float(int(cpus)) if cpus >= 1 else int(cpus * 1000) / 1000
        return cpus, threads or max(1, int(cpus))

    def _placed(self) -> dict[str, Any]:
        """The options of an actor: where it goes, and what it takes."""
        own = self._recipe.options
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
        self._group = placement_group([needs] * len(self.members), strategy="PACK")
        return PlacementGroupSchedulingStrategy(self._group)

    def split(self, ids: NDArray[np.int32]) -> Iterator[tuple[Member, NDArray[np.intp]]]:
        """The actors of some environments, and which of the ids are theirs."""
        owners = self._owners[ids]
        order = owners.argsort(kind="stable")
        ends = np.bincount(owners).cumsum().tolist()
        for member, begin, end in zip(self.members, [0, *ends], ends, strict=False):
            if begin < end:
                yield member, order[begin:end]

    def start(self, member: Member) -> None:
        """Starts an actor; `opened` has to be asked for what comes of it."""
        member.handle = self._class.remote()
        member.opening = member.handle.open.remote(
            self._recipe.task_id,
            self._slice_config(member),
            self._layout,
            int(member.first),
            member.states,
            self._settings.every > 0,
            self._settings.row_bytes,
            0 if member.restarts else -(-len(self.members) // self._nodes),
            node_of_caller(self.ray),
            self.memory.fields,
        )
        self.opening[member.opening] = member

    def opened(self, member: Member) -> None:
        """Takes the answer to the start, and sends what the actor has to do.

        Raises:
            EnvPoolError: If the environments could not be built.
            OSError: If the actor cannot be reached.
        """
        try:
            told = self.ray.get(member.opening)
        except self.ray.exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, EnvPoolError):
                raise cause from error
            raise
        check_same(self._settings.task_id, member.index, told["versions"])
        secret = new_secret()
        member.serving = member.handle.serve.options(concurrency_group=_SERVING).remote(secret)
        member.line = Line(told["address"], secret)
        self._selector.register(member.line, selectors.EVENT_READ, member)
        del self.opening[member.opening]
        member.opening, member.trouble = None, ""
        member.since = time.monotonic()
        member.pid, member.threads, member.local = told["pid"], told["threads"], told["local"]
        for message in [*(m for m in member.log if m.answered), *member.pending]:
            self.send(member, message)

    def _slice_config(self, member: Member) -> dict[str, Any]:
        """The options of a slice: environment i has the seed that it has in the whole pool."""
        count = len(member.ids)
        config = dict(self._recipe.given)
        config |= {"num_envs": count, "autoreset_mode": self._settings.autoreset_mode}
        config["num_threads"] = self.threads
        if self._recipe.env_fns:
            config["env_fns"] = [self._recipe.env_fns[i] for i in member.ids]
        seeds = list(self._config["env_seed"])
        if seeds:
            own = [seeds[i] for i in member.ids]
        else:
            own = [int(self._config["seed"]) + int(i) for i in member.ids]
        if member.restarts and not self._recipe.options["checkpoint_every"]:
            # Not the episodes that were seen already.
            own = [
                _later(seed, member.restarts) if env_id in member.seen else seed
                for env_id, seed in zip(member.ids.tolist(), own, strict=True)
            ]
        if seeds or member.restarts:
            config["env_seed"] = own
        else:
            config["seed"] = own[0]
        return config

    def send(self, member: Member, message: Message) -> None:
        """Sends a message to an actor; one that starts gets it then.

        Raises:
            OSError: If the actor was lost.
        """
        message.sent = time.monotonic()
        if member.line is None:
            return
        what = message.what
        arrays = [message.ids - member.first]
        if not message.plays:
            member.line.send((message.kind, message.answered, (arrays[0], *what)))
        else:
            if message.kind == STEP:
                arrays += what.arrays.values()
                names = (*what.arrays,)
                if what.players is not None:
                    arrays.append(what.players - member.first)
                    names = (*names, "players.env_id")
                what = names
            place = message.place
            if place is not None and not (
                member.local and place.chunk in self.memory and member.line.share(place.chunk)
            ):
                place = message.place = None
            at = None if place is None else (place.chunk.number, place.row)
            work = (message.kind, what, message.save, at)
            member.line.send(("work", message.answered, work), arrays, message.kind == STEP)
        if member.line.sending:
            self._sending.add(member)

    def put_back(self, member: Member, begun: bytes, rest: bytes) -> None:
        """Goes on with the connection of an actor where somebody else has used it.

        Args:
            member: The actor.
            begun: Of a message that has come, in part or as a whole.
            rest: What there was no room for, of a message to be sent.
        """
        if member.line is not None:
            member.line.put_back(begun, rest)
            if member.line.sending:
                self._sending.add(member)

    def ready(self, seconds: float) -> list[Member]:
        """Waits so long at most for actors, and returns those whose line has something."""
        for member in [*self._sending]:
            line = member.line
            if line is None or not line.sending:
                self._sending.remove(member)
            if line is not None and line.sending != line.watched:
                line.watched = line.sending
                room = selectors.EVENT_WRITE if line.sending else 0
                self._selector.modify(line, selectors.EVENT_READ | room, member)
        return [key.data for key, _ in self._selector.select(seconds)]

    def check_connected(self) -> None:
        """Raises StateError if the program has left the cluster."""
        if not self.ray.is_initialized():
            raise StateError(
                f"use of {self._settings.task_id}",
                "a cluster that this program has left",
                "a connection to the cluster of the pool",
                "Do not call ray.shutdown() before close(); make a new pool",
            )

    def lost(self) -> list[Member]:
        """Actors of which Ray knows that they are lost."""
        self.check_connected()
        refs = {m.serving: m for m in self.members if m.serving is not None}
        if not refs:
            return []
        done, _ = self.ray.wait([*refs], num_returns=len(refs), timeout=0)
        return [refs[ref] for ref in done]

    def cause(self, member: Member, error: BaseException) -> BaseException:
        """Why an actor was lost, as far as Ray knows."""
        self.check_connected()
        if member.serving is None or not self.ray.wait([member.serving], timeout=0)[0]:
            return error
        try:
            self.ray.get(member.serving)
        except self.ray.exceptions.RayError as cause:
            error = cause
        return error

    def end(self, member: Member) -> None:
        """Ends an actor at once."""
        handle, member.handle = member.handle, None
        self._hang_up(member)
        self._take_memory_back(member)
        self.opening.pop(member.opening, None)
        member.opening = member.serving = None
        if handle is not None:
            # It may be gone already, and so may be the cluster.
            try:
                self.ray.kill(handle, no_restart=True)
            except (self.ray.exceptions.RayError, ValueError, RuntimeError):
                return

    def close(self) -> None:
        """Ends all actors, after their environments were closed where that is soon."""
        closing = [m.handle.close.remote() for m in self.members if m.handle is not None]
        try:
            if closing and self.ray.is_initialized():
                with Interruptible():
                    self.ray.wait(closing, num_returns=len(closing), timeout=2)
        finally:
            self.forget()

    def forget(self) -> None:
        """Ends all actors at once."""
        for member in self.members:
            self._hang_up(member)
        if not self.ray.is_initialized():
            return
        for member in self.members:
            self.end(member)
        if self._group is not None:
            from ray.util.placement_group import remove_placement_group

            remove_placement_group(self._group)
            self._group = None

    def _take_memory_back(self, member: Member) -> None:
        """Memory that a lost actor may still write into, until it ends, is not used again."""
        for message in member.pending:
            place, message.place = message.place, None
            if place is None or not self.memory.drop(place.chunk):
                continue
            for other in self.members:
                if other.line is not None:
                    with suppress(OSError):  # it is lost, too, as will be seen
                        other.line.forget(place.chunk)

    def _hang_up(self, member: Member) -> None:
        line, member.line = member.line, None
        if line is not None:
            self._selector.unregister(line)
            line.close()

    def too_late(self, asked: str, missing: int, trouble: str = "") -> StateError:
        """The error for actors that have not started in time."""
        needs: dict[str, Any] = {"CPU": self.cpus, **self._recipe.options["resources"]}
        free = self.ray.available_resources()
        have = {key: free.get(key, 0.0) for key in needs}
        seconds = self._recipe.options["start_timeout"]
        return StateError(
            asked,
            f"{missing} of {len(self.members)} actors that have not started in {seconds:g} s; each "
            f"needs {_text(needs)}, free are {_text(have)}{trouble and f'; the last: {trouble}'}",
            "a cluster that has room for all of them",
            "Pass fewer num_actors or cpus_per_actor, add nodes, or raise start_timeout",
        )


def node_of_caller(ray: Any) -> str:
    """The node of this process, with whose actors it shares memory."""
    return str(ray.get_runtime_context().get_node_id())


def reason(cause: BaseException) -> str:
    """The first line of what an exception says: Ray's have many."""
    lines = [line.strip() for line in str(cause).splitlines() if line.strip()]
    return f"{type(cause).__name__}: {lines[0] if lines else ''}"[:300]


def _later(seed: int, restarts: int) -> int:
    """A seed for the environment that takes the place of one that was lost."""
    state = np.random.SeedSequence([seed, restarts]).generate_state(1, np.uint64)
    return int(state[0]) >> (64 - _SEED_BITS)


def _text(resources: Mapping[str, float]) -> str:
    return ", ".join(f"{value:g} {key}" for key, value in resources.items())
