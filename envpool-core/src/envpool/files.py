# SPDX-License-Identifier: Apache-2.0
"""Checks of files that a user names, before a family reads them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .errors import ConfigError

MOST_BYTES = 2**30
"""The default size limit of a file, in bytes: no model, map or picture is as large."""


def check_file(call: str, path: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> None:
    """Refuses files that cannot be read in a moment: pipes, devices, sockets, and large files.

    Opening a pipe waits for its writer, for ever if there is none. A path without a file passes:
    its reader has the best message for a missing file.

    Args:
        call: The call in the user's words, as "make('VizdoomCustom-v1', cfg_path='/maps/a.cfg')".
        path: The file.
        most_bytes: How large it may be, in bytes.

    Raises:
        ConfigError: If the path is not a regular file of at most `most_bytes`.
    """
    try:
        found = Path(path).stat()
    except (OSError, ValueError):
        return
    allowed = f"a regular file of at most {most_bytes:,} bytes"
    if not stat.S_ISREG(found.st_mode):
        kind = "a folder" if stat.S_ISDIR(found.st_mode) else "a pipe or a device"
        raise ConfigError(call, kind, allowed, "Pass the path of a file")
    if found.st_size > most_bytes:
        got = f"a file of {found.st_size:,} bytes"
        raise ConfigError(call, got, allowed, "Correct the path")
