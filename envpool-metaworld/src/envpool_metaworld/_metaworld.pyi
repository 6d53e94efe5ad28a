# SPDX-License-Identifier: Apache-2.0
from envpool.typing import CompiledEnv

Sawyer: CompiledEnv
SawyerPixels: CompiledEnv

def add_model(name: str, xml: str | bytes, files: dict[str, str | bytes]) -> str: ...
