# SPDX-License-Identifier: Apache-2.0
"""What `import envpool` finds when `envpool/__init__.py` is gone: a copy of it is `envpool.py`.

A package goes before a module of the same name beside it, so nobody sees this one before
`pip uninstall envpool`, of upstream's distribution, has taken the file along: both distributions
have it. The command `envpool` goes on to work, so that `envpool doctor` can tell.
"""

import sys
from pathlib import Path

__path__ = [str(Path(__file__).with_suffix(""))]

if Path(sys.argv[0]).stem != "envpool":
    from envpool._upstream.mixed import find_problem
    from envpool.errors import PluginError

    found = find_problem()
    if found is not None:
        raise PluginError("import envpool", found.got, "a whole envpool-core", found.hint)
