# SPDX-License-Identifier: Apache-2.0
"""The contract of every EnvPool task, as envpool.testing checks it.

Pools are small, because each environment is a process. Engines of games with a host are not parked,
so their pools take seconds to make: such tasks get only the checks whose result can differ.
"""

from __future__ import annotations

from typing import Any

import envpool.testing
import pytest
from envpool.testing import check_task
from envpool_vizdoom._tasks import SCENARIOS
from references import SCENARIOS as FILES
from references import has_sound


def _named(names: tuple[str, ...]) -> list[envpool.testing.Check]:
    checks = [check for check in envpool.testing.CHECKS if check.__name__ in names]
    assert len(checks) == len(names)
    return checks


_SMALL: dict[str, Any] = {"num_envs": 2, "steps": 12}
_OPTIONS: dict[str, dict[str, Any]] = {
    "D3Battle": {"wad_path": FILES / "defend_the_center.wad"},
    "D4Battle2": {"wad_path": FILES / "defend_the_center.wad"},
    "VizdoomCustom": {"cfg_path": FILES / "learning.cfg"},
}
_ALONE = [s.name for s in SCENARIOS if not s.options.get("deathmatch")]
# A game of one player with a host begins its episodes differently.
_OF_A_HOST = (
    "check_reset",
    "check_arrays",
    "check_spaces",
    "check_same_seed",
    "check_reset_seed",
    "check_different_seeds",
    "check_next_step",
    "check_time_limit",
    "check_end",
)
# Engines that play together are not repeatable, because their network code depends on the arrival
# of packets: these checks compare no episodes.
_NAMES = ("check_spaces", "check_arrays", "check_end")
_FEW = _named(_NAMES)


@pytest.mark.parametrize("name", _ALONE)
def test_contract(name: str) -> None:
    check_task(f"{name}-v1", **_SMALL, **_OPTIONS.get(name, {}))


def test_contract_of_a_game_with_a_host() -> None:
    check_task("Cig-v1", **_SMALL, checks=_named(_OF_A_HOST))


@pytest.mark.parametrize(("name", "players"), [("MultiDuel", 2), ("Cig", 3)])
def test_contract_of_several_players(name: str, players: int) -> None:
    check_task(f"{name}-v1", **_SMALL, checks=_FEW, max_num_players=players)


@pytest.mark.parametrize(
    "options",
    [
        {"use_combined_action": True},
        {"reward": "scenario", "scenario_timeout": True, "frame_skip": 40},
        {
            "depth_buffer_enabled": True,
            "labels_buffer_enabled": True,
            "automap_buffer_enabled": True,
            "audio_buffer_enabled": has_sound(),
            "img_width": 40,
            "img_height": 30,
        },
        {"render_resolution": "160x120", "stack_num": 1, "use_inter_area_resize": False},
    ],
    ids=str,
)
def test_contract_of_options(options: dict[str, Any]) -> None:
    check_task("Basic-v1", **_SMALL, **options)
