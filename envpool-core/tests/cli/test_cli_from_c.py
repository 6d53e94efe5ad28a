# SPDX-License-Identifier: Apache-2.0
"""`envpool new-plugin --from-c`: three files are built, and equal a plain loop in C around each.

The files are of three kinds: whole numbers on a board that is drawn with raylib, continuous actions
with an observation of its own function, several agents. The loop includes the same file and has the
C library's `rand`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import envpool
import numpy as np
import pytest
from compiling import extension, load, program
from envpool.cli.new_plugin import new_plugin
from envpool.errors import ConfigError, MissingPackageError
from envpool.testing import check_task, random_actions

FILES = Path(__file__).with_name("c_files")
STEPS, SEED, NUM_ENVS = 300, 11, 6


class Kind(NamedTuple):
    """A file, the options that describe it, and the macros of the loop."""

    struct: str
    words: dict[str, Any]
    macros: dict[str, str]
    dtypes: tuple[Any, Any]
    agents: int = 1

    @property
    def name(self) -> str:
        return self.struct.lower()

    @property
    def task_id(self) -> str:
        return f"{self.name}/{self.struct}-v0"


KINDS = [
    Kind(
        "Courier",
        {"obs": "size*size", "actions": "4", "option": ["size=5"]},
        {"OBS_SIZE": "25", "ACTION_SIZE": "1", "SETUP": "env.size = 5;"},
        (np.uint8, np.int32),
    ),
    Kind(
        "Glider",
        {
            "obs": "3",
            "continuous": 2,
            "option": ["gravity=0.8", "limit=40"],
            "observe": "compute_observations",
        },
        {
            "OBS_SIZE": "3",
            "ACTION_SIZE": "2",
            "SETUP": "env.gravity=0.8f;env.limit=40;init(&env);",
        },
        (np.float32, np.float32),
    ),
    Kind(
        "Flock",
        {"obs": "3", "actions": "3,3", "agents": "num_agents=3", "observe": "update_obs"},
        {
            "OBS_SIZE": "3",
            "ACTION_SIZE": "2",
            "SETUP": "env.num_agents = 3; env.rng = seed;",
            # An episode is over when all agents are; at tick 0 the file has begun the next one.
            "RESET_WHEN_ALL_END": "if (terminals[0] && terminals[1] && terminals[2] && env.tick) "
            "c_reset(&env);",
        },
        (np.int16, np.int32),
        3,
    ),
]
C_TYPES = {np.uint8: "unsigned char", np.float32: "float", np.int16: "short", np.int32: "int"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of the three, compiled and registered."""
    folders = {}
    for kind in (*KINDS, *PRESENT):
        target = tmp_path_factory.mktemp("from_c")
        # Windows' editors write a byte order mark.
        marked = target / f"{kind.name}.h"
        marked.write_text((FILES / marked.name).read_text("utf-8"), "utf-8-sig")
        new_plugin(kind.name, target, marked, **kind.words)
        folder = target / f"envpool-{kind.name}"
        # The file has the name of the module in it.
        source = (folder / f"cpp/{kind.name}.cc").rename(folder / f"cpp/_{kind.name}.cc")
        given = f"-I{folder}/cpp/given"
        made = extension(source, "-O2", given, others=[source.with_name("c_side.c")])
        sys.modules[f"envpool_{kind.name}._{kind.name}"] = load(made)
        module: dict[str, Any] = {}
        exec((folder / f"src/envpool_{kind.name}/__init__.py").read_text(), module)
        for task in module["FAMILY"].envpool_tasks():
            envpool.register(task)
        folders[kind.name] = folder
    return folders


# PufferLib's present convention: its host clears rewards and terminals before each c_step.
PRESENT = [
    Kind("Adder", {"obs": "1", "actions": "3"}, {}, (np.float32, np.int32)),
    Kind("Penalty", {"obs": "1", "actions": "3"}, {}, (np.float32, np.int32)),
    Kind(
        "Relay",
        {"obs": "1", "actions": "3", "agents": "num_agents=2"},
        {},
        (np.float32, np.int32),
        2,
    ),
    Kind("Dialect", {"obs": "1", "actions": "3"}, {}, (np.float32, np.int32)),
]


