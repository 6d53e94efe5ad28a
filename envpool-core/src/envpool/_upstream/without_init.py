# SPDX-License-Identifier: Apache-2.0
"""Is installed as `envpool.py` for `import envpool` without `envpool/__init__.py`.

A package goes before a module of the same name beside it, so Python does not import this module
before `pip uninstall envpool`, of upstream's distribution, has removed the file: both distributions
have it. The command `envpool` then still works, so that `envpool doctor` can report.
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
