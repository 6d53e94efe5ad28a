# SPDX-License-Identifier: Apache-2.0
from envpool.typing import CompiledEnv

Pose: CompiledEnv
PosePixels: CompiledEnv
Reach: CompiledEnv
ReachPixels: CompiledEnv
Stand: CompiledEnv
StandPixels: CompiledEnv
Track: CompiledEnv
TrackPixels: CompiledEnv
Walk: CompiledEnv
WalkPixels: CompiledEnv
