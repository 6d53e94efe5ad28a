# SPDX-License-Identifier: Apache-2.0
from collections.abc import Mapping

from envpool.typing import CompiledEnv

Vizdoom: CompiledEnv
VizdoomCombined: CompiledEnv

def buttons(cfg_path: str) -> list[str]: ...
def combined_actions(
    cfg_path: str,
    force_speed: bool,
    delta_button_config: Mapping[str, tuple[int, float, float]],
) -> list[list[float]]: ...
