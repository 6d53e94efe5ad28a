# SPDX-License-Identifier: Apache-2.0
from typing import Any

from envpool.typing import CompiledEnv

Remote: CompiledEnv

class SlotLayout:
    slot_size: int
    def __init__(
        self, state: list[tuple[Any, ...]], action: list[tuple[Any, ...]], max_players: int
    ) -> None: ...

ParentEndpoint: Any
WorkerEndpoint: Any

def end_with(socket: int, pidfd: int) -> None: ...
def make_file(num_envs: int, num_workers: int, layout: SlotLayout) -> int: ...
