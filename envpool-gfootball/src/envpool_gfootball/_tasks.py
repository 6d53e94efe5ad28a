# SPDX-License-Identifier: Apache-2.0
"""The ids: the package's 35 scenarios; EnvPool 1.2.5 has the first 18."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from envpool import Keys, Task

__all__ = ["ROWS", "Row", "tasks"]

ENV = "envpool_gfootball._gfootball:Football"


class Row(NamedTuple):
    """One scenario.

    Attributes:
        name: The package's name.
        duration: Steps of a game; an episode that runs out has one step more.
        description: One sentence for people.
        agents: Default number of the left side's players that agents play.
    """

    name: str
    duration: int
    description: str
    agents: int = 1

    @property
    def id(self) -> str:
        """The id of the task."""
        return f"gfootball/{self.name}-v1"


_MATCH = "Play a match of eleven against eleven"
ROWS = (
    Row("11_vs_11_competition", 3000, f"{_MATCH} against the strongest opponent."),
    Row("11_vs_11_easy_stochastic", 3000, f"{_MATCH} against a weak opponent."),
    Row("11_vs_11_hard_stochastic", 3000, f"{_MATCH} against a strong opponent."),
    Row("11_vs_11_kaggle", 3000, f"{_MATCH} with two halves, as in Kaggle's competition."),
    Row("11_vs_11_stochastic", 3000, f"{_MATCH} against an opponent of medium strength."),
    Row("1_vs_1_easy", 500, "Play one against one, without keepers to play."),
    Row("5_vs_5", 3000, "Play five against five; keepers play by themselves."),
    Row("academy_3_vs_1_with_keeper", 400, "Score with three players past one and a keeper."),
    Row("academy_corner", 400, "Score from a corner."),
    Row("academy_counterattack_easy", 400, "Score by a counterattack of four against one."),
    Row("academy_counterattack_hard", 400, "Score by a counterattack of four against two."),
    Row("academy_empty_goal", 400, "Run from the middle and score in an empty goal."),
    Row("academy_empty_goal_close", 400, "Score in an empty goal from near it."),
    Row("academy_pass_and_shoot_with_keeper", 400, "Pass past a defender, and score."),
    Row("academy_run_pass_and_shoot_with_keeper", 400, "Run, pass past a defender, and score."),
    Row("academy_run_to_score", 400, "Run from the middle, five players behind, and score."),
    Row("academy_run_to_score_with_keeper", 400, "Run from the middle and score past the keeper."),
    Row("academy_single_goal_versus_lazy", 3000, "Score against eleven who stand still."),
    Row("test_example_multiagent", 100, "Three against one and a keeper, as the package tests it."),
    Row("tests.11_vs_11_deterministic", 3000, f"{_MATCH}; every episode has the same seed."),
    Row("tests.11_vs_11_easy_deterministic", 3000, f"{_MATCH}, weak, always with one seed."),
    Row("tests.11_vs_11_hard_deterministic", 3000, f"{_MATCH}, strong, always with one seed."),
    Row("tests.11_vs_11_single_goal_deterministic", 3000, f"{_MATCH} to one goal, with one seed."),
    Row("tests.11_vs_11_single_goal_stochastic", 3000, f"{_MATCH} to one goal."),
    Row("tests.11_vs_4_offence_deterministic", 400, "Score with eleven past four, with one seed."),
    Row("tests.11_vs_4_offence_stochastic", 400, "Score with eleven past four."),
    Row("tests.corner_test", 30, "What happens behind the own goal line."),
    Row("tests.goal_test", 65, "A goal at once."),
    Row("tests.keeper_test", 30, "What happens behind the other goal line."),
    Row("tests.kickoff_for_goal_loosing_team_test", 400, "Who kicks off after a goal."),
    Row("tests.multiagent_wrapper", 3000, f"{_MATCH}; agents play all of a side, or none.", 11),
    Row("tests.offside_test", 50, "A pass to a player who is offside."),
    Row("tests.penalty", 30, "A foul before the goal."),
    Row("tests.second_half", 10, "Two halves of five steps."),
    Row("tests.symmetric", 3000, f"{_MATCH} between sides of the same strength."),
)

_DOCS = {
    "scenario": "a function or a file that builds a scenario, or the name of one of the package's",
    "observation": "'smm' four planes of 72 x 96, 'simple115v2' 115 numbers, 'raw' a dict",
    "stacked": "the last four observations along the last axis",
    "rewards": "'scoring' goals, or 'scoring,checkpoints' also the way to the goal",
    "action_set": "'default' 19 actions, 'v2' with builtin_ai, 'full' all 33",
    "number_of_left_players_agent_controls": "how many players of the left side agents play",
    "number_of_right_players_agent_controls": "how many of the right side, who see it turned",
    "physics_steps_per_frame": "frames of 10 ms of a step",
    "game_duration": "steps of a game; an episode that runs out has one more",
}
# Arrows run; they stay pressed until another arrow or x is pressed.
_KEYS = Keys(
    {"": 0, "left": 1, "up": 3, "right": 5, "down": 7, "q": 2, "e": 4, "c": 6, "z": 8}
    | {"a": 9, "s": 10, "d": 11, "space": 12, "w": 13, "x": 14, "r": 15, "f": 16, "g": 17, "h": 18}
)


def tasks() -> Iterator[Task]:
    """All tasks of this wheel."""
    for row in ROWS:
        yield Task(
            row.id,
            ENV,
            description=row.description,
            config_docs=_DOCS,
            options={"scenario": None},
            fixed=("even_episodes", "odd_episodes", "data_path"),
            render_fps=10,
            keys=_KEYS,
            scenario=row.name,
            number_of_left_players_agent_controls=row.agents,
            game_duration=row.duration,
            max_episode_steps=row.duration + 1,
        )
