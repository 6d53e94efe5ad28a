# SPDX-License-Identifier: Apache-2.0
"""The command line program `envpool`.

One module for each command; families add their own by the hook `envpool_commands`. Every command
has `--json` for programs. The exit status is 0, or 1 if EnvPool refused what was asked, or 2 if the
command line makes no sense, or 130 after Ctrl-C.

What a family's own command may print with: `show` for people, `print_json` for programs, and
`progress` for what takes longer than a second.
"""

from ._app import main
from ._output import print_json, progress, show

__all__ = ["main", "print_json", "progress", "show"]
