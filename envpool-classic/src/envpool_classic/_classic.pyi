# SPDX-License-Identifier: Apache-2.0
from envpool.typing import CompiledEnv
from numpy import uint8
from numpy.typing import NDArray

Acrobot: CompiledEnv
Blackjack: CompiledEnv
CartPole: CompiledEnv
Catch: CompiledEnv
CliffWalking: CompiledEnv
FrozenLake: CompiledEnv
MountainCar: CompiledEnv
MountainCarContinuous: CompiledEnv
NChain: CompiledEnv
Pendulum: CompiledEnv
Taxi: CompiledEnv
TaxiV4: CompiledEnv

def set_sprite(name: str, rgba: NDArray[uint8]) -> None: ...
