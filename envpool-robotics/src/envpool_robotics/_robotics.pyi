# SPDX-License-Identifier: Apache-2.0
from envpool.typing import CompiledEnv

Adroit: CompiledEnv
AdroitPixels: CompiledEnv
AntMaze: CompiledEnv
AntMazePixels: CompiledEnv
Fetch: CompiledEnv
FetchPixels: CompiledEnv
HandManipulate: CompiledEnv
HandManipulatePixels: CompiledEnv
HandReach: CompiledEnv
HandReachPixels: CompiledEnv
Kitchen: CompiledEnv
KitchenPixels: CompiledEnv
PointMaze: CompiledEnv
PointMazePixels: CompiledEnv

def add_model(name: str, xml: str | bytes, files: dict[str, str | bytes]) -> str: ...
