# SPDX-License-Identifier: Apache-2.0
from envpool.typing import CompiledEnv

Baoding: CompiledEnv
BaodingPixels: CompiledEnv
Die: CompiledEnv
DiePixels: CompiledEnv
KeyTurn: CompiledEnv
KeyTurnPixels: CompiledEnv
ObjHold: CompiledEnv
ObjHoldPixels: CompiledEnv
PenTwirl: CompiledEnv
PenTwirlPixels: CompiledEnv
Pose: CompiledEnv
PosePixels: CompiledEnv
Reach: CompiledEnv
ReachPixels: CompiledEnv
Relocate: CompiledEnv
RelocatePixels: CompiledEnv
Reorient: CompiledEnv
ReorientPixels: CompiledEnv
Stand: CompiledEnv
StandPixels: CompiledEnv
Torso: CompiledEnv
TorsoPixels: CompiledEnv
Track: CompiledEnv
TrackPixels: CompiledEnv
Walk: CompiledEnv
WalkPixels: CompiledEnv
