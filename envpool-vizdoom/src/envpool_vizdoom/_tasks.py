# SPDX-License-Identifier: Apache-2.0
"""The tasks: the scenario of each task, and the meaning of its options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from envpool import Task

__all__ = ["OWN", "SCENARIOS", "Scenario", "cfg_of", "option_docs", "tasks"]

OWN = Path(__file__).parent / "configs"
"""This wheel's configurations, for tasks that ViZDoom lacks."""
_TICS_PER_SECOND = 35
_FRAME_SKIP = 4
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Scenario(NamedTuple):
    """The scenario of a task."""

    name: str  # name of the task
    cfg: str  # name of the file
    description: str
    own: bool = False  # true: the configuration is in this wheel
    wad: str = ""  # file of the maps, if the configuration does not name it
    needs_wad: bool = False  # true: no wheel has the maps
    options: Mapping[str, Any] = _NOTHING


SCENARIOS = (
    Scenario(
        "D1Basic",
        "D1_basic",
        "Collect medkits in a room with acid on its floor.",
        own=True,
        wad="health_gathering.wad",
    ),
    Scenario(
        "D2Navigation",
        "D2_navigation",
        "Collect medkits in a maze with acid on its floor, and leave the vials.",
        own=True,
        wad="health_gathering_supreme.wad",
    ),
    Scenario(
        "D3Battle",
        "D3_battle",
        "Fight monsters in a maze with medkits and ammunition. Needs wad_path.",
        own=True,
        needs_wad=True,
    ),
    Scenario(
        "D4Battle2",
        "D4_battle2",
        "Fight monsters in a larger maze with medkits and ammunition. Needs wad_path.",
        own=True,
        needs_wad=True,
    ),
    Scenario("Basic", "basic", "Shoot the monster at the other end of the room."),
    Scenario("BasicAudio", "basic_audio", "Basic, for agents that hear: see audio_buffer_enabled."),
    Scenario("BasicNotifications", "basic_notifications", "Basic, with messages of the game."),
    Scenario(
        "Cig",
        "cig",
        "Deathmatch on the map of the Visual Doom AI Competition.",
        options={"deathmatch": True},
    ),
    Scenario(
        "DeadlyCorridor", "deadly_corridor", "Reach the vest at the end of a guarded corridor."
    ),
    Scenario("Deathmatch", "deathmatch", "Kill monsters in an arena with all weapons."),
    Scenario(
        "DefendTheCenter",
        "defend_the_center",
        "Turn, and shoot the monsters that come from all sides.",
    ),
    Scenario("DefendTheLine", "defend_the_line", "Shoot the monsters that come along a wall."),
    Scenario(
        "HealthGathering",
        "health_gathering",
        "Survive in a room with acid on its floor, by medkits.",
    ),
    Scenario(
        "HealthGatheringSupreme",
        "health_gathering_supreme",
        "Survive in a maze with acid on its floor, by medkits.",
    ),
    Scenario(
        "MultiDuel",
        "multi_duel",
        "A duel of two players in a small arena.",
        options={"deathmatch": True},
    ),
    Scenario("MyWayHome", "my_way_home", "Find the vest in a maze of rooms."),
    Scenario("PredictPosition", "predict_position", "Hit a moving monster with the only rocket."),
    Scenario("RocketBasic", "rocket_basic", "Basic, with a rocket launcher, in grey."),
    Scenario("SimplerBasic", "simpler_basic", "Basic, with plain walls, in grey."),
    Scenario("TakeCover", "take_cover", "Dodge fireballs."),
    Scenario("VizdoomCustom", "", "Your own scenario: see cfg_path and wad_path."),
)

_OPTION_DOCS = {
    "img_height": "pixels of an observation, from top to bottom",
    "img_width": "pixels of an observation, from left to right",
    "stack_num": "frames in one observation, the newest last",
    "frame_skip": "tics that an action lasts; there are 35 in a second",
    "lmp_save_dir": "folder for recordings of episodes, which ViZDoom can play again; '': none",
    "episodic_life": "whether an episode also ends with a death after which the game goes on",
    "force_speed": "whether SPEED is pressed in all combined actions",
    "use_combined_action": "actions are numbers that stand for combinations of buttons",
    "use_inter_area_resize": "resize by areas; False: by interpolation",
    "weapon_duration": "steps in which a weapon must be held until it earns a reward",
    "reward_config": "by game variable: reward for an increase of 1, and for a decrease of 1",
    "selected_weapon_reward_config": "by slot: reward for a step with this weapon in hand",
    "delta_button_config": "for combined actions, by button that says how far: number of values, "
    "smallest, largest",
    "cfg_path": "ViZDoom's configuration of the scenario; '': that of the task",
    "wad_path": "maps of the scenario; '': those that the configuration names",
    "vzd_path": "the engine; '': that of the wheel vizdoom",
    "iwad_path": "the game's own data; '': Freedoom 2, of the wheel vizdoom",
    "game_args": "further arguments for the engine, with spaces between",
    "map_id": "name of the map; '': that of the configuration, which is the default with cfg_path",
    "reward": "'variables': as reward_config says; 'scenario': the scenario's own",
    "scenario_timeout": "whether an episode is also truncated at the scenario's own time limit",
    "render_resolution": "of the engine's screen, as '160x120'; '': that of the configuration",
    "depth_buffer_enabled": "observe how far away each pixel is, as obs['depth']",
    "labels_buffer_enabled": "observe which thing each pixel is of, as obs['labels']",
    "automap_buffer_enabled": "observe the map, as obs['automap']",
    "audio_buffer_enabled": "observe what is heard, as obs['audio']",
    "deathmatch": "play as the host of a deathmatch, as maps without a start for player 1 need it",
    "engine_timeout": "seconds after which an engine that does not answer is replaced",
}


def option_docs() -> dict[str, str]:
    """The meaning of all tasks' options."""
    return dict(_OPTION_DOCS)


def tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    for scenario in SCENARIOS:
        yield Task(
            f"{scenario.name}-v1",
            "envpool_vizdoom._vizdoom:Vizdoom",
            description=scenario.description,
            config_docs=_OPTION_DOCS,
            render_fps=_TICS_PER_SECOND / _FRAME_SKIP,
            max_episode_steps=525,
            **scenario.options,
        )


def cfg_of(scenario: Scenario, vizdoom: Path) -> Path:
    """The configuration of a scenario.

    Args:
        scenario: A scenario with a configuration.
        vizdoom: The folder of the package vizdoom.
    """
    return (OWN if scenario.own else vizdoom / "scenarios") / f"{scenario.cfg}.cfg"
