# SPDX-License-Identifier: Apache-2.0
"""EnvPoolMixin: the methods of all pools, for every interface."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar

import numpy as np

from .._specs.options import (
    as_int,
    check_range,
    check_reset_options,
    is_sequence,
    reworded,
)
from .._specs.spec import EnvSpec
from .._upstream.old_members import OldPoolMembers
from .._upstream.old_options import check_return_info
from ..errors import ConfigError, EnvIdError, RenderError, SavedStateError, shorten, suggest
from .actions import flatten as flatten

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Self

    from .._backend import EnvBackend, PoolBackend
    from ..viewer import Viewer

T = TypeVar("T")

EnvIds: TypeAlias = "int | Sequence[int] | np.integer[Any] | NDArray[np.integer[Any]]"
"""One environment, or several: an int, a sequence of ints or an int array of shape (rows,)."""
Seeds: TypeAlias = "int | Sequence[int] | np.integer[Any] | NDArray[np.integer[Any]]"
"""A seed for all environments, to which each adds its id, or one for each, of shape (rows,)."""


class EnvPoolMixin(OldPoolMembers):
    """A pool of environments; the base of every pool that `envpool.make` returns.

    `step` and `reset` have another form in every interface, so they are in the subclasses.

    Attributes:
        spec: Options, spaces and specs. May be set: libraries do.
        num_envs: Number of environments. May be set; only the attribute changes.
        render_mode: None, "rgb_array", "human", "ansi", "depth_array" or "rgbd_tuple".
    """

    env_type: ClassVar[str] = ""

    def __init__(self, spec: EnvSpec) -> None:
        """Builds the environments.

        Args:
            spec: From `make_spec`, or from the spec class of a compiled environment.

        Raises:
            ConfigError: If `spec` is no EnvSpec, or an option needs an ability that the environment
                lacks.
            WorkerError: If an environment fails while it is built.
        """
        if not isinstance(spec, EnvSpec):
            raise ConfigError(
                f"{type(self).__name__}({shorten(spec)})",
                f"a {type(spec).__name__}",
                "an EnvSpec",
                "Pass what make_spec() returns",
            )
        self._spec = spec
        try:
            self._check(spec)
        except BaseException:
            spec.env.discard()
            raise
        self.spec: EnvSpec = spec
        self.num_envs: int = spec.options["num_envs"]
        self.render_mode: str | None = spec.options["render_mode"]
        self._pending_seed: int | list[int] | None = None
        self._viewer: Viewer | None = None
        names = list(spec.state_array_spec)
        same_step = spec.options["autoreset_mode"] == "same_step"
        self._step_layout, self._reset_layout = self._layouts(names, same_step)
        try:
            self._compiled = spec.env.make(
                spec.env_options, self._task_id, spec.options["autoreset_mode"]
            )
        except ConfigError as error:
            raise reworded(error, spec.options, f"make({self._task_id!r}, ") from None
        self._compiled.set_result_layouts(self._step_layout, self._reset_layout)
        self._compiled_step: Callable[..., Any] = self._compiled.step

    def _replace_step(self, method: Callable[..., Any], compiled: Callable[..., Any]) -> None:
        """Makes `step` the compiled function, which has the same results as the method `method`.

        The method of a subclass or a mixin stays, and so do pools not of C++.
        """
        if type(self).step is method and isinstance(  # type: ignore[attr-defined]
            compiled, types.BuiltinMethodType
        ):
            vars(self)["step"] = compiled

    def _layouts(self, names: Sequence[str], same_step: bool) -> tuple[Any, Any]:
        """The layouts of the results of step and of reset, from the state arrays `names`."""
        raise NotImplementedError

    def _check(self, spec: EnvSpec) -> None:
        """Raises ConfigError for options that this kind of pool or its environment cannot serve."""
        spec.check_memory()
        mode = spec.options["render_mode"]
        modes = render_modes(spec.env)
        if mode is not None and mode not in modes:
            raise ConfigError(
                f"make({spec.id!r}, render_mode={mode!r})",
                f"a task that cannot draw itself{f' as {mode!r}' if modes else ''}",
                ", ".join(map(repr, (None, *modes))),
                "Pass one of these" if modes else "Leave render_mode out",
            )

    @property
    def _task_id(self) -> str:
        return self._spec.id if self._spec.task is None else self._spec.task.id

    def __len__(self) -> int:
        """The number of environments."""
        return int(self._spec.options["num_envs"])

    @property
    def all_env_ids(self) -> NDArray[np.int32]:
        """The ids of all environments, 0 .. num_envs - 1: a new int32 array each time."""
        return np.arange(len(self), dtype=np.int32)

    @property
    def is_async(self) -> bool:
        """Whether a batch has fewer rows than there are environments."""
        return bool(self._spec.options["batch_size"] != len(self))

    @property
    def config(self) -> dict[str, Any]:
        """All options by name: a new dict each time."""
        return dict(self._spec.options)

    @property
    def compiled(self) -> PoolBackend:
        """The backend that steps the environments; a family's own may have more methods."""
        return self._compiled

    @property
    def closed(self) -> bool:
        """Whether the pool is closed; `reset` and `async_reset` open it again."""
        return self._compiled.closed

    def send(self, action: Any, env_id: EnvIds | None = None) -> None:
        """Sends actions to environments and returns at once; `recv` has the results.

        Args:
            action: One row per environment (or player), or a dict of such arrays if the action has
                several keys; the dict may have "env_id" and "players.env_id" too, and may be
                nested. Where an action is one number, shape (rows, 1) is taken as (rows,). The
                array may be overwritten as soon as the call is over.
            env_id: int array of shape (rows,). None: the environments of the batch that was
                received last; all of them, if the pool is not asynchronous.

        Raises:
            ActionError: If a key is missing, or a shape, dtype or value is wrong.
            EnvIdError: If an id is out of range, given twice or in flight.
            StateError: If the pool is closed.
        """
        self._compiled.send(flatten(action) if isinstance(action, dict) else action, env_id)

    def recv(
        self, reset: bool = False, return_info: bool = True, timeout: float | None = None
    ) -> Any:
        """Waits for a batch of results and returns it as `step` would.

        Args:
            reset: Return what `reset` would return.
            return_info: True; a name of upstream.
            timeout: Seconds to wait at most, also for actions that another thread is still to send;
                None waits for the results in flight, without a limit.

        Returns:
            What `step` returns, or `reset`, with `batch_size` rows; one for each environment that
            was sent, if the pool is not asynchronous.

        Raises:
            ConfigError: If the timeout is negative, or an observation is asked for without info.
            StateError: If too few results are in flight to fill a batch, without a timeout.
            RecvTimeoutError: If the time is over; no result is lost.
            WorkerError: If an environment failed; the results of the others are kept.
        """
        check_return_info(reset, return_info, self._task_id)
        if timeout is not None and not isinstance(timeout, (int, float, np.number)):
            raise ConfigError(
                f"recv(timeout={shorten(timeout)}) of {self._task_id}",
                f"a {type(timeout).__name__}",
                "seconds from 0, or None to wait for as long as it takes",
                "Pass a number",
            )
        return self._compiled.recv(reset, timeout)

    def async_reset(self, env_id: EnvIds | None = None, seed: Seeds | None = None) -> None:
        """Starts a new episode in environments and returns at once; `recv` has the results.

        Args:
            env_id: The environments; None: all.
            seed: As in `reset`.

        Raises:
            ConfigError: If a seed is wrong.
            EnvIdError: If an id is out of range or given twice.
        """
        self._reset_with(self._compiled.async_reset, env_id, seed)

    @contextlib.contextmanager
    def _reset_options(
        self, options: Mapping[str, Any], env_ids: NDArray[np.int32] | None
    ) -> Iterator[None]:
        """Gives options to environments for the reset inside the block, if there are any.

        Raises:
            ConfigError: If an option is unknown, or has a wrong value.
        """
        if not options:
            yield
            return
        give, known = self._compiled.set_reset_options, self._compiled.reset_options
        call = f"reset of {self._task_id} with options={shorten(dict(options))}"
        unknown = [] if known is None else [name for name in options if name not in known]
        if unknown:
            raise ConfigError(
                call,
                repr(unknown[0]),
                ", ".join(map(repr, ("reset_mask", *(known or ())))),
                suggest(unknown[0], known or (), "Leave it out, or pass it to make()"),
            )
        if known is not None:
            options = check_reset_options(known, options, self._task_id)
        try:
            give(env_ids, dict(options))
        except ConfigError as error:
            if error.option not in options:
                raise
            got = f"{error.option!r}: {error.got}"
            raise ConfigError(call, got, error.allowed, error.hint) from error.__cause__
        try:
            yield
        except BaseException:
            give(env_ids, None)  # a refused reset leaves no options to the next reset
            raise

    def _reset_with(self, call: Callable[..., T], env_id: object, seed: Any) -> T:
        """Calls a reset of the compiled pool with the seed of `seed()`, if it gets none."""
        seed = _whole(seed, len(self))
        if env_id is not None or self._pending_seed is None:
            return call(env_id, seed)
        result = call(None, self._pending_seed if seed is None else seed)
        self._pending_seed = None  # not earlier: a refused reset uses no seed
        return result

    def render(
        self, env_ids: EnvIds | None = None, camera_id: int | None = None
    ) -> NDArray[np.uint8] | Any:  # None only if render_mode is "human", which mypy cannot know
        """Draws environments as they are now.

        Args:
            env_ids: The environments; None: the option render_env_id. A single one, if render_mode
                is "human".
            camera_id: The camera's number; None: the option render_camera_id.

        Returns:
            By render_mode:
            "rgb_array": uint8 array of shape (rows, height, width, 3), RGB.
            "depth_array": float32 array of shape (rows, height, width), the values of OpenGL's
            depth buffer: 0 at the nearest plane, 1 at the farthest.
            "rgbd_tuple": a tuple of both.
            "ansi": a list of texts.
            "human": None; the frame is shown in a window.

        Raises:
            RenderError: If the pool was made without render_mode, an environment was never reset,
                or the frame cannot be drawn or shown.
            ConfigError: If `camera_id` is no whole number from -1.
            EnvIdError: If an id is out of range.
            StateError: If an environment is in flight.
        """
        return self._render(self._default_render_ids() if env_ids is None else env_ids, camera_id)

    def _default_render_ids(self) -> EnvIds:
        return int(self._spec.options["render_env_id"])

    def _render(self, env_ids: EnvIds, camera_id: int | None) -> Any:
        options = self._spec.options
        if self.render_mode is None:
            raise RenderError(
                f"render() of {self._task_id}",
                "a pool that was made with render_mode=None",
                "pools made with a render_mode, as 'rgb_array' or 'human'",
                f"Call make({self._task_id!r}, render_mode='rgb_array', ...)",
            )
        ids = self._ids("render", env_ids)
        if camera_id is None:
            camera_id = options["render_camera_id"]
        camera_id = as_int("camera_id", camera_id, "render(")
        check_range("camera_id", camera_id, -1, 2**31 - 1, "render(")
        human = self.render_mode == "human"
        if human and len(ids) != 1:
            raise RenderError(
                f"render(env_ids={shorten(env_ids)}) of {self._task_id}",
                f"{len(ids)} environments for one window",
                "one environment, with render_mode='human'",
                "Pass one id, or use render_mode='rgb_array'",
            )
        how = (ids, options["render_width"], options["render_height"], camera_id)
        if self.render_mode == "ansi":
            return self._compiled.render_text(ids)
        if self.render_mode == "depth_array":
            return self._compiled.render(*how, True)
        frames = self._compiled.render(*how)
        if self.render_mode == "rgbd_tuple":
            return frames, self._compiled.render(*how, True)
        if not human:
            return frames
        if self._viewer is None:
            from ..viewer import Viewer

            self._viewer = Viewer(f"{self._task_id} ({id(self):x})")
        self._viewer.show(frames[0])
        return None

    def save_state(self, env_ids: EnvIds | None = None) -> list[bytes]:
        """The present state of environments, as bytes that `load_state` takes.

        Args:
            env_ids: The environments; None: all.

        Returns:
            One `bytes` for each, for `load_state` of a pool of the same task and version.

        Raises:
            SavedStateError: If the task's environments cannot be saved.
            EnvIdError: If an id is out of range.
            StateError: If an environment is in flight.
        """
        ids = self.all_env_ids if env_ids is None else self._ids("save_state", env_ids)
        return self._compiled.save_state(ids)

    def load_state(self, states: Sequence[bytes], env_ids: EnvIds | None = None) -> None:
        """Sets environments to saved states: later steps repeat those after the save.

        Args:
            states: One for each environment, from `save_state`; may come from other environments.
            env_ids: The environments to change; None: all.

        Raises:
            SavedStateError: If a state is damaged, or of another task or version. Nothing is
                changed.
            EnvIdError: If an id is out of range.
            StateError: If an environment is in flight.
        """
        ids = self.all_env_ids if env_ids is None else self._ids("load_state", env_ids)
        if isinstance(states, (str, bytes, bytearray)) or not isinstance(states, Sequence):
            raise SavedStateError(
                f"load_state of {self._task_id}",
                f"{shorten(states)} of type {type(states).__name__}",
                "a list of bytes, one for each env id",
                "Pass what save_state returned",
            )
        self._compiled.load_state(list(states), ids)

    def _ids(self, call: str, env_ids: EnvIds) -> NDArray[np.int32]:
        """Checked ids as an int32 array of shape (rows,)."""
        try:
            ids = np.atleast_1d(np.asarray(env_ids))
            if ids.size == 0:
                ids = ids.astype(np.int32)
        except (ValueError, TypeError):  # for example lists of different lengths
            ids = np.zeros((1, 1))
        wrong = ids.dtype.kind not in "iu" or ids.ndim != 1
        if wrong or (ids.size and not 0 <= ids.min() <= ids.max() < len(self)):
            raise EnvIdError(
                f"{call}(env_ids={shorten(env_ids)}) of {self._task_id}",
                shorten(env_ids) if wrong else f"ids {ids.min()} .. {ids.max()}",
                f"an int or a list of ints in 0 .. {len(self) - 1}",
                "Pass ids of this pool, see all_env_ids",
            )
        return ids.astype(np.int32)

    def xla(self) -> tuple[Any, Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
        """The pool for code that JAX compiles: `handle, recv, send, step`.

        `recv(handle)` returns `(handle, result)`, `send(handle, action, env_id=None)` a handle, and
        `step(handle, action, env_id=None)` calls both in this order. The result is that of the
        pool's `step`, as JAX arrays. Every call runs on the CPU: where programs run there, too,
        without Python; on other devices through callbacks.

        In a compiled program a call comes after the call that returned its handle: pass on the last
        handle. The functions keep the pool alive.

        Raises:
            ConfigError: If the results have no fixed shape.
            MissingPackageError: If JAX is not installed.
        """
        own = self._compiled.xla()
        if own is not None:
            return own
        from .xla import make_xla

        how = (self._step_layout, self.env_type, self.send, self.recv)
        return make_xla(self._compiled, self._spec, *how)

    def functional(self) -> tuple[Any, Callable[[Any, Any], tuple[Any, Any]]]:
        """The pool as a pure function, if its environments are written in JAX.

        Returns:
            A carry, the state of all environments at this moment, and `step(carry, action)`,
            which returns the next carry and the result of the pool's `step`, as JAX arrays. The
            function can be used within `jit`, `scan` and `vmap`; the pool itself goes its own way.

        Raises:
            ConfigError: If the environments are not pure functions, as in all other families, or
                the pool is asynchronous or of env_type "vector".
            StateError: If results are in flight, or environments were not reset that must be.
        """
        return self._compiled.functional()

    def c_pool(self) -> Any:
        """The pool for native code, which calls it without Python and without the GIL.

        Returns:
            A capsule named "envpool.c_pool" that holds a pointer to an `EnvPoolC`, whose header is
            `envpool/c_pool.h`. It does not keep the pool: keep that as long as native code runs.

        Raises:
            ConfigError: If the results have no fixed shape, or the pool is not a compiled one.
        """
        return self._compiled.c_pool()

    def close(self, **kwargs: Any) -> None:
        """Ends the threads and frees the environments. Results that were received stay valid.

        A second close changes nothing; `reset` and `async_reset` open the pool again.

        Args:
            **kwargs: Accepted for gymnasium.vector, and not used.
        """
        if self._viewer is not None:
            self._viewer.close()
        self._compiled.close()

    def __enter__(self) -> Self:
        """The pool; the end of the block closes it."""
        return self

    def __exit__(self, *args: object) -> Literal[False]:
        """Closes the pool; an exception is passed on."""
        self.close()
        return False

    def __repr__(self) -> str:
        """The task, the sizes of the running pool, and the given options.

        As `WalkGymnasiumEnvPool('Walk-v0', num_envs=8, batch_size=8, num_threads=2, seed=1)`.
        """
        options = self._spec.options
        shown = {key: options[key] for key in ("num_envs", "batch_size")}
        shown["num_threads"] = self._compiled.num_threads  # 0 in the options leaves it to the pool
        shown["seed"] = options["env_seed"] or options["seed"]
        given = {key: options[key] for key in self._spec.kwargs if key not in (*shown, "env_seed")}
        text = ", ".join(f"{key}={shorten(value)}" for key, value in {**shown, **given}.items())
        return f"{type(self).__name__}({self._task_id!r}, {text})"

    __str__ = __repr__

    def __reduce__(self) -> Any:
        """Copies and pickles as the recipe: a new pool of the same task and options, not reset.

        Raises:
            ConfigError: If the pool was not made for a task id.
        """
        if self._spec.make is None:
            raise ConfigError(
                f"a copy or pickle of {type(self).__name__}",
                "a pool that was made from classes",
                "pools that were made from a task id, whose recipe can be written down",
                "Register a task and use make()",
            )
        return self._spec.make, (self.env_type,)


def render_modes(env: EnvBackend) -> list[str]:
    """The render modes of a task's compiled environment."""
    modes = (
        (env.renders, ("rgb_array", "human")),
        (env.renders_text, ("ansi",)),
        (env.renders_depth, ("depth_array", "rgbd_tuple")),
    )
    return [mode for able, names in modes if able for mode in names]


def _whole(seed: Any, num_envs: int) -> int | list[int | None] | None:
    """A seed, or a seed for each environment, as ints: any value of `make(seed=)`.

    Raises:
        ConfigError: If a seed is no whole number, or out of range.
    """
    if seed is None:
        return None
    if is_sequence(seed):
        return [one if one is None else _seed(one, 0) for one in seed]
    return _seed(seed, num_envs)


def _seed(seed: Any, added: int) -> int:
    whole = as_int("seed", seed, "reset(")
    check_range("seed", whole, 0, 2**63 - 1 - added, "reset(")
    return whole
