# SPDX-License-Identifier: Apache-2.0
"""The queue of messages between pool and engine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from compiling import program

HERE = Path(__file__).parent


def test_messages_arrive_once_and_in_order_though_the_queue_is_locked() -> None:
    cpp = HERE.parent / "cpp"
    protocol = cpp / "protocol"
    others = [protocol / "message_queue.cc", protocol / "shared_memory.cc"]
    path = program(HERE / "cpp" / "messages.cc", "-O1", f"-I{cpp}", others=others)
    name = f"/envpool_test_messages_{os.getpid()}"
    done = subprocess.run([path, name], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