class Loop:
    """The events of the plain loop: observations, rewards and terminals."""

    def __init__(self, kind: Kind, seed: int, actions: np.ndarray[Any, Any]) -> None:
        """Runs it; `actions` has a row for each step."""
        obs_type, action_type = kind.dtypes
        macros = {
            "RESET_WHEN_ALL_END": "",
            **kind.macros,
            "STRUCT": kind.struct,
            "AGENTS": str(kind.agents),
            "OBS": C_TYPES[obs_type],
            "ACTION": C_TYPES[action_type],
            "FILE_OF_ENVIRONMENT": f'"{kind.name}.h"',
        }
        flags = [f"-D{name}={value}" for name, value in macros.items()]
        # The parts of raylib that the file needs to compile do not affect its results.
        stub = "-I" + str(FILES / "raylib")
        path = program(FILES / "loop.c", "-O2", "-D_GNU_SOURCE", "-ffp-contract=off", stub, *flags)
        done = subprocess.run(
            [path, str(seed)],
            input=actions.astype(action_type).tobytes(),
            capture_output=True,
            timeout=60,
            check=True,
        )
        size = int(kind.macros["OBS_SIZE"])
        event = np.dtype(
            [
                ("obs", obs_type, (kind.agents, size)),
                ("reward", np.float32, (kind.agents,)),
                ("terminal", np.uint8, (kind.agents,)),
            ]
        )
        self.events = np.frombuffer(done.stdout, event)
        assert len(self.events) == len(actions) + 1


def rows_of(kind: Kind, array: Any, env_id: int, num_envs: int = NUM_ENVS) -> Any:
    """An environment's part of a result's array, with a row for each of its agents."""
    whole = np.asarray(array["players"]["agent"] if isinstance(array, dict) else array)
    return whole.reshape(num_envs, kind.agents, -1)[env_id]


