# SPDX-License-Identifier: Apache-2.0
"""Atari's screens made into observations: each kind of vector instructions against OpenCV.

    python tools/benchmarks/atari_screen.py [--rounds 15]

All but the first column are the whole way, from the palette indices of two screens (the brighter
pixels of both) to the frame: NumPy's look-up and maximum with cv2.resize, and ours. The first is
cv2.resize alone, of a frame that is ready, on one thread. All take turns round by round; quoted
are medians of CPU time, on screens of games, and for ours also on noise, the worst
case, in which no row repeats the one above. Needs a C++ compiler; OpenCV
and the games come from PyPI (done once, kept in .nox/opencv).
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FAMILY = ROOT / "envpool-atari"
NEEDED = ["ale-py==0.12.1", "numpy", "opencv-python-headless==5.0.0.93", "pybind11>=3", "rich"]
GAMES = ("pong", "breakout", "space_invaders", "ms_pacman")
KINDS = ("portable", "neon", "avx2", "avx512")
FRAMES = [  # width, height, interpolation, mode
    (84, 84, "area", "gray"),
    (84, 84, "linear", "gray"),
    (84, 84, "area", "planar"),
    (84, 84, "area", "last"),
    (80, 105, "area", "gray"),
    (42, 42, "area", "gray"),
    (160, 210, "area", "gray"),
    (160, 210, "area", "last"),
    (320, 420, "area", "last"),
]


def prepared_python() -> str:
    """The Python of an environment that has what this script needs; made once."""
    folder = ROOT / ".nox" / "opencv"
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *NEEDED], check=True)
        (folder / "complete").touch()
    return str(python)


def compiled(folder: str) -> Any:
    """The module of the tests, with the flags of the wheels."""
    pybind11 = importlib.import_module("pybind11")
    path = Path(folder) / f"screen_module{sysconfig.get_config_var('EXT_SUFFIX')}"
    command = [os.environ.get("CXX", "g++"), "-std=c++20", "-O3", "-ffp-contract=off", "-shared"]
    command += ["-fno-math-errno", "-fno-trapping-math"]
    command += ["-fPIC", "-fvisibility=hidden", f"-I{FAMILY / 'cpp'}"]
    command += [f"-I{pybind11.get_include()}", f"-I{sysconfig.get_path('include')}"]
    source = FAMILY / "tests" / "screen" / "screen_module.cc"
    subprocess.run([*command, str(source), "-o", str(path)], check=True)
    sys.path.insert(0, folder)
    return importlib.import_module("screen_module")


def game_screens() -> list[tuple[Any, Any]]:
    """Two successive screens of each game, newer first."""
    ale_py, np = (importlib.import_module(name) for name in ("ale_py", "numpy"))
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    pairs = []
    for game in GAMES:
        ale = ale_py.ALEInterface()
        ale.setInt("random_seed", 1)
        ale.loadROM(str(Path(str(ale_py.__file__)).parent / "roms" / f"{game}.bin"))
        rng = np.random.default_rng(1)
        for _ in range(200):
            ale.act(rng.choice(ale.getMinimalActionSet()))
        older = ale.getScreen().copy()
        ale.act(0)
        pairs.append((ale.getScreen().copy(), older))
    return pairs


def measure(module: Any, rounds: int) -> dict[tuple[object, ...], list[float]]:
    """Microseconds per call by (frame, what), a value for each round and pair of screens."""
    cv2, np = (importlib.import_module(name) for name in ("cv2", "numpy"))
    cv2.setNumThreads(1)
    kinds = [kind for kind in KINDS if module.has_simd(kind)]
    noise = tuple(np.random.default_rng(0).integers(0, 128, (2, 210, 160), np.uint8) * 2)
    games = game_screens()
    palette = module.palette("ntsc")
    times: dict[tuple[object, ...], list[float]] = defaultdict(list)
    for frame in FRAMES:
        width, height, interpolation, mode = frame
        scalers = {kind: module.Scaler(210, *frame, "ntsc", kind) for kind in kinds}
        flag = cv2.INTER_AREA if interpolation == "area" else cv2.INTER_LINEAR
        entries = np.ascontiguousarray(palette[:, 3 if mode == "gray" else slice(0, 3)])
        calls = 20 if width * height > 40_000 else 100
        for round_number in range(rounds):
            newer, older = games[round_number % len(games)]
            for pooled in (False, True):
                source = entries[newer]
                begin = time.thread_time()
                for _ in range(calls):
                    if pooled:
                        source = np.maximum(entries[newer], entries[older])
                    cv2.resize(source, (width, height), interpolation=flag)
                seconds = (time.thread_time() - begin) / calls
                times[frame, "all" if pooled else "resize"].append(seconds * 1e6)
            for kind, scaler in scalers.items():
                times[frame, kind].append(scaler.measure(newer, older, calls) * 1e6)
                times[frame, kind, "noise"].append(scaler.measure(*noise, calls) * 1e6)
    return times


def report(times: dict[tuple[object, ...], list[float]]) -> Any:
    """The table."""
    kinds = [kind for kind in KINDS if (FRAMES[0], kind) in times]
    medians = {key: statistics.median(values) for key, values in times.items()}
    columns = ("frame", "cv2.resize", "with NumPy", *kinds, "faster")
    title = "Microseconds per frame of two 210 x 160 screens: games (noise)"
    grid = importlib.import_module("_report").Report(title, columns)
    for frame in FRAMES:
        width, height, interpolation, mode = frame
        cells = [f"{medians[frame, k]:.1f} ({medians[frame, k, 'noise']:.1f})" for k in kinds]
        peer = medians[frame, "all"]
        ratio = f"x{peer / medians[frame, kinds[-1]]:.1f}"
        name = f"{width} x {height} {interpolation} {mode}"
        resize = f"{medians[frame, 'resize']:.1f}"
        grid.add(name, resize, f"{peer:.1f}", *cells, ratio)
    return grid


def main() -> int:
    """Measures and prints; runs itself with another Python if this one lacks OpenCV."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15, help="turns of each variant")
    parser.add_argument("--json", type=Path, help="a file for the table")
    # `nox -s bench -- ...` gives all scripts the same arguments.
    args, _ = parser.parse_known_args()
    needed = ("ale_py", "cv2", "numpy", "pybind11", "rich")
    if not all(importlib.util.find_spec(name) for name in needed):
        command = [prepared_python(), __file__, *sys.argv[1:]]
        return subprocess.run(command, check=False).returncode
    with tempfile.TemporaryDirectory() as folder:
        out = report(measure(compiled(folder), args.rounds))
    importlib.import_module("_report").finish([out], args.json, passed=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
