# SPDX-License-Identifier: Apache-2.0
"""What a family of robots, in a wheel of its own, needs of this one.

    from envpool import Task, hookimpl
    from envpool_mujoco import family

    TASK = Task("Arm-v0", "envpool_arm._arm:Arm",
                options=family.OPTIONS, config_docs=family.OPTION_DOCS)

    @hookimpl
    def envpool_tasks():
        yield TASK

    @hookimpl
    def envpool_prepare(task, options):
        family.load_library()
        models = family.assets_of("arm_models", "xml", 'pip install "envpool-arm[models]"')
        return family.with_pixels(Prepared(task.env, {"base_path": str(models), **options}))

    @hookimpl
    def envpool_findings():
        yield family.gl_finding()

A task whose environment is `Arm` has `ArmPixels` beside it, which is `envpool::FromPixels<Arm>`.
The C++ side is `<envpool_mujoco/simulation.h>` and its neighbours.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from envpool import Finding, Prepared
from envpool.errors import MissingPackageError

from ._cpu import check_cpu

if TYPE_CHECKING:
    API: tuple[int, int]

__all__ = [
    "API",
    "OPTIONS",
    "OPTION_DOCS",
    "assets_of",
    "check_cpu",
    "gl_finding",
    "load_library",
    "with_pixels",
]

OPTIONS: dict[str, object] = {"from_pixels": False}
"""Options of every task beside those of its environment."""

OPTION_DOCS = {
    "from_pixels": "observe images: uint8, 3 * frame_stack x render_height x render_width, 84 x 84",
    "render_quality": "'full': as Gymnasium and dm_control draw; 'fast': no shadows, reflections, "
    "smooth edges and sky, in far less time",
}
"""What the options of this module mean."""

INSTALL_GL = "run `apt-get install libegl1 libgl1-mesa-dri`, or `apt-get install libosmesa6`"
_SIZES = ("render_width", "render_height")


def load_library() -> None:
    """Loads MuJoCo's library and the owner of its log handler, each once in a process.

    To be called before the family's extension module is imported, as in its `envpool_prepare`. The
    module then has both, wherever its wheel and this one are installed.
    """
    from . import _mujoco  # noqa: F401


def assets_of(package: str, folder: str, install: str) -> Path:
    """The folder of an installed package's models. The package is not imported.

    Args:
        package: Its import name, as "gymnasium".
        folder: The folder in it, as "envs/mujoco/assets".
        install: What installs it, as 'pip install "gymnasium>=1.4"'.

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
        f"no {folder} in {', '.join(places)}" if places else f"no package {package}",
        f"an installed {package}, whose wheel has them in {folder}",
        f"Run `{install}`",
    )


def with_pixels(prepared: Prepared) -> Prepared:
    """The environment that the option `from_pixels` asks for.

    Args:
        prepared: The plain one, "module:Name"; "module:NamePixels" has images as observations.
    """
    if not prepared.options.get("from_pixels"):
        return prepared
    # No size means the environment's own, which is small: images are for networks.
    given = {key: value for key, value in prepared.options.items() if key not in _SIZES or value}
    return prepared._replace(env=f"{prepared.env}Pixels", options=given)


def gl_finding() -> Finding:
    """Which OpenGL draws frames, or what to install."""
    from . import _mujoco

    try:
        library, renderer, version = _mujoco.gl_info()
    except RuntimeError as error:
        text = f"none, so no frames can be drawn: {error}"
        return Finding("OpenGL", text, "missing", INSTALL_GL)
    return Finding("OpenGL", f"{library}, {renderer}, version {version}")


def __getattr__(name: str) -> object:
    """`API`: this interface's number, and MuJoCo's, as the compiled modules compare them."""
    if name != "API":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import _mujoco

    return _mujoco.api
