# SPDX-License-Identifier: Apache-2.0
"""The parts of this wheel that other wheels' robot families use.

    from envpool import Prepared, Task
    from envpool_mujoco import family

    TASK = Task("Arm-v0", "envpool_arm._arm:Arm",
                options=family.OPTIONS, config_docs={**family.OPTION_DOCS, **family.FIELD_DOCS})

    def models():
        return family.assets_of("arm_models", "xml", 'pip install "envpool-arm[models]"')

    def prepare(task, options, build):
        given = family.with_models(options, models)
        return family.with_pixels(Prepared(task.env, given))

    FAMILY = family.RobotFamily([TASK], prepare=prepare)

A task with the environment `Arm` also has `ArmPixels`, which is `envpool::FromPixels<Arm>`. The C++
side is `<envpool_mujoco/simulated_env.h>` and its neighbors.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from envpool import Compared, Family, Finding, Prepared, Task, hookimpl
from envpool.errors import ConfigError, MissingPackageError, shorten

from ._cpu import check_cpu
from ._pool_fields import PoolFields

if TYPE_CHECKING:
    API: tuple[int, int]

__all__ = [
    "API",
    "FIELD_DOCS",
    "OPTIONS",
    "OPTION_DOCS",
    "RobotFamily",
    "assets_of",
    "check_cpu",
    "compared_engine",
    "compared_numpy",
    "gl_finding",
    "load_library",
    "models_finding",
    "with_fields",
    "with_models",
    "with_pixels",
]

OPTIONS: dict[str, object] = {"from_pixels": False}
"""Options of every task beside those of its environment."""

OPTION_DOCS = {
    "from_pixels": "observe images: uint8, 3 * frame_stack x render_height x render_width, 84 x 84",
    "render_quality": "'full': as Gymnasium and dm_control draw; 'fast': no shadows, reflections, "
    "smooth edges and sky, in far less time",
}
"""The meaning of this module's options."""

FIELD_DOCS = {
    "randomize": "what is drawn of the model at each start, {'body_mass': ('scale', 0.8, 1.2)}: a "
    "field, 'field/names' or 'field[column]', and 'scale', 'add', 'uniform', 'normal' or 'choice' "
    "with numbers; 'together' at the end: one draw for all",
    "model_info": "fields of the model to show in the info, as each environment has them",
}
"""The meaning of the options about fields of the model."""


class RobotFamily(Family):
    """An `envpool.Family` whose environments are `SimulatedEnv`s: a module's object `FAMILY`.

    It loads MuJoCo's library before the family's extension module, reads the option `randomize`,
    gives pools the methods for fields of the model, and tells `envpool doctor` which OpenGL draws.

    Raises:
        PluginError: When it is made, on a CPU that the library does not run on.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Takes the arguments of `envpool.Family`."""
        check_cpu()
        super().__init__(*args, **kwargs)

    @hookimpl
    def envpool_prepare(self, task: Task, options: Mapping[str, object], build: bool) -> Prepared:
        """The environment and the options of a pool."""
        load_library()
        prepared = super().envpool_prepare(task, options, build)
        return with_fields(prepared or Prepared(task.env, options))

    @hookimpl
    def envpool_findings(self) -> Iterator[Finding | Compared]:
        """Lines of `envpool doctor`."""
        yield from super().envpool_findings()
        yield gl_finding()


INSTALL_GL = "run `apt-get install libegl1 libgl1-mesa-dri`, or `apt-get install libosmesa6`"
_SIZES = ("render_width", "render_height")


def load_library() -> None:
    """Loads MuJoCo's library and the owner of its log handler, each once in a process.

    To be called before the family's extension module is imported, as a `RobotFamily` does. The
    module then has both, wherever its wheel and this one are installed.
    """
    from . import _mujoco  # noqa: F401


def assets_of(package: str, folder: str, install: str) -> Path:
    """The folder of an installed package's models. The package is not imported.

    Args:
        package: Its import name, as "gymnasium".
        folder: The folder in it, as "envs/mujoco/assets".
        install: The command that installs it, as 'pip install "gymnasium>=1.4"'.

    Raises:
        MissingPackageError: If it is not installed, or has no such folder.
    """
    found = find_spec(package)
    places = list((found and found.submodule_search_locations) or ())
    for place in places:
        if (models := Path(place, folder)).is_dir():
            return models
    raise MissingPackageError(
        f"models of the package {package}",
        f"no {folder} in {', '.join(places)}{_told(package)}"
        if places
        else f"no package {package}",
        f"an installed {package}, whose wheel has them in {folder}",
        f"Run `{install}`",
    )


def _told(package: str) -> str:
    """The installed version, if its metadata names it."""
    try:
        return f", which is {version(package)}"
    except PackageNotFoundError:
        return ""


def with_models(
    options: Mapping[str, object], models: Callable[[], Path] | None = None
) -> dict[str, object]:
    """The options, in which a path `xml_file` is a string without "~".

    Args:
        options: The user's options.
        models: Called for the option `base_path`, the folder of the models, if it is not given.
    """
    given = dict(options)
    if isinstance(file := given.get("xml_file"), str | os.PathLike):
        # Path would drop the "./" that makes a name a path.
        given["xml_file"] = os.path.expanduser(os.fspath(file))  # noqa: PTH111
    if models is not None and not given.get("base_path"):
        given["base_path"] = str(models())
    return given


