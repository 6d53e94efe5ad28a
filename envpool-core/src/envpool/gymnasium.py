# SPDX-License-Identifier: Apache-2.0
"""All tasks in Gymnasium's own registry, as "envpool/CartPole-v1".

Importing this module registers them, so one string is enough, with no other import:

    gymnasium.make_vec("envpool.gymnasium:envpool/CartPole-v1", num_envs=8)

Slashes and colons of an id are hyphens there: "envpool/MetaWorld-Reach-v3"; see `registered_id`.
The short form works after any of `import envpool.gymnasium`, `envpool.register_gymnasium_envs()`
and, in Gymnasium's way, `gymnasium.register_envs(envpool.gymnasium)`:

    gymnasium.make_vec("envpool/CartPole-v1", num_envs=8)

`import envpool` alone does not register: it would have to import every family for its ids, and
Gymnasium, which has no hook for plugins, may be imported after it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import EnvSpec, registry

from ._discovery.registry import registry as tasks
from ._pools.make import make

if TYPE_CHECKING:
    from ._pools.vector import VectorPool

NAMESPACE = "envpool"


def register_gymnasium_envs() -> list[str]:
    """Registers the tasks of all families that are not registered yet.

    Returns:
        All ids under which Gymnasium knows tasks of EnvPool, sorted.
    """
    for task in tasks.tasks():
        threshold: Any = task.defaults.get("reward_threshold")
        limit: Any = task.defaults.get("max_episode_steps")
        for name in task.names:
            registered = registered_id(name)
            # Not gymnasium.register(): its checks look at all ids for each new one.
            if registered not in registry:
                registry[registered] = EnvSpec(
                    id=registered,
                    reward_threshold=threshold,
                    max_episode_steps=limit,
                    vector_entry_point=f"{__name__}:make_vec",
                    kwargs={"task_id": name},
                )
    return sorted(name for name in registry if name.startswith(f"{NAMESPACE}/"))


def registered_id(task_id: str) -> str:
    """The id under which Gymnasium's registry has a task.

    Gymnasium allows one slash, behind the namespace, and one colon, behind a module. Those of the
    task's own id become hyphens: "MetaWorld/Reach-v3" is "envpool/MetaWorld-Reach-v3".
    """
    return f"{NAMESPACE}/{re.sub('[/:]', '-', task_id)}"


def make_vec(task_id: str, **config: Any) -> VectorPool:
    """The entry point for `gymnasium.make_vec`: `envpool.make(task_id, "vector", **config)`."""
    pool: VectorPool = make(task_id, "vector", **config)
    return pool


register_gymnasium_envs()
