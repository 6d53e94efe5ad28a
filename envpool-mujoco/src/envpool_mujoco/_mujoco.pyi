# SPDX-License-Identifier: Apache-2.0
from envpool.typing import CompiledEnv

Ant: CompiledEnv
AntPixels: CompiledEnv
HalfCheetah: CompiledEnv
HalfCheetahPixels: CompiledEnv
Hopper: CompiledEnv
HopperPixels: CompiledEnv
Humanoid: CompiledEnv
HumanoidPixels: CompiledEnv
HumanoidStandup: CompiledEnv
HumanoidStandupPixels: CompiledEnv
InvertedDoublePendulum: CompiledEnv
InvertedDoublePendulumPixels: CompiledEnv
InvertedPendulum: CompiledEnv
InvertedPendulumPixels: CompiledEnv
MujocoXml: CompiledEnv
MujocoXmlPixels: CompiledEnv
Pusher: CompiledEnv
PusherPixels: CompiledEnv
Reacher: CompiledEnv
ReacherPixels: CompiledEnv
Swimmer: CompiledEnv
SwimmerPixels: CompiledEnv
Walker2d: CompiledEnv
Walker2dPixels: CompiledEnv
DmControl: CompiledEnv
DmControlPixels: CompiledEnv

api: tuple[int, int]

def add_model(name: str, xml: str | bytes, files: dict[str, str | bytes]) -> str: ...
def gl_info() -> tuple[str, str, str]: ...
def look_for_gl(egl: str, osmesa: str) -> None: ...
def load_plugins(folder: str) -> None: ...
def mujoco_version() -> str: ...
