# SPDX-License-Identifier: Apache-2.0
"""Converts figures of matplotlib and SVG texts to frames."""

from __future__ import annotations

import importlib
import io
from typing import Any

import numpy as np


def of_figure(figure: Any) -> Any:
    """A figure of matplotlib as uint8 (height, width, 3); the figure is closed."""
    figure.canvas.draw()
    frame = np.array(figure.canvas.buffer_rgba())[..., :3]
    importlib.import_module("matplotlib.pyplot").close(figure)
    return frame


def of_svg(text: str) -> Any:
    """An SVG as uint8 (height, width, 3), on white.

    Raises:
        ModuleNotFoundError: Without cairosvg, which brings Pillow.
    """
    cairosvg: Any = importlib.import_module("cairosvg")
    image: Any = importlib.import_module("PIL.Image")
    png = cairosvg.svg2png(bytestring=text.encode(), background_color="white")
    return np.asarray(image.open(io.BytesIO(png)).convert("RGB"))
