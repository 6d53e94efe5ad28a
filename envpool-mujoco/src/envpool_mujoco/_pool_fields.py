# SPDX-License-Identifier: Apache-2.0
"""The additional methods of pools of a family on MuJoCo: fields of the model, per environment."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from envpool.errors import ConfigError, EnvIdError, StateError, shorten

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PoolFields"]

# The head of the answer to "state": numbers of controls, mocap bodies, sensors, and of a state.
_HEAD = struct.Struct("<qqqQ")


class PoolFields:
    """Fields of the model, as each environment has them."""

    if TYPE_CHECKING:
        compiled: Any  # a CompiledPool with `call`
        all_env_ids: ClassVar[NDArray[np.int32]]

        def __len__(self) -> int: ...

    def model_fields(self, name: str, env_ids: Any = None) -> NDArray[np.float64]:
        """A field of the model, with the present values of environments.

        Args:
            name: A field of `mjModel` that holds floating-point numbers, as "body_mass", also one
                that MuJoCo computes, as "body_subtreemass"; or numbers of its options, as
                "opt.gravity".
            env_ids: The environments, an int or ints of shape (rows,); None: all.

        Returns:
            float64 array of shape (rows, *shape), in the units of MuJoCo, where `shape` is that of
            the field in the package `mujoco`.

        Raises:
            ConfigError: If there is no such field.
            EnvIdError: If an id is out of range.
            StateError: If one of them is in flight, or the pool is closed.
        """
        ids = self._field_ids(env_ids)
        answers = self._call_fields(ids, "read", name, call="model_fields")
        rows = [np.frombuffer(answer, np.float64, offset=16) for answer in answers]
        return np.array(rows).reshape(len(ids), *self._field_shape(ids, name, "model_fields"))

    def set_model_fields(self, name: str, values: Any, env_ids: Any = None) -> None:
        """Sets a field of the model, from the next reset of each environment on.

        Derived values, as the inertia of a tree from the mass of a body, are computed by MuJoCo
        when the episode begins; the moments of inertia of a body are not derived from its mass. A
        draw of the option `randomize` starts from the number that was set.

        Args:
            name: A field that may differ between environments.
            values: Numbers of the field's shape, for all of these environments, or of shape
                (rows, *shape), for each of them. None: as the model has it.
            env_ids: The environments; None: all.

        Raises:
            ConfigError: If there is no such field, it may not differ between environments, or the
                shape or a number is wrong. No field is set then.
            EnvIdError: If an id is out of range.
            StateError: If one of them is in flight, or the pool is closed.
        """
        ids = self._field_ids(env_ids)
        shape = (len(ids), *self._field_shape(ids, name, "set_model_fields"))
        if values is None:
            requests = [b"\0" * 8] * len(ids)
        else:
            given = _numbers(values)
            if given is None or given.shape not in (shape, shape[1:]):
                got = shorten(values) if given is None else f"an array of shape {given.shape}"
                raise ConfigError(
                    f"set_model_fields({name!r})",
                    got,
                    f"finite numbers of shape {shape[1:]}, or {shape} for each environment",
                    "Pass an array of one of these shapes",
                )
            rows = np.ascontiguousarray(np.broadcast_to(given, shape))
            requests = [struct.pack("<Q", row.size) + row.tobytes() for row in rows]
        self._call_fields(ids, "set", name, requests, call="set_model_fields")

    def physics_states(self, env_ids: Any = None) -> NDArray[np.float64]:
        """The present physics states of environments, for `rollout`.

        Args:
            env_ids: The environments; None: all.

        Returns:
            float64 array of shape (rows, size): MuJoCo's `mjSTATE_FULLPHYSICS`, which begins with
            the time in s, positions and velocities.

        Raises:
            EnvIdError: If an id is out of range.
            StateError: If one of them is in flight, or the pool is closed.
        """
        ids = self._field_ids(env_ids)
        answers = self._call_fields(ids, "state", "", call="physics_states")
        return np.array(
            [np.frombuffer(answer, np.float64, offset=_HEAD.size) for answer in answers]
        )

    def rollout(
        self, states: Any, controls: Any, env_ids: Any = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Simulates states under controls, with the models of environments.

        Each row is simulated by `mj_step` only, one step for each row of its controls, by the
        threads of the pool. The environments do not change. The numbers equal those of
        `mujoco.rollout`.

        Args:
            states: float64 array of shape (rows, size) as returned by `physics_states`, or (size,)
            for all rows.
            controls: float64 array of shape (rows, steps, controls), in the units of the actuators.
                For models with mocap bodies also of shape (rows, steps, controls + 7 * bodies):
                after the controls x, y and z of each body in m, then a quaternion of each, in the
                form of `mjSTATE_CTRL
                mjSTATE_MOCAP_POS
                mjSTATE_MOCAP_QUAT`; without these the bodies stay at the model's places.
            env_ids: The environment whose model simulates each row, ints of shape (rows,), with
            repetitions allowed; None: row i uses environment i modulo num_envs.

        Returns:
            `(states, sensors)`, after each step: float64 arrays of shape (rows, steps, size) and
            (rows, steps, sensors).

        Raises:
            ConfigError: If an array has another shape, or a number is not finite.
            EnvIdError: If an id is out of range.
            StateError: If one of them is in flight, or the pool is closed.
            WorkerError: If MuJoCo cannot continue in some rows: its `failures` are the ids of their
            environments with MuJoCo's texts.
        """
        starts, given = _numbers(states), _numbers(controls)
        if starts is None or given is None:
            wrong = "states" if starts is None else "controls"
            raise ConfigError(
                "rollout(states, controls)",
                f"{wrong}={shorten(states if starts is None else controls)}",
                "arrays of finite numbers: MuJoCo would go on with others in their place",
                "Correct the numbers",
            )
        given = np.ascontiguousarray(given)
        rows = len(given) if given.ndim == 3 else 0
        ids = np.arange(rows) % len(self) if env_ids is None else self._field_ids(env_ids)
        (one,) = self._call_fields(self._one_of(ids), "state", "", call="rollout")
        nu, mocap, sensors, size = _HEAD.unpack_from(one)
        starts_fit = starts.shape in ((size,), (rows, size))
        widths = (nu, nu + 7 * mocap)
        if not rows or given.shape[2] not in widths or not starts_fit or len(ids) != rows:
            moved = f" or (rows, steps, {widths[1]}) with {mocap} mocap bodies" if mocap else ""
            raise ConfigError(
                "rollout(states, controls)",
                f"states of shape {starts.shape}, controls of shape {given.shape} and "
                f"{len(ids)} ids",
                f"states of shape (rows, {size}) or ({size},), controls of shape "
                f"(rows, steps, {nu}){moved}, and an id for each row",
                "Pass what physics_states() returned, and controls for each row",
            )
        whole = np.ascontiguousarray(np.broadcast_to(starts, (rows, size)))
        values = [
            struct.pack("<QQ", given.shape[1], size)
            + whole[row].tobytes()
            + struct.pack("<Q", given[row].size)
            + given[row].tobytes()
            for row in range(rows)
        ]
        answers = self._call_fields(ids, "rollout", "", values, call="rollout")
        steps = given.shape[1]
        found = np.empty((rows, steps, size))
        read = np.empty((rows, steps, sensors))
        for row, answer in enumerate(answers):
            found[row] = np.frombuffer(answer, np.float64, steps * size, 8).reshape(steps, size)
            behind = 16 + 8 * steps * size
            read[row] = np.frombuffer(answer, np.float64, -1, behind).reshape(steps, sensors)
        return found, read

    def _field_ids(self, env_ids: Any) -> Any:
        return self.all_env_ids if env_ids is None else np.atleast_1d(np.asarray(env_ids))

    def _one_of(self, ids: Any) -> Any:
        return ids[:1] if len(ids) else self.all_env_ids[:1]

    def _field_shape(self, ids: Any, name: str, call: str) -> tuple[int, ...]:
        """The shape of a field, which is the same in all environments; asks one of `ids`."""
        (answer,) = self._call_fields(self._one_of(ids), "read", name, call=call)
        count, columns = struct.unpack_from("<ii", answer)
        if name.startswith("opt."):  # numbers of the options, which have no rows
            return (columns,)
        return (count, columns) if columns > 1 else (count,)

    def _call_fields(
        self, ids: Any, what: str, name: str, values: list[bytes] | None = None, *, call: str
    ) -> list[bytes]:
        """Sends a request to environments; `AnswerFieldCall` in C++ answers it.

        Args:
            ids: The environments.
            what: The kind of request.
            name: The name of a field; "" where the request concerns none.
            values: The rest of each request.
            call: The method of the pool that errors name.
        """
        if not isinstance(name, str):
            raise ConfigError(
                f"{call}({shorten(name)})",
                f"a {type(name).__name__}",
                "the name of a field, as 'body_mass'",
                "Pass a string",
            )
        head = b"".join(
            struct.pack("<Q", len(text)) + text for text in (what.encode(), name.encode())
        )
        if values is None:
            values = [b""] * len(ids)
        try:
            answers: list[bytes] = self.compiled.call(ids, [head + value for value in values])
            return answers
        except (ConfigError, EnvIdError, StateError) as error:
            asked = f"{call}({name!r})" if name else f"{call}(env_ids=...)"
            raise type(error)(asked, error.got, error.allowed, error.hint) from None


def _numbers(values: Any) -> NDArray[np.float64] | None:
    """As an array; None where they are no finite numbers, or of no one shape."""
    try:
        given = np.asarray(values)
    except (ValueError, TypeError):
        return None
    if given.dtype.kind not in "iuf" or not np.isfinite(given).all():
        return None
    return given.astype(np.float64)
