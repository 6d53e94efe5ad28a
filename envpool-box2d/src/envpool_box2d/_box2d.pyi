# SPDX-License-Identifier: Apache-2.0
from collections.abc import Sequence

from envpool.typing import CompiledEnv
from numpy import uint8
from numpy.typing import NDArray

BipedalWalker: CompiledEnv
CarRacing: CompiledEnv
CarRacingDiscrete: CompiledEnv
LunarLander: CompiledEnv
LunarLanderContinuous: CompiledEnv

def set_score_glyphs(ink: Sequence[NDArray[uint8]], kerning: Sequence[Sequence[int]]) -> None: ...