def actions_of(kind: Kind) -> list[Any]:
    spec = envpool.make_spec(kind.task_id)
    rng = np.random.default_rng(5)
    return [random_actions(spec.action_space, NUM_ENVS * kind.agents, rng) for _ in range(STEPS)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("num_threads", [1, 2])
def test_it_equals_a_plain_loop(kind: Kind, num_threads: int, built: dict[str, Path]) -> None:
    actions = actions_of(kind)
    config = {"num_envs": NUM_ENVS, "seed": SEED, "num_threads": num_threads}
    with envpool.make(kind.task_id, **config) as pool:
        results = [pool.reset(), *map(pool.step, actions)]
    ends = {"terminated": 0, "truncated": 0}
    for env_id in range(NUM_ENVS):
        mine = [rows_of(kind, action, env_id) for action in actions]
        over, used = False, []
        for action, result in zip(mine, results[1:], strict=True):
            if not over:
                used.append(action)
            over = not over and bool(result[2][env_id] or result[3][env_id])
        events = iter(Loop(kind, SEED + env_id, np.stack(used)).events)
        over, event = False, next(events)
        np.testing.assert_array_equal(rows_of(kind, results[0][0], env_id), event["obs"])
        for obs, reward, terminated, truncated, info in results[1:]:
            seen = rows_of(kind, obs, env_id)
            if over:  # the row of the reset: what the loop saw in the step that ended
                over = False
                np.testing.assert_array_equal(seen, event["obs"])
                continue
            event = next(events)
            np.testing.assert_array_equal(rows_of(kind, reward, env_id)[:, 0], event["reward"])
            over = bool(terminated[env_id] or truncated[env_id])
            ends["terminated"] += bool(terminated[env_id])
            ends["truncated"] += bool(truncated[env_id])
            if over:
                _require_last(kind, seen, bool(terminated[env_id]), event)
            else:
                np.testing.assert_array_equal(seen, event["obs"])
            if kind.agents > 1:
                flags = rows_of(kind, info["players"]["terminal"], env_id)[:, 0]
                np.testing.assert_array_equal(flags, event["terminal"])
            else:
                assert bool(terminated[env_id]) == bool(event["terminal"][0])
        assert next(events, None) is None
    assert ends["truncated"] and (ends["terminated"] or kind.agents > 1), ends


@pytest.mark.parametrize("kind", PRESENT, ids=lambda kind: kind.name)
def test_the_present_convention_of_pufferlib(kind: Kind, built: dict[str, Path]) -> None:
    """Rewards are of one step, ends are told in the row that ends, which has the last observation.

    A host that looks at the arrays after `c_step` loses what `penalty.h` clears in it: reward and
    terminal of the last step. Here the step counts, not what its reset leaves.
    """
    length = {"adder": 4, "penalty": 3, "relay": 3, "dialect": 2}[kind.name]
    with envpool.make(kind.task_id, num_envs=2) as pool:
        pool.reset()
        rng = np.random.default_rng(0)
        tick = 0
        for _ in range(5 * (length + 1)):
            action = random_actions(pool.action_space, 2 * kind.agents, rng)
            obs, reward, terminated, truncated, _ = pool.step(action)
            given = np.asarray(rows_of(kind, action, 1, 2)[:, 0], np.float32)
            seen = rows_of(kind, obs, 1, 2)[:, 0]
            paid = np.reshape(reward, (2, kind.agents))[1]
            assert not truncated.any()
            if tick == length:  # the row of the reset
                tick = 0
                assert (seen == 0).all() and (paid == 0).all() and not terminated.any()
                continue
            tick += 1
            assert (seen == tick).all()
            assert terminated.tolist() == [tick == length] * 2
            wanted = {
                "adder": given + 0.5,
                "dialect": given,
                "penalty": np.float32([-5]) if tick == length else given,
                "relay": given + np.float32([0, 10])[: kind.agents],
            }[kind.name]
            assert paid.tolist() == wanted.tolist()


def _require_last(kind: Kind, seen: Any, terminated: bool, event: Any) -> None:
    """The last observation is of the episode that ended, not of the next."""
    assert not np.array_equal(seen, event["obs"]) or kind.agents > 1
    if kind.name == "courier" and terminated:
        delivered = event["reward"][0] > 0
        assert np.count_nonzero(seen == 1) == delivered  # the van is on the board, or off it
        assert np.count_nonzero(seen == 2) == (not delivered)
    if kind.name == "glider":
        assert (seen[0, 0] < 0) == terminated


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_it_keeps_the_contract(kind: Kind, built: dict[str, Path]) -> None:
    check_task(kind.task_id)


def test_options_are_fields(built: dict[str, Path]) -> None:
    with envpool.make("courier/Courier-v0", size=7) as pool:
        assert pool.observation_space.shape == (49,)
        assert pool.reset()[0].shape == (1, 49)
    with envpool.make("flock/Flock-v0", max_num_players=5) as pool:
        assert pool.reset()[1]["players"]["terminal"].shape == (5,)


def test_no_function_is_called_at_an_end_that_is_not_named(tmp_path: Path) -> None:
    """A file that resets itself may not expect a look at a state in which an episode has ended."""
    calls = []
    for name, words in (("named", KINDS[1].words), ("unnamed", {**KINDS[1].words, "observe": ""})):
        new_plugin(name, tmp_path, FILES / "glider.h", **words)
        calls.append((tmp_path / f"envpool-{name}/cpp/c_side.c").read_text())
    assert ["compute_observations(&" in text for text in calls] == [True, False]


SMALL = """
typedef struct { float* observations; int* actions; float* rewards; unsigned char* terminals;
                 int* board; int size; } Game;
void c_reset(Game* env) { env->observations[0] = 0; }
void c_step(Game* env) { env->terminals[0] = rand() % 2; }
"""


@pytest.mark.parametrize(
    ("before", "after", "words", "message"),
    [
        ("void c_step", "void step", {}, "no function void c_step(T* env) with a body"),
        ("Game* env) { env->o", "Game* env, int a) { env->o", {}, "c_reset(Game* env, int a)"),
        ("float* obs", "void* obs", {}, "void* observations in struct Game"),
        ("float* rewards;", "", {}, "no rewards in struct Game"),
        ("float* rewards;", "float rewards[4];", {}, "float[4] rewards in struct Game"),
        ("int* actions;", "void (*actions)(int);", {}, "void(*)(int) actions in struct Game"),
        ("\ntypedef", '#include "maps.h"\ntypedef', {}, '#include "maps.h" in line 1'),
        ("\nvoid c_step", "\nint games = 0;\nvoid c_step", {}, "share: int games = 0 in line 5"),
        ("Game* env) { env->t", "Game* env) { static int n; env->t", {}, "static int n in c_step"),
        ("rand() % 2", "time(NULL) % 2", {}, "c_step, which calls time in line 5"),
        ("rand() % 2", "help(env); } int help(Game* e) { return e->board[0]", {}, "pointer board"),
        ("\ntypedef", '#include "raylib.h"\ntypedef', {"use": 1}, "which calls GetFrameTime of"),
        (
            "\nvoid c_step(Game* env) { env->terminals[0] = rand() % 2",
            "\n#define NOW time(NULL)\nvoid c_step(Game* env) { env->terminals[0] = NOW",
            {},
            "NOW, which calls time in line 5",
        ),
        ("c_step(Game* env) {", "c_step Game* env) {", {}, "and text that is no C in line 5"),
        ("", "", {"obs": ""}, "no --obs"),
        ("", "", {"obs": "width"}, "--obs width"),
        ("", "", {"obs": "size*size"}, "Add --option size="),
        ("", "", {"obs": "1+"}, "--obs 1+"),
        ("", "", {"obs": "1/0"}, "--obs 1/0"),
        ("", "", {"obs": "-1"}, "--obs -1"),
        ("", "", {"obs": "1000000000000"}, "--obs 1000000000000"),
        ("", "", {"obs": "size-5", "option": ["size=5"]}, "--obs size-5"),
        ("", "", {"obs": "4,,4"}, "--obs 4,,4"),
        ("", "", {"obs": "2**9"}, "--obs 2**9"),
        ("", "", {"actions": ""}, "--actions '' --continuous 0"),
        ("", "", {"actions": "", "continuous": 2}, "--continuous with int* actions"),
        ("", "", {"option": ["width=3"]}, "--option width=3"),
        ("", "", {"option": ["size=big"]}, "--option size=big"),
        ("", "", {"agents": "many=2"}, "--agents many=2"),
        ("", "", {"observe": "look"}, "no function look"),
    ],
)
def test_what_cannot_work_is_refused(before, after, words, message, tmp_path):
    text = SMALL
    if words.pop("use", 0):
        text = text.replace("rand() % 2", "(int)GetFrameTime()")
    path = tmp_path / "game.h"
    assert before in text
    path.write_text(text.replace(before, after, 1))
    words = {"obs": "1", "actions": "2", **words}
    with pytest.raises(ConfigError) as caught:
        new_plugin("game", tmp_path, path, **words)
    assert message in str(caught.value), caught.value
    assert not (tmp_path / "envpool-game").exists()


def test_the_file_is_as_it_was_but_for_the_definition_of_c_reset(run, tmp_path):
    words = ["--obs", "size*size", "--actions", "4", "--option", "size=5", "--json"]
    file = FILES / "courier.h"
    done = run("new-plugin", "boards", "--dir", str(tmp_path), "--from-c", str(file), *words)
    assert done.returncode == 0, done.stderr
    written = [Path(path) for path in json.loads(done.stdout)["files"]]
    folder = tmp_path / "envpool-boards"
    kept = (folder / "cpp/given/courier.h").read_text()
    assert kept.replace("c_reset(Courier* env); void ResetOfFile", "c_reset") == file.read_text()
    assert kept.count("ResetOfFile") == 1
    for path in written:
        assert path.is_file()
        assert not re.search(r"@[A-Z_]+@", path.read_text()), path


def test_options_of_a_file_need_one(run, tmp_path):
    done = run("new-plugin", "boards", "--dir", str(tmp_path), "--obs", "4")
    assert done.returncode == 1 and "--from-c" in done.stderr


def test_a_parser_that_is_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tree_sitter_c", None)
    with pytest.raises(MissingPackageError) as caught:
        new_plugin("boards", tmp_path, FILES / "adder.h", obs="1", actions="3")
    assert "Run `pip install 'envpool-core[from-c]'`" in str(caught.value)
    assert not (tmp_path / "envpool-boards").exists()
