# SPDX-License-Identifier: Apache-2.0
"""Pools that break one promise each: a fault is injected into calls or results of a healthy one.

Each class of faulty_results.py and faulty_calls.py names its fault; test_kit_flaws.py says
which checks have to notice.
"""

from __future__ import annotations

import walks


class FaultyPool:
    """A CompiledPool that passes everything on; results go through `change`."""

    def __init__(self, pool, config):
        self.pool, self.config = pool, config

    def __getattr__(self, name):  # noqa: D105
        return getattr(self.pool, name)

    def change(self, result):
        return result

    def step(self, action, env_id=None):
        return self.change(self.pool.step(action, env_id))

    def recv(self, reset=False, timeout=None):
        return self.change(self.pool.recv(reset, timeout))

    def reset(self, env_id=None, seed=None):
        return self.change(self.pool.reset(env_id, seed))


class FaultyEnv:
    """A compiled environment, with faulty pools."""

    def __init__(self, faulty=FaultyPool, autoreset_mode=None, env=walks.Walk, **facts):
        self.faulty, self.autoreset_mode, self.env = faulty, autoreset_mode, env
        self.__dict__.update(facts)

    def __getattr__(self, name):  # noqa: D105
        return getattr(self.env, name)

    def make(self, config, task_id, autoreset_mode):
        mode = self.autoreset_mode or autoreset_mode
        return self.faulty(self.env.make(config, task_id, mode), config)


def tree_map(function, tree):
    if isinstance(tree, dict):
        return {key: tree_map(function, leaf) for key, leaf in tree.items()}
    if isinstance(tree, tuple):
        leaves = [tree_map(function, leaf) for leaf in tree]
        return type(tree)(*leaves) if hasattr(tree, "_fields") else tuple(leaves)
    return function(tree)


ENV = FaultyEnv()
