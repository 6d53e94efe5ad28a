# SPDX-License-Identifier: Apache-2.0
"""The shared setup of all wheels' tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "everything that is sampled or left out by default; takes hours"
    parser.addoption("--full", action="store_true", help=text)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "full: runs under --full only")
    # tools/sampling.py reads it at the import of test modules, and so do programs that tests start.
    os.environ["ENVPOOL_TEST_FULL"] = "1" if config.getoption("full") else "0"


def pytest_report_header(config: pytest.Config) -> str:
    return "whole (--full)" if config.getoption("full") else "sampled (--full takes everything)"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("full"):
        return
    left_out = [item for item in items if item.get_closest_marker("full")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("full")]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for found in terminalreporter.stats.values() for report in found]
    properties = [
        value
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, value in report.user_properties
        if name == "option values"
    ]
    if properties:
        refused, taken = map(sum, zip(*properties, strict=True))
        terminalreporter.write_line(
            f"option values of {len(properties)} tasks: {refused + taken} tried, "
            f"{refused} refused, {taken} taken"
        )


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c_interrupts() -> Iterator[None]:
    """A shell makes its background jobs ignore Ctrl-C; some tests send it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
