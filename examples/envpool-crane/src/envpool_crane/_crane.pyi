# SPDX-License-Identifier: Apache-2.0
from envpool.typing import CompiledEnv

Crane: CompiledEnv
CranePixels: CompiledEnv

def add_model(name: str, xml: str | bytes, files: dict[str, str | bytes]) -> str: ...
