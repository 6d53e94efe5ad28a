# SPDX-License-Identifier: Apache-2.0
"""The worlds by themselves, in C++: our solver against Box2D's own, memory, and threads.

tests/cpp/worlds.cpp plays every game in two threads at once, under ThreadSanitizer. Box2D's sources
are those of the wheel.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import compiling
import pytest

_FAMILY = Path(__file__).parents[1]
_KEPT = compiling.ROOT / "out" / "box2d"
_FLAGS = (
    "-O1", "-g", "-ffp-contract=off", "-fsanitize=thread", "-w", f"-I{_FAMILY / 'cpp'}",
    "-include", str(_FAMILY / "cpp" / "engine" / "settings.h"),
)  # fmt: skip
_GAMES = ("lunar_lander_game", "bipedal_walker_game", "car_racing_game", "car_racing_track")


def _box2d() -> Path:
    """Box2D's sources, unpacked."""
    name, version = "box2d-py", "2.3.8"
    root = _KEPT / f"{name}-{version}"
    if not root.exists():
        recipe = (_FAMILY / "cmake" / "box2d.cmake").read_text()
        (digest,) = re.findall(r"\b[0-9a-f]{64}\b", recipe)
        _KEPT.mkdir(parents=True, exist_ok=True)
        asked = _KEPT / "requirements.txt"
        asked.write_text(f"{name}=={version} --hash=sha256:{digest}\n")
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", name]
        command += ["--require-hashes", "-r", str(asked), "-d", str(_KEPT)]
        subprocess.run(command, check=True, timeout=200)
        with tarfile.open(_KEPT / f"{name}-{version}.tar.gz") as archive:
            archive.extractall(_KEPT)
    return root


def _joined(name: str, sources: list[Path]) -> Path:
    """One source that includes others."""
    path = _KEPT / f"{name}.cpp"  # not .cc, which would be linked with core's engine
    path.write_text("".join(f'#include "{source}"\n' for source in sources))
    return path


def _program(own: bool) -> Path:
    """The games with our solver, or with Box2D's own."""
    root = _box2d()
    spec = importlib.util.spec_from_file_location("alter", _FAMILY / "cmake" / "alter.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(root, _KEPT / "altered")
    left_out = {"b2Settings", "b2Timer", "b2Distance", "b2TimeOfImpact", "b2Island", "b2World"}
    common = [p for p in sorted((root / "Box2D").rglob("*.cpp")) if p.stem not in left_out]
    common += [_KEPT / "altered" / f"{name}.cpp" for name in ("b2Distance", "b2TimeOfImpact")]
    solver = [root / "Box2D" / "Dynamics" / f"{name}.cpp" for name in ("b2Island", "b2World")]
    engine = sorted((_FAMILY / "cpp" / "engine").glob("*.cc"))
    if own:
        solver = [_KEPT / "altered" / "b2World.cpp"]
    else:
        engine = [path for path in engine if path.stem != "island"]
    others = [
        _joined("common", common),
        _joined("own" if own else "original", solver),
        *(_joined(path.stem, [path]) for path in engine),
        *(_joined(name, [_FAMILY / "cpp" / f"{name}.cc"]) for name in _GAMES),
    ]
    return compiling.program(
        Path(__file__).parent / "cpp" / "worlds.cpp",
        *_FLAGS,
        f"-isystem{root}",
        others=others,
        link=["-fsanitize=thread"],
    )


def _play(program: Path, *arguments: str) -> dict[str, tuple[str, int, int]]:
    """The program's output for each game: digest, episodes, allocations. A race is an error."""
    # ThreadSanitizer of gcc 12 does not support the memory layouts of newer kernels.
    fixed = ["setarch", "-R"]
    layout = fixed if subprocess.run([*fixed, "true"], check=False).returncode == 0 else []
    done = subprocess.run(
        [*layout, str(program), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
    games = {}
    for line in done.stdout.splitlines():
        name, digest, episodes, asked = line.rsplit(" ", 3)
        games[name] = (digest, int(episodes), int(asked))
    assert len(games) == 5
    return games


@pytest.fixture(scope="module")
def ours() -> dict[str, tuple[str, int, int]]:
    """The output with our solver, without a race of two threads."""
    return _play(_program(own=True), "1000")


def test_our_solver_gives_the_bits_of_box2ds_own(ours: dict[str, tuple[str, int, int]]) -> None:
    assert all(episodes >= 2 for _, episodes, _ in ours.values())
    assert _play(_program(own=False), "1000") == ours


def test_another_gravity_gives_others(ours: dict[str, tuple[str, int, int]]) -> None:
    """A control of the comparison."""
    others = _play(_program(own=True), "1000", "-9.9999")
    assert [name for name in ours if ours[name][0] != others[name][0]] == [
        "LunarLander", "LunarLander with exhaust",
    ]  # fmt: skip


def test_a_reset_allocates_nothing(ours: dict[str, tuple[str, int, int]]) -> None:
    """No allocation in Box2D or elsewhere, once an environment has played as large a world."""
    assert {name: asked for name, (_, _, asked) in ours.items()} == dict.fromkeys(ours, 0)