def models_finding(
    suite: str,
    package: str,
    *,
    compared: str,
    same: str,
    note: str,
    install: str,
    instead: str,
    tasks: int | None = None,
) -> Finding:
    """Reports whether a package with models exists in the compared version.

    Args:
        suite: For people, as "Meta-World".
        package: Its name on the index.
        compared: Its version.
        same: Beginnings of versions that are as good, as "3.1.".
        note: A warning of the package that has no effect here.
        install: The command that installs it.
        instead: The command that replaces another version by the compared one.
        tasks: The number of tasks that need it, if it should be reported.
    """
    name = f"models of {suite}"
    try:
        found = version(package)
    except PackageNotFoundError:
        need = "none" if tasks is None else f"none, for its {tasks} tasks"
        return Finding(name, need, "missing", f"run `{install}`")
    detail = f"those of {package} {found}"
    if found.startswith(same):
        return Finding(name, f"{detail}; {note}")
    text = f"{detail}, where these tasks were compared with {compared}"
    return Finding(name, text, "warning", f"run `{instead}`")


def compared_engine() -> Compared:
    """The MuJoCo in this wheel; references must simulate with the same version.

    Since 4.0 its library is in the package `mujoco-core`, and `mujoco` may have another version.
    """
    from . import _mujoco

    engine = _mujoco.mujoco_version()
    newer = not engine.startswith("3.")
    package = "mujoco-core" if newer else "mujoco"
    return Compared(
        package if _is_installed(package) else "mujoco",
        (engine,),
        "environments of other packages move otherwise with it than those here, which use the "
        f"{engine} in envpool-mujoco: of Gymnasium's robots 8 of 11, with 4.0 beside 3.17",
        # Between 3 and 4 files move from one package to another, and pip would remove new files.
        f"pip uninstall -y mujoco mujoco-core mujoco-studio && pip install {package}=={engine}",
    )


def _is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def compared_numpy() -> Compared:
    """The version of NumPy with which robots were compared: their references use its generator."""
    return Compared("numpy", ("2.4.6",), "draws and last bits of the references may differ")


def with_pixels(prepared: Prepared) -> Prepared:
    """The environment for the option `from_pixels`.

    Args:
        prepared: The plain environment, "module:Name"; "module:NamePixels" observes images.
    """
    if not prepared.options.get("from_pixels"):
        return prepared
    # Without a size, the environment's own small size: images are for networks.
    given = {key: value for key, value in prepared.options.items() if key not in _SIZES or value}
    return prepared._replace(env=f"{prepared.env}Pixels", options=given)


def with_fields(prepared: Prepared) -> Prepared:
    """Converts `randomize` to its C++ form, and gives the pool methods for fields of the model.

    Args:
        prepared: A compiled environment that is a `SimulatedEnv`.

    Raises:
        ConfigError: If `randomize` is not a dict of draws.
    """
    options = dict(prepared.options)
    if options.get("randomize"):
        options["randomize"] = _draws(options["randomize"])
    elif "randomize" in options and options["randomize"] is None:
        del options["randomize"]
    return prepared._replace(options=options, mixin=PoolFields)


_MOST = 1e300  # larger numbers are infinities, or integers that no float can represent


def _draws(given: object) -> dict[str, tuple[str, list[float]]]:
    draws: dict[str, tuple[str, list[float]]] = {}
    allowed = "a dict of fields and draws of finite numbers, as {'body_mass': ('scale', 0.8, 1.2)}"
    if not isinstance(given, Mapping):
        got = f"a {type(given).__name__}"
        raise ConfigError(f"randomize={shorten(given)}", got, allowed, "Pass a dict")
    for key, draw in given.items():
        parts: list[Any] = list(draw) if isinstance(draw, list | tuple) else []
        if len(parts) == 2 and isinstance(parts[1], list | tuple):  # the form in C++
            parts = [parts[0], *parts[1]]
        kind, *numbers = parts or [""]
        together = bool(numbers) and numbers[-1] == "together"
        if together:
            numbers.pop()
        known = all(
            isinstance(n, int | float | np.integer | np.floating)
            and not isinstance(n, bool)
            and -_MOST < n < _MOST
            for n in numbers
        )
        if not isinstance(key, str) or not isinstance(kind, str) or not parts or not known:
            raise ConfigError(
                f"randomize={{{shorten(key)}: {shorten(draw)}}}",
                shorten(draw),
                f"{allowed}; or with 'together' at the end, for one draw for all",
                "Write the kind of draw, and then numbers",
            )
        draws[key] = (f"{kind} together" if together else kind, [float(n) for n in numbers])
    return draws


def gl_finding() -> Finding:
    """Reports the OpenGL that draws frames, or the packages to install."""
    from . import _mujoco

    try:
        library, renderer, version = _mujoco.gl_info()
    except RuntimeError as error:
        text = f"none, so no frames can be drawn: {error}"
        return Finding("OpenGL", text, "missing", INSTALL_GL)
    return Finding("OpenGL", f"{library}, {renderer}, version {version}")


def __getattr__(name: str) -> object:
    """`API`: this interface's number, and MuJoCo's, which the compiled modules compare."""
    if name != "API":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _mujoco

    return _mujoco.api
