# SPDX-License-Identifier: Apache-2.0
"""The ids of minigrid 3.2.0, as data: the level of each, its options and its limit of steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from envpool import Keys, Task, pixels

MODULE = "envpool_minigrid._minigrid"
KEYS = Keys(
    {"left": 0, "right": 1, "up": 2, "p": 3, "d": 4, "space": 5, "enter": 6},
)
MOVES = Keys({"left": 0, "right": 1, "up": 2})

LETTERS = "abcdefghijklmnopqrstuvwxyz ,"  # the letters of missions

COMMON_DOCS = {
    "env_name": "the level, of which the id is a choice of options",
    "obs_mode": "what the array image shows: image, full, rgb, rgb_partial, onehot or symbolic",
    "agent_view_size": "cells per side of the square that the agent sees, odd, 3 .. 63",
    "tile_size": "pixels per side of a cell; 0: 32 in frames, 8 in observations",
    "highlight": "whether pictures of the grid show what the agent sees",
    "agent_pov": "whether frames show what the agent sees instead of the grid",
    "mission_bytes": "length of the array mission",
    "action_max": "the largest action",
}
OPTION_DOCS = {
    "size": "cells per side of the grid, border included",
    "width": "cells from left to right",
    "height": "cells from top to bottom",
    "agent_start_pos": "[x, y] of the start; [-1, -1]: drawn for each episode, with the direction",
    "agent_start_dir": "direction at the start: 0 right, 1 down, 2 left, 3 up",
    "num_crossings": "rivers to cross",
    "obstacle_type": "what they are: lava or wall",
    "strip2_row": "row of the second strip of lava",
    "n_obstacles": "balls that roll about",
    "num_objs": "things in the level",
    "random_length": "whether the length of the hallway is drawn",
    "room_size": "cells per side of a room, walls included",
    "num_rows": "rows of rooms",
    "num_cols": "columns of rooms",
    "obj_type": "what to pick up: key, ball or box",
    "min_num_rooms": "fewest rooms",
    "max_num_rooms": "most rooms",
    "max_room_size": "cells per side of the largest room, walls included",
    "key_in_box": "whether keys lie in boxes",
    "blocked": "whether a ball lies before each locked door",
    "agent_room": "[column, row] of the room of the start",
    "num_quarters": "corners that the target may be in",
    "num_rooms_visited": "rooms that the limit of steps is made for",
    "num_dists": "things that the mission may or may not speak of",
    "locked_room_prob": "probability that a room is locked",
    "locations": "whether missions say where a thing is",
    "unblocking": "whether things may block the way",
    "implicit_unlock": "whether a locked door may be on the way without being spoken of",
    "action_kinds": "what missions ask for: some of goto,pickup,open,putnext",
    "instr_kinds": "how missions are put together: some of action,and,seq",
    "doors_open": "whether all doors are open at the start",
    "debug": "whether a wrong door, or a wrong thing, ends the episode",
    "select_by": "what a door is known by: color, loc, or empty: drawn",
    "first_color": "color of the first door; empty: drawn",
    "second_color": "color of the second door; empty: drawn",
    "strict": "whether a wrong first door ends the episode",
    "num_doors": "doors of the room, 2 .. 4",
    "objs_per_room": "things in each room",
    "start_carrying": "whether the thing to be moved is in hand at the start",
    "distractors": "whether other things lie about",
}

WFC_DOCS = {
    "wfc_preset": "how patterns are taken from the picture",
    "ensure_connected": "whether only the largest part that is connected stays free",
    "pattern_path": "the picture: a PNG file, or a folder with minigrid's; black is wall",
    "wfc_picture": "the picture as numbers: height, width, and 3 of each pixel",
}
LEVEL_OPTIONS = frozenset(OPTION_DOCS)

Rows = list[tuple[str, int, dict[str, Any]]]
_ANYWHERE: dict[str, Any] = {"agent_start_pos": [-1, -1], "agent_start_dir": -1}
_TWO_ROOMS = {"num_rows": 1, "num_cols": 2}

# By level: its description, and its ids as name, limit of steps (0: by the mission), options.
MINIGRID: dict[str, tuple[str, Rows]] = {
    "blocked_unlock_pickup": (
        "Move a ball away from a locked door, unlock it, and pick up the box behind it.",
        [("BlockedUnlockPickup-v0", 576, _TWO_ROOMS)],
    ),
    "crossing": (
        "Cross rivers of lava, or walls, by the one opening of each.",
        [
            (f"LavaCrossingS{size}N{n}-v0", 4 * size * size, {"size": size, "num_crossings": n})
            for size, n in ((9, 1), (9, 2), (9, 3), (11, 5))
        ]
        + [
            (
                f"SimpleCrossingS{size}N{n}-v0",
                4 * size * size,
                {"size": size, "num_crossings": n, "obstacle_type": "wall"},
            )
            for size, n in ((9, 1), (9, 2), (9, 3), (11, 5))
        ],
    ),
    "distshift": (
        "Get to the goal past strips of lava, one of which may lie elsewhere than in training.",
        [("DistShift1-v0", 252, {"strip2_row": 2}), ("DistShift2-v0", 252, {"strip2_row": 5})],
    ),
    "doorkey": (
        "Pick up the key, open the locked door, get to the goal.",
        [(f"DoorKey-{n}x{n}-v0", 10 * n * n, {"size": n}) for n in (5, 6, 8, 16)],
    ),
    "dynamic_obstacles": (
        "Get to the goal between balls that roll about.",
        [
            (
                f"Dynamic-Obstacles-{'Random-' if drawn else ''}{size}x{size}-v0",
                4 * size * size,
                {"size": size, "n_obstacles": n, "action_max": 2, **(_ANYWHERE if drawn else {})},
            )
            for size, n, drawn in (
                (5, 2, False),
                (5, 2, True),
                (6, 3, False),
                (6, 3, True),
                (8, 4, False),
                (16, 8, False),
            )
        ],
    ),
    "empty": (
        "Get to the goal of an empty room.",
        [
            (
                f"Empty-{'Random-' if drawn else ''}{size}x{size}-v0",
                4 * size * size,
                {"size": size, **(_ANYWHERE if drawn else {})},
            )
            for size, drawn in (
                (5, False),
                (5, True),
                (6, False),
                (6, True),
                (8, False),
                (16, False),
            )
        ],
    ),
    "fetch": (
        "Pick up the thing that the mission names.",
        [
            (f"Fetch-{size}x{size}-N{n}-v0", 5 * size * size, {"size": size, "num_objs": n})
            for size, n in ((5, 2), (6, 2), (8, 3))
        ],
    ),
    "four_rooms": ("Find the goal in four rooms.", [("FourRooms-v0", 100, {})]),
    "goto_door": (
        "Go to the door that the mission names, and say done.",
        [(f"GoToDoor-{n}x{n}-v0", 4 * n * n, {"size": n}) for n in (5, 6, 8)],
    ),
    "goto_object": (
        "Go to the thing that the mission names, and say done.",
        [(f"GoToObject-{n}x{n}-N2-v0", 5 * n * n, {"size": n, "num_objs": 2}) for n in (6, 8)],
    ),
    "key_corridor": (
        "Find the key along a corridor of rooms, and pick up the ball in the locked one.",
        [
            (
                f"KeyCorridorS{size}R{rows}-v0",
                30 * size * size,
                {"room_size": size, "num_rows": rows},
            )
            for size, rows in ((3, 1), (3, 2), (3, 3), (4, 3), (5, 3), (6, 3))
        ],
    ),
    "lava_gap": (
        "Get to the goal through the gap in a strip of lava.",
        [(f"LavaGapS{n}-v0", 4 * n * n, {"size": n}) for n in (5, 6, 7)],
    ),
    "locked_room": (
        "Find the key in one of six rooms, and the goal in the locked one.",
        [("LockedRoom-v0", 190, {"size": 19})],
    ),
    "memory": (
        "Remember a thing, and go to its like at the end of the hallway.",
        [
            (f"Memory{name}-v0", 5 * size * size, {"size": size, "random_length": "R" in name})
            for name, size in (
                *(("S17Random", 17), ("S13Random", 13)),
                *((f"S{size}", size) for size in (13, 11, 9, 7)),
            )
        ],
    ),
    "multi_room": (
        "Go through a chain of rooms to the goal in the last one.",
        [
            (
                f"MultiRoom-{name}",
                20 * rooms,
                {"min_num_rooms": rooms, "max_num_rooms": rooms, "max_room_size": size},
            )
            for name, rooms, size in (
                ("N2-S4-v0", 2, 4),
                ("N4-S5-v0", 6, 5),  # six rooms, as in minigrid; v1 has four
                ("N4-S5-v1", 4, 5),
                ("N6-v0", 6, 10),
            )
        ],
    ),
    "obstructed_maze_1dlhb": (
        "Find the key, open the locked door, and pick up the blue ball.",
        [
            (
                f"ObstructedMaze-1Dl{name}-v0",
                288,
                {
                    "key_in_box": "h" in name,
                    "blocked": "b" in name,
                    "num_rooms_visited": 2,
                    **_TWO_ROOMS,
                },
            )
            for name in ("", "h", "hb")
        ],
    ),
    "obstructed_maze_full": (
        "Find keys in boxes, clear blocked doors, and pick up the blue ball in a corner.",
        [
            (
                f"ObstructedMaze-{name}-v0",
                144 * visited,
                {
                    "agent_room": [room, 1],
                    "key_in_box": name != "2Dl",
                    "blocked": name not in ("2Dl", "2Dlh"),
                    "num_quarters": quarters,
                    "num_rooms_visited": visited,
                },
            )
            for name, room, quarters, visited in (
                ("2Dl", 2, 1, 4),
                ("2Dlh", 2, 1, 4),
                ("2Dlhb", 2, 1, 4),
                ("1Q", 1, 1, 5),
                ("2Q", 2, 2, 11),
                ("Full", 1, 4, 25),
            )
        ],
    ),
    "obstructed_maze_full_v1": (
        "As version 0, which may put a ball where a box with a key was.",
        [
            (
                f"ObstructedMaze-{name}-v1",
                144 * visited,
                {"agent_room": [room, 1], "num_quarters": quarters, "num_rooms_visited": visited},
            )
            for name, room, quarters, visited in (
                ("2Dlhb", 2, 1, 4),
                ("1Q", 1, 1, 5),
                ("2Q", 2, 2, 11),
                ("Full", 1, 4, 25),
            )
        ],
    ),
    "playground": (
        "Nine rooms and twelve things to play with; there is no mission and no reward.",
        [("Playground-v0", 100, {})],
    ),
    "put_near": (
        "Put one thing near another.",
        [
            (f"PutNear-{size}x{size}-N{n}-v0", 5 * size, {"size": size, "num_objs": n})
            for size, n in ((6, 2), (8, 3))
        ],
    ),
    "red_blue_door": (
        "Open the red door, then the blue one.",
        [(f"RedBlueDoors-{n}x{n}-v0", 20 * n * n, {"size": n}) for n in (6, 8)],
    ),
    "wfc": (
        "Get to the goal of a level that is made of the patterns of a picture.",
        [
            (f"WFC-{name}-v0", 500, {"wfc_preset": name, "size": 25})
            for name in (
                "MazeSimple",
                "DungeonMazeScaled",
                "RoomsFabric",
                "ObstaclesBlackdots",
                "ObstaclesAngular",
                "ObstaclesHogs3",
            )
        ],
    ),
    "unlock": ("Find the key and open the door.", [("Unlock-v0", 288, _TWO_ROOMS)]),
    "unlock_pickup": (
        "Unlock the door and pick up the box behind it.",
        [("UnlockPickup-v0", 288, _TWO_ROOMS)],
    ),
}

_ONE_ROOM = {"num_rows": 1, "num_cols": 1}
_THREE_ROOMS = {"num_rows": 1, "num_cols": 3}


def _rooms(size: int, **options: Any) -> dict[str, Any]:
    return {"room_size": size, **options}


def _corridors() -> Rows:
    sizes = ((3, 1), (3, 2), (3, 3), (4, 3), (5, 3), (6, 3))
    rows = [
        (f"KeyCorridorS{n}R{rows}-v0", 30 * n * n, _rooms(n, num_rows=rows)) for n, rows in sizes
    ]
    return [("KeyCorridor-v0", 1080, _rooms(6)), *rows]


def _generated(
    size: int, rows: int = 3, cols: int = 3, dists: int = 18, prob: float = 0.5, **options: Any
) -> dict[str, Any]:
    rooms = {"room_size": size, "num_rows": rows, "num_cols": cols}
    return {**rooms, "num_dists": dists, "locked_room_prob": prob, **options}


_GO_TO_SEQ: dict[str, Any] = {"action_kinds": "goto", "locations": False, "unblocking": False}
_SYNTH: dict[str, Any] = {"locations": False, "implicit_unlock": False, "instr_kinds": "action"}

BABYAI: dict[str, tuple[str, Rows]] = {
    "babyai_goto_red_ball_grey": (
        "Go to the red ball among grey things.",
        [("GoToRedBallGrey-v0", 0, _rooms(8, num_dists=7, **_ONE_ROOM))],
    ),
    "babyai_goto_red_ball": (
        "Go to the red ball.",
        [
            ("GoToRedBall-v0", 0, _rooms(8, num_dists=7, **_ONE_ROOM)),
            ("GoToRedBallNoDists-v0", 0, _rooms(8, num_dists=0, **_ONE_ROOM)),
        ],
    ),
    "babyai_goto_obj": (
        "Go to the only thing in a room.",
        [
            (f"GoToObj{name}", 0, _rooms(n, **_ONE_ROOM))
            for name, n in (("-v0", 8), ("S4-v0", 4), ("S6-v1", 6))
        ],
    ),
    "babyai_goto_local": (
        "Go to a thing in a room.",
        [("GoToLocal-v0", 0, _rooms(8, num_dists=8, **_ONE_ROOM))]
        + [
            (f"GoToLocalS{n}N{dists}-v0", 0, _rooms(n, num_dists=dists, **_ONE_ROOM))
            for n, dists in (
                *((5, 2), (6, 2), (6, 3), (6, 4), (7, 4), (7, 5)),
                *((8, dists) for dists in range(2, 8)),
            )
        ],
    ),
    "babyai_goto": (
        "Go to a thing in a maze of rooms.",
        [
            ("GoTo-v0", 0, _rooms(8)),
            ("GoToOpen-v0", 0, _rooms(8, doors_open=True)),
            ("GoToObjMaze-v0", 0, _rooms(8, num_dists=1)),
            ("GoToObjMazeOpen-v0", 0, _rooms(8, num_dists=1, doors_open=True)),
            ("GoToObjMazeS4R2-v0", 0, _rooms(4, num_dists=1, num_rows=2, num_cols=2)),
            *((f"GoToObjMazeS{n}-v0", 0, _rooms(n, num_dists=1)) for n in (4, 5, 6, 7)),
        ],
    ),
    "babyai_goto_imp_unlock": (
        "Go to a thing that may be behind a locked door.",
        [("GoToImpUnlock-v0", 0, _rooms(8))],
    ),
    "babyai_goto_red_blue_ball": (
        "Go to the red or to the blue ball.",
        [("GoToRedBlueBall-v0", 0, _rooms(8, num_dists=7, **_ONE_ROOM))],
    ),
    "babyai_goto_door": ("Go to a door of the room.", [("GoToDoor-v0", 0, _rooms(7))]),
    "babyai_goto_obj_door": (
        "Go to a thing or to a door of the room.",
        [("GoToObjDoor-v0", 0, _rooms(8))],
    ),
    "babyai_open": ("Open a door in a maze of rooms.", [("Open-v0", 0, _rooms(8))]),
    "babyai_open_red_door": (
        "Open the red door.",
        [("OpenRedDoor-v0", 0, _rooms(5, **_TWO_ROOMS))],
    ),
    "babyai_open_door": (
        "Open a door that is known by its color or by where it is.",
        [
            ("OpenDoor-v0", 0, _rooms(8)),
            ("OpenDoorDebug-v0", 0, _rooms(8, debug=True)),
            ("OpenDoorColor-v0", 0, _rooms(8, select_by="color")),
            ("OpenDoorLoc-v0", 0, _rooms(8, select_by="loc")),
        ],
    ),
    "babyai_open_two_doors": (
        "Open one door, then the other.",
        [
            ("OpenTwoDoors-v0", 720, _rooms(6)),
            ("OpenRedBlueDoors-v0", 720, _rooms(6, first_color="red", second_color="blue")),
            (
                "OpenRedBlueDoorsDebug-v0",
                720,
                _rooms(6, first_color="red", second_color="blue", strict=True),
            ),
        ],
    ),
    "babyai_open_doors_order": (
        "Open one or two doors, in the order that the mission says.",
        [
            (f"OpenDoorsOrderN{n}{name}-v0", 720, _rooms(6, num_doors=n, debug=bool(name)))
            for name in ("", "Debug")
            for n in (2, 4)
        ],
    ),
    "babyai_pickup": ("Pick up a thing in a maze of rooms.", [("Pickup-v0", 0, _rooms(8))]),
    "babyai_unblock_pickup": (
        "Pick up a thing in a maze of rooms, where things block the way.",
        [("UnblockPickup-v0", 0, _rooms(8))],
    ),
    "babyai_pickup_dist": (
        "Pick up a thing that is known by its kind, its color, or both.",
        [
            ("PickupDist-v0", 0, _rooms(7, **_ONE_ROOM)),
            ("PickupDistDebug-v0", 0, _rooms(7, debug=True, **_ONE_ROOM)),
        ],
    ),
    "babyai_pickup_above": (
        "Pick up the thing in the room above.",
        [("PickupAbove-v0", 288, _rooms(6))],
    ),
    "babyai_put_next_local": (
        "Put one thing of a room next to another.",
        [
            ("PutNextLocal-v0", 0, _rooms(8, num_objs=8, **_ONE_ROOM)),
            ("PutNextLocalS5N3-v0", 0, _rooms(5, num_objs=3, **_ONE_ROOM)),
            ("PutNextLocalS6N4-v0", 0, _rooms(6, num_objs=4, **_ONE_ROOM)),
        ],
    ),
    "babyai_put_next": (
        "Put a thing of one half of a room next to a thing of the other.",
        [
            (
                f"PutNextS{n}N{per_room}-v0",
                8 * n * n,
                _rooms(n, objs_per_room=per_room, **_TWO_ROOMS),
            )
            for n, per_room in ((4, 1), (5, 2), (5, 1), (6, 3), (7, 4))
        ]
        + [
            (
                f"PutNextS{n}N{per_room}Carrying-v0",
                8 * n * n,
                _rooms(n, objs_per_room=per_room, start_carrying=True, **_TWO_ROOMS),
            )
            for n, per_room in ((5, 2), (6, 3), (7, 4))
        ],
    ),
    "babyai_unlock": (
        "Find the key of a locked door in a maze of rooms, and open it.",
        [("Unlock-v0", 0, _rooms(8))],
    ),
    "babyai_unlock_local": (
        "Unlock the door of the room.",
        [
            ("UnlockLocal-v0", 0, _rooms(8)),
            ("UnlockLocalDist-v0", 0, _rooms(8, distractors=True)),
        ],
    ),
    "babyai_key_in_box": (
        "Unlock the door of the room, whose key is in a box.",
        [("KeyInBox-v0", 0, _rooms(8))],
    ),
    "babyai_unlock_pickup": (
        "Unlock a door and pick up the box behind it.",
        [
            ("UnlockPickup-v0", 0, _rooms(6, **_TWO_ROOMS)),
            ("UnlockPickupDist-v0", 0, _rooms(6, distractors=True, **_TWO_ROOMS)),
        ],
    ),
    "babyai_blocked_unlock_pickup": (
        "Move a ball away from a locked door, unlock it, and pick up the box behind it.",
        [("BlockedUnlockPickup-v0", 576, _rooms(6, **_TWO_ROOMS))],
    ),
    "babyai_unlock_to_unlock": (
        "Unlock a door, to fetch the key of another.",
        [("UnlockToUnlock-v0", 1080, _rooms(6, **_THREE_ROOMS))],
    ),
    "babyai_action_obj_door": (
        "Go to a thing or pick it up, or go to a door or open it.",
        [("ActionObjDoor-v0", 0, _rooms(7))],
    ),
    "babyai_find_obj": (
        "Find the only thing in a maze of rooms, and pick it up.",
        [(f"FindObjS{n}-v0", 20 * n * n, _rooms(n)) for n in (5, 6, 7)],
    ),
    "babyai_key_corridor": (
        "Find the key along a corridor of rooms, and pick up the ball in the locked one.",
        _corridors(),
    ),
    "babyai_one_room": (
        "Pick up the ball in a large room.",
        [(f"OneRoomS{n}-v0", 0, _rooms(n, **_ONE_ROOM)) for n in (8, 12, 16, 20)],
    ),
    "babyai_move_two_across": (
        "Put two things next to two others across a room.",
        [
            (
                f"MoveTwoAcrossS{n}N{per_room}-v0",
                16 * n * n,
                _rooms(n, objs_per_room=per_room, **_TWO_ROOMS),
            )
            for n, per_room in ((5, 2), (8, 9))
        ],
    ),
    "babyai_level_gen": (
        "Do what a drawn mission says, in a maze of rooms one of which may be locked.",
        [
            ("GoToSeq-v0", 0, _generated(8, prob=0, **_GO_TO_SEQ)),
            ("GoToSeqS5R2-v0", 0, _generated(5, 2, 2, 4, 0, **_GO_TO_SEQ)),
            (
                "PickupLoc-v0",
                0,
                _generated(
                    *(8, 1, 1, 8, 0), action_kinds="pickup", instr_kinds="action", unblocking=False
                ),
            ),
            ("Synth-v0", 0, _generated(8, **_SYNTH)),
            ("SynthS5R2-v0", 0, _generated(5, 2, **_SYNTH)),
            ("SynthLoc-v0", 0, _generated(8, implicit_unlock=False, instr_kinds="action")),
            ("SynthSeq-v0", 0, _generated(8, implicit_unlock=False)),
            ("MiniBossLevel-v0", 0, _generated(5, 2, 2, 7, 0.25)),
            ("BossLevel-v0", 0, _generated(8)),
            ("BossLevelNoUnlock-v0", 0, _generated(8, prob=0, implicit_unlock=False)),
        ],
    ),
}


# The missions; [words] are drawn. For BabyAI, as far as the level determines them.
_THING = "[color] [key, ball or box]"
MISSIONS = {
    "blocked_unlock_pickup": "pick up the [color] box",
    "crossing": "avoid the lava and get to the green goal square",
    "distshift": "get to the green goal square",
    "doorkey": "use the key to open the door and then get to the goal",
    "dynamic_obstacles": "get to the green goal square",
    "empty": "get to the green goal square",
    "fetch": "[go] [get or fetch] a [color] [key or ball]",
    "four_rooms": "reach the goal",
    "goto_door": "go to the [color] door",
    "goto_object": f"go to the {_THING}",
    "key_corridor": "pick up the [color] ball",
    "lava_gap": "avoid the lava and get to the green goal square",
    "locked_room": "get the [color] key from the [color] room, unlock the [color] door and go to "
    "the goal",
    "memory": "go to the matching object at the end of the hallway",
    "multi_room": "traverse the rooms to get to the goal",
    "obstructed_maze_1dlhb": "pick up the blue ball",
    "obstructed_maze_full": "pick up the blue ball",
    "obstructed_maze_full_v1": "pick up the blue ball",
    "playground": "",
    "put_near": f"put the {_THING} near the {_THING}",
    "red_blue_door": "open the red door then the blue door",
    "unlock": "open the door",
    "unlock_pickup": "pick up the [color] box",
    "wfc": "traverse the maze to get to the goal",
    "babyai_goto_red_ball_grey": "go to the red ball",
    "babyai_goto_red_ball": "go to the red ball",
    "babyai_goto_obj": f"go to the {_THING}",
    "babyai_goto_local": f"go to the {_THING}",
    "babyai_goto": f"go to the {_THING}",
    "babyai_goto_imp_unlock": f"go to the {_THING}",
    "babyai_goto_red_blue_ball": "go to the [red or blue] ball",
    "babyai_goto_door": "go to the [color] door",
    "babyai_goto_obj_door": "go to the [color] [key, ball, box or door]",
    "babyai_open": "open the [color] door",
    "babyai_open_red_door": "open the red door",
    "babyai_open_door": "open the [color] door, or open the door [on your left]",
    "babyai_open_two_doors": "open the [color] door, then open the [color] door",
    "babyai_open_doors_order": "open the [color] door [after you open the [color] door]",
    "babyai_pickup": f"pick up the {_THING}",
    "babyai_unblock_pickup": f"pick up the {_THING}",
    "babyai_pickup_dist": f"pick up the {_THING}, the [color] object, or the [kind]",
    "babyai_pickup_above": f"pick up the {_THING}",
    "babyai_put_next_local": f"put the {_THING} next to the {_THING}",
    "babyai_put_next": f"put the {_THING} next to the {_THING}",
    "babyai_unlock": "open the [color] door",
    "babyai_unlock_local": "open the door",
    "babyai_key_in_box": "open the door",
    "babyai_unlock_pickup": "pick up the [color] box",
    "babyai_blocked_unlock_pickup": "pick up the box",
    "babyai_unlock_to_unlock": "pick up the ball",
    "babyai_action_obj_door": "[go to, open or pick up] the [color] [thing or door]",
    "babyai_find_obj": "pick up the [key, ball or box]",
    "babyai_key_corridor": "pick up the ball",
    "babyai_one_room": "pick up the ball",
    "babyai_move_two_across": f"put the {_THING} next to the {_THING}, then put ...",
    "babyai_level_gen": "[what to do] [and or then] [what to do]",
}


def tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    for level, (description, rows) in MINIGRID.items():
        for name, limit, options in rows:
            yield _task(f"MiniGrid-{name}", level, description, limit, options)
    for level, (description, rows) in BABYAI.items():
        for name, limit, options in rows:
            yield _task(
                f"BabyAI-{name}", level, description, limit, {"mission_bytes": 512, **options}
            )


def _task(
    task_id: str, level: str, description: str, limit: int, options: Mapping[str, Any]
) -> Task:
    own = {name: OPTION_DOCS[name] for name in options if name in OPTION_DOCS}
    limits: dict[str, Any] = {"max_episode_steps": limit} if limit else {}
    wfc = level == "wfc"
    mission = MISSIONS[level]
    if options.get("obstacle_type") == "wall":
        mission = "find the opening and get to the green goal square"
    return Task(
        task_id,
        f"{MODULE}:{'SlowMiniGrid' if wfc else 'MiniGrid'}",
        description=f'{description} Mission: "{mission}".',
        config_docs={**COMMON_DOCS, **own, **(WFC_DOCS if wfc else {})},
        keys=MOVES if level == "dynamic_obstacles" else KEYS,
        options={**pixels.options(), **({"pattern_path": ""} if wfc else {})},
        render_fps=10,
        texts={"mission": LETTERS},
        env_name=level,
        **limits,
        **options,
    )
