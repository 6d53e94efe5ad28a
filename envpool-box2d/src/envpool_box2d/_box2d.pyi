# SPDX-License-Identifier: Apache-2.0
from envpool.typing import CompiledEnv

BipedalWalker: CompiledEnv
LunarLander: CompiledEnv
LunarLanderContinuous: CompiledEnv
