# SPDX-License-Identifier: Apache-2.0
from envpool.typing import CompiledEnv

Nethack: CompiledEnv

def problem_of_own_loader(path: str) -> str: ...
def loads() -> tuple[int, int]: ...
