# SPDX-License-Identifier: Apache-2.0
"""The command line program `envpool`.

One module for each command; families add their own by the hook `envpool_commands`. Every command
has `--json` for programs. The exit status is 0, or 1 if EnvPool refused what was asked, or 2 if the
command line makes no sense, or 130 after Ctrl-C.
"""

from ._app import main

__all__ = ["main"]
