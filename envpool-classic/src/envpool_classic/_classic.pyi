# SPDX-License-Identifier: Apache-2.0
from envpool.typing import EnvType
from numpy import uint8
from numpy.typing import NDArray

Acrobot: EnvType
Blackjack: EnvType
CartPole: EnvType
Catch: EnvType
CliffWalking: EnvType
FrozenLake: EnvType
MountainCar: EnvType
MountainCarContinuous: EnvType
NChain: EnvType
Pendulum: EnvType
Taxi: EnvType
TaxiV4: EnvType

def set_sprite(name: str, rgba: NDArray[uint8]) -> None: ...
