# SPDX-License-Identifier: Apache-2.0
from envpool.typing import CompiledEnv

Ant: CompiledEnv
HalfCheetah: CompiledEnv
DmControl: CompiledEnv

def add_model(name: str, xml: str | bytes, files: dict[str, str | bytes]) -> str: ...
