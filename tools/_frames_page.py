# SPDX-License-Identifier: Apache-2.0
"""An image with a frame of every task, each with its name below.

write(Path("docs/images/atari.png"), [("Pong", image), ...], columns=13)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw

NAME_HEIGHT = 18  # pixels below a frame
MARGIN = 10  # pixels between two frames side by side; a name may be as much wider
LEAST_GAP = 4  # between two names


def write(out: Path, frames: Sequence[tuple[str, Image.Image]], columns: int) -> None:
    """Writes the page, and prints how large it is. All frames have one size.

    Raises:
        ValueError: If a name is too wide.
    """
    width, height = frames[0][1].size
    cell_width, cell_height = width + MARGIN, height + NAME_HEIGHT
    rows = -(-len(frames) // columns)
    page = Image.new("RGB", (columns * cell_width, rows * cell_height), "white")
    draw = ImageDraw.Draw(page)
    for number, (name, frame) in enumerate(frames):
        row, column = divmod(number, columns)
        x, y = column * cell_width, row * cell_height
        page.paste(frame, (x + MARGIN // 2, y))
        room = cell_width - draw.textlength(name)
        if room < LEAST_GAP:
            raise ValueError(f"{name} is too wide for a cell of {cell_width} pixels")
        draw.text((x + room / 2, y + height + 1), name, "black")
    page.quantize(256).save(out, optimize=True)
    print(f"{out}: {len(frames)} frames, {out.stat().st_size / 1000:.0f} kB")
