# SPDX-License-Identifier: Apache-2.0
"""The family that pools on Ray are tried with, and settings of Ray for it.

    folder = install(Path("somewhere"))      # their tasks can be found there

Workers of Ray have to find the family as any that is installed: by an entry point. So it gets a
folder that is on PYTHONPATH when the cluster starts.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))  # compiling

from compiling import ROOT, extension

SOURCE = ROOT / "envpool-ray" / "tests" / "ledger.cc"
_COUNTER = ROOT / "envpool-core" / "tests" / "engine" / "engine_envs.cc"
_REGISTER_TIMEOUT = "RAY_agent_register_timeout_ms"  # Ray reads its own names as they are written
_NICENESS = "RAY_worker_niceness"
_FAMILY = '''"""Ledger-v0, Crowd-v0 and the Counter of core's tests."""
from envpool import Task, hookimpl


@hookimpl
def envpool_tasks():
    yield Task("Ledger-v0", "ledger:Ledger", max_episode_steps=1000)
    yield Task("Crowd-v0", "ledger:Crowd", max_num_players=3)
    yield Task("Counter-v0", "engine_envs:Counter")
'''


def install(folder: Path) -> None:
    """Compiles the family into a folder, where this process and its children find it."""
    folder.mkdir(parents=True, exist_ok=True)
    for built in (extension(SOURCE, "-O2"), extension(_COUNTER, "-O2", "-DENVPOOL_TEST")):
        shutil.copy(built, folder / built.name)
    (folder / "ledger_family.py").write_text(_FAMILY)
    info = folder / "envpool_ledger-0.1.0.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: envpool-ledger\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[envpool]\nledger = ledger_family\n")
    sys.path.insert(0, str(folder))
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)


def quiet_ray(folder: Path) -> None:
    """Settings of Ray for tests, before it is imported: it reports to nobody, and logs there."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_AUTH_MODE"] = "disabled"  # else it writes a token into the home folder
    os.environ["RAY_TMPDIR"] = str(folder)  # short, since sockets are in it
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"  # else each actor warns of it
    os.environ[_REGISTER_TIMEOUT] = "300000"  # busy machines are slow
    os.environ[_NICENESS] = "0"  # else actors starve next to other programs


def start_head(cpus: int) -> tuple[subprocess.Popen[bytes], str]:
    """Starts a cluster in a process of its own, which ends with this one; returns its address."""
    for attempt in range(3):  # Ray itself waits no longer than 30 s for a node
        reader, writer = os.pipe()
        code = f"import ray_ledger; ray_ledger.serve({cpus}, {writer}, {os.getpid()})"
        env = os.environ | {
            "PYTHONPATH": os.pathsep.join(
                [
                    str(ROOT / "tools"),
                    str(SOURCE.parent),
                    *filter(None, [os.environ.get("PYTHONPATH")]),
                ]
            )
        }
        head = subprocess.Popen([sys.executable, "-c", code], pass_fds=[writer], env=env)
        os.close(writer)
        with os.fdopen(reader) as answer:
            address = answer.readline().strip()
        if address:
            return head, address
        head.wait(60)
        print(f"a cluster has not started, attempt {attempt + 1}", file=sys.stderr)
    raise RuntimeError("a local cluster of Ray does not start here")


def stop_head(head: subprocess.Popen[bytes]) -> None:
    """Ends the cluster of `start_head`."""
    head.terminate()
    head.wait(60)


def serve(cpus: int, writer: int, parent: int) -> None:
    """Is a cluster until it is terminated, or the parent has ended."""
    import ray

    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda number, frame: stop.set())
    context: Any = ray.init(
        address="local",
        num_cpus=cpus,
        resources={"blue": 2},
        labels={"zone": "a"},
        include_dashboard=False,
        object_store_memory=2**28,
        logging_level=logging.ERROR,
        log_to_driver=False,
    )
    with os.fdopen(writer, "w") as told:
        told.write(context.address_info["gcs_address"] + "\n")
    while not stop.wait(0.5) and os.getppid() == parent:
        pass
    ray.shutdown()
