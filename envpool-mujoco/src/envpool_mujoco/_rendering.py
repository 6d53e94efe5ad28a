# SPDX-License-Identifier: Apache-2.0
"""Frames: the options of tasks that can be observed by images, and what `envpool doctor` says.

A task whose environment is `Ant` has these options, and `AntPixels` beside it:

    Task("Ant-v5", "envpool_mujoco._mujoco:Ant", options=OPTIONS, config_docs=OPTION_DOCS)
    with_pixels(Prepared(task.env, options))  # in envpool_prepare
    gl_finding()  # in envpool_findings
"""

from __future__ import annotations

from envpool import Finding, Prepared

OPTIONS = {"from_pixels": False}
"""Options of every task beside those of its environment."""

OPTION_DOCS = {
    "from_pixels": "observe images: uint8, 3 * frame_stack x render_height x render_width, 84 x 84",
    "render_quality": "'full': as Gymnasium and dm_control draw; 'fast': no shadows, reflections, "
    "smooth edges and sky, in far less time",
}
"""What the options of this module mean."""

INSTALL = "run `apt-get install libegl1 libgl1-mesa-dri`, or `apt-get install libosmesa6`"
_SIZES = ("render_width", "render_height")


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
        return Finding("OpenGL", f"none, so no frames can be drawn: {error}", "missing", INSTALL)
    return Finding("OpenGL", f"{library}, {renderer}, version {version}")
