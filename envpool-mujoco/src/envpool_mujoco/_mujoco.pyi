# SPDX-License-Identifier: Apache-2.0
from envpool.typing import CompiledEnv

Ant: CompiledEnv
HalfCheetah: CompiledEnv
Hopper: CompiledEnv
Humanoid: CompiledEnv
HumanoidStandup: CompiledEnv
InvertedDoublePendulum: CompiledEnv
InvertedPendulum: CompiledEnv
MujocoXml: CompiledEnv
Pusher: CompiledEnv
Reacher: CompiledEnv
Swimmer: CompiledEnv
Walker2d: CompiledEnv
