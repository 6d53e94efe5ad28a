# SPDX-License-Identifier: Apache-2.0
from envpool.typing import CompiledEnv

Ant: CompiledEnv
AntPixels: CompiledEnv
HalfCheetah: CompiledEnv
HalfCheetahPixels: CompiledEnv

def gl_info() -> tuple[str, str, str]: ...
def look_for_gl(egl: str, osmesa: str) -> None: ...
