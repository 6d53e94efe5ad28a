# SPDX-License-Identifier: Apache-2.0
from envpool.typing import CompiledEnv

Ant: CompiledEnv
HalfCheetah: CompiledEnv
