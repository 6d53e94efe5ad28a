# SPDX-License-Identifier: Apache-2.0
"""Guesses the wheel of a task from the form of its id, without loading any plugin.

Two uses: `make` asks the likely family first, and the error about an unknown id names the wheel to
install. A wrong guess only costs time, so patterns suffice.
"""

from __future__ import annotations

import re

# The first pattern that matches counts: the last pattern takes all remaining "-v5".
_PATTERNS: tuple[tuple[str, str], ...] = (
    (
        "classic",
        r"((phys2d/)?(CartPole|Pendulum)|MountainCar(Continuous)?)-v[01]|Acrobot-v1"
        r"|(Catch|NChain)-v0|FrozenLake(8x8)?-v1|Taxi-v[34]|CliffWalking(Slippery)?-v[01]"
        r"|Blackjack-v1|tabular/(CliffWalking|Blackjack)-v0",
    ),
    (
        "box2d",
        r"LunarLander(Continuous)?-v[23]|BipedalWalker(Hardcore)?-v3|CarRacing-v[23]",
    ),
    (
        "mujoco",
        r"(Ant|HalfCheetah|Hopper|Humanoid(Standup)?|Inverted(Double)?Pendulum|Pusher|Reacher"
        r"|Swimmer|Walker2d)-v[2-5]|MujocoXml-v0",
    ),
    (
        "mujoco",
        r"(Acrobot|BallInCup|Cartpole|Cheetah|Dog|Finger|Fish|Hopper|Humanoid(CMU)?|Lqr|Manipulator"
        r"|Pendulum|PointMass|Quadruped|Reacher|Stacker|Swimmer|Walker)[A-Z]\w*-v1",
    ),
    (
        "vizdoom",
        r"(D[1-4](Basic|Navigation|Battle2?)|Basic(Audio|Notifications)?|Cig|DeadlyCorridor"
        r"|Deathmatch|DefendThe(Center|Line)|HealthGathering(Supreme)?|MultiDuel|MyWayHome"
        r"|PredictPosition|RocketBasic|SimplerBasic|TakeCover|VizdoomCustom)-v1",
    ),
    ("metaworld", r"MetaWorld/.+"),
    (
        "myosuite",
        r"(MyoSuite/)?(motorFinger|[mM]yo(Sarc|Fati|Reaf)?(Arm|Elbow|Finger|Hand|Legs?))\w+-v0",
    ),
    (
        "robotics",
        r"Fetch(Reach|Push|Slide|PickAndPlace)(Dense)?-v[14]|HandReach(Dense)?-v[03]"
        r"|HandManipulate(Block|Egg|Pen)\w*-v[01]|AdroitHand(Door|Hammer|Pen|Relocate)(Sparse)?-v1"
        r"|(PointMaze_\w+-v3)|(AntMaze_\w+-v[345])|FrankaKitchen-v1",
    ),
    (
        "highway",
        r"(highway(-fast)?|exit|merge(-generic)?|roundabout(-generic)?|two-way|u-turn|lane-keeping"
        r"|parking(-ActionRepeat|-parked)?|intersection(-multi-agent)?|racetrack(-large|-oval)?)-v[012]"
        r"|(Highway|HighwayFast|Exit|Merge|Roundabout|TwoWay|UTurn|LaneKeeping|Parking"
        r"|ParkingActionRepeat|ParkingParked|Intersection|IntersectionMultiAgent|Racetrack"
        r"|RacetrackLarge|RacetrackOval)-v[01]",
    ),
    ("minigrid", r"(MiniGrid|BabyAI)-\w[\w-]*-v[01]"),
    ("gfootball", r"gfootball/.+"),
    (
        "nethack",
        r"NetHack(Score|Staircase(Pet)?|Oracle|Gold|Eat|Scout|Challenge)?-v0"
        r"|MiniHack-\w[\w-]*-v[01]",
    ),
    (
        "procgen",
        r"(Bigfish|Bossfight|Caveflyer|Chaser|Climber|Coinrun|Dodgeball|Fruitbot|Heist|Jumper|Leaper"
        r"|Maze|Miner|Ninja|Plunder|Starpilot)(Easy|Hard|Extreme|Memory|Exploration)-v0",
    ),
    ("python", r"python:.+"),
    ("jax", r"jax:.+"),
    ("ray", r"ray:.+"),
    ("atari", r"[A-Z]\w*-v5"),
)


FAMILIES = frozenset(family for family, _ in _PATTERNS)
"""The names of the families that EnvPool has itself."""


def family_of(task_id: str) -> str | None:
    """The name of the family that ids like this one belong to, or None."""
    for family, pattern in _PATTERNS:
        if re.fullmatch(pattern, task_id):
            return family
    return None
