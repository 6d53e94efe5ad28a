# SPDX-License-Identifier: Apache-2.0
"""The command line program `envpool`.

One module for each command; families add their own by the hook `envpool_commands`. Every command
`--json` for programs. The exit status is 0; 1 if EnvPool refused the command; 2 if the command line
is wrong; 130 after Ctrl-C.

A family's own command may print with `show` for people, with `print_json` for programs, and with
`progress` during work of more than a second.
"""

from ._app import main
from ._output import print_json, progress, show

__all__ = ["main", "print_json", "progress", "show"]
