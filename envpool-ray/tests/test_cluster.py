# SPDX-License-Identifier: Apache-2.0
"""Placement of actors, their metrics, and results that are large."""

from __future__ import annotations

import json
from typing import Any

import envpool_ray
import numpy as np
import psutil
import pytest
import ray
import typer
from envpool.errors import ConfigError, StateError
from envpool_ray import _metrics
from envpool_ray._command import add_commands
from typer.testing import CliRunner

SMALL = {"num_actors": 2, "cpus_per_actor": 1, "num_threads": 1, "num_envs": 4, "seed": 2}
ONES = np.ones(4, np.int64)


@pytest.mark.parametrize("placement", ["spread", "pack", None])
def test_placement(placement: str | None) -> None:
    with envpool_ray.make("Ledger-v0", **SMALL, placement=placement) as pool:
        pool.reset()
        assert pool.step(ONES)[1].tolist() == [1, 1, 1, 1]
        groups = ray.util.placement_group_table().values()
        packed = [group for group in groups if group["state"] == "CREATED"]
        assert len(packed) == (placement == "pack")
        assert all(len(group["bundles"]) == 2 for group in packed)
    left = [g for g in ray.util.placement_group_table().values() if g["state"] == "CREATED"]
    assert not left


def test_resources() -> None:
    # The cluster of the tests has two of them.
    options = {**SMALL, "resources": {"blue": 1}}
    with envpool_ray.make("Ledger-v0", **options) as pool:
        pool.reset()
        assert pool.step(ONES)[1].tolist() == [1, 1, 1, 1]
        more = {**options, "num_actors": 1, "start_timeout": 1.0}
        with pytest.raises(StateError, match=r"each needs 1 CPU, 1 blue, free are .* 0 blue"):
            envpool_ray.make("Ledger-v0", **more)


def test_results_that_do_not_fit() -> None:
    options = {**SMALL, "num_envs": 2**17, "batch_size": 4, "size": 2**24}
    with pytest.raises(ConfigError, match=r"4096\.\d GiB for 131072 environments on a node"):
        envpool_ray.make("Ledger-v0", **options)


def test_labels() -> None:
    if ray.__version__.startswith("2.40."):  # the oldest one that is supported has none for actors
        with pytest.raises(ConfigError, match=r"labels need a newer one than 2\.40"):
            envpool_ray.make("Ledger-v0", **SMALL, labels={"zone": "a"})
        return
    with envpool_ray.make("Ledger-v0", **SMALL, labels={"zone": "a"}) as pool:
        pool.reset()
        assert pool.step(ONES)[1].tolist() == [1, 1, 1, 1]
    with pytest.raises(StateError, match="2 of 2 actors that have not started"):
        envpool_ray.make("Ledger-v0", **SMALL, labels={"zone": "b"}, start_timeout=1.0)


def test_runtime_env() -> None:
    runtime_env = {"env_vars": {"LEDGER_COLOUR": "blue"}}
    with envpool_ray.make("Ledger-v0", **SMALL, runtime_env=runtime_env) as pool:
        pool.reset()
        for worker in pool._compiled._group.workers:
            assert psutil.Process(worker.pid).environ()["LEDGER_COLOUR"] == "blue"


def test_large_results() -> None:
    # An answer has 32 MiB, which no buffer of a connection has; Ray's store has less than all.
    options = {"num_envs": 16, "num_actors": 1, "cpus_per_actor": 1, "num_threads": 1, "seed": 0}
    with envpool_ray.make("Ledger-v0", **options, size=2**21) as pool:
        results = [pool.reset()[0]]
        results += [pool.step(np.ones(16, np.int64))[0] for _ in range(15)]
        assert sum(obs["frame"].nbytes for obs in results) == 2**29
        for obs in results:
            ledger, frame = obs["ledger"], obs["frame"]
            assert (frame == ((ledger[:, 0] + ledger[:, 2]) % 256)[:, None]).all()


class Header:
    """A gauge that keeps what it was told."""

    found: dict[tuple[str, str], float]

    def __init__(self, name: str, description: str, tag_keys: tuple[str, ...]) -> None:
        assert description
        assert tag_keys == ("task", "actor")
        self._name = name

    def set_default_tags(self, tags: dict[str, str]) -> None:
        assert tags == {"task": "ray:Ledger-v0"}

    def set(self, value: float, tags: dict[str, str]) -> None:
        self.found[self._name, tags["actor"]] = value


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], float]:
    """The values that gauges were given."""
    Header.found = {}
    monkeypatch.setattr("ray.util.metrics.Gauge", Header)
    monkeypatch.setattr(_metrics, "_EVERY", 0.0)
    return Header.found


def test_metrics(told: dict[tuple[str, str], float]) -> None:
    with envpool_ray.make("Ledger-v0", **SMALL) as pool:
        pool.reset()
        psutil.Process(pool._compiled._group.workers[1].pid).kill()
        pool.step(ONES)
        pool.step(ONES)
        names = ("steps_per_second", "busy", "waiting_seconds", "queue", "restarts")
        assert set(told) == {(f"envpool_{name}", actor) for name in names for actor in "01"}
        assert told["envpool_steps_per_second", "0"] > 0
        assert [told["envpool_restarts", actor] for actor in "01"] == [0, 1]
        pool.send(ONES)
        pool._compiled._metrics.tell(pool._compiled._group.workers)
        assert [told["envpool_queue", actor] for actor in "01"] == [1, 1]
        assert told["envpool_waiting_seconds", "0"] > 0


def test_bench() -> None:
    app = typer.Typer()
    add_commands(app)

    @app.command()
    def other() -> None:
        """So that `ray` is a word of the command line."""

    words = ["ray", "bench", "Crowd-v0", "--num-envs", "8", "--num-actors", "2"]
    words += ["--num-threads", "1", "--seconds", "0.2"]
    told = CliRunner().invoke(app, [*words, "--json"])
    assert told.exit_code == 0, told.output
    facts: dict[str, Any] = json.loads(told.stdout)
    assert facts["steps_per_second"] > 0
    assert [row["actor"] for row in facts["actors"]] == [0, 1]
    shown = CliRunner().invoke(app, words).stdout
    assert "Crowd-v0" in shown
    assert "restarts" in shown
