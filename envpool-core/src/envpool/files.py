# SPDX-License-Identifier: Apache-2.0
"""Files that a user names: which ones a family may read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .errors import ConfigError

MOST_BYTES = 2**30
"""Size limit of a file that says no other, in bytes: no model, map or picture is as large."""


def check_file(call: str, path: str | os.PathLike[str], most_bytes: int = MOST_BYTES) -> None:
    """Refuses files that cannot be read in a moment: pipes, devices, sockets, and large files.

    To open a pipe waits for its writer, for ever if there is none. A path where nothing is passes:
    its reader knows best how to say that it is missing.

    Args:
        call: The call in the user's words, as "make('VizdoomCustom-v1', cfg_path='/maps/a.cfg')".
        path: The file.
        most_bytes: How large it may be, in bytes.

    Raises:
        ConfigError: If something else than a regular file of at most `most_bytes` is there.
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
