# SPDX-License-Identifier: Apache-2.0
"""Files that users name: `envpool.files`."""

import os

import pytest
from envpool.errors import ConfigError
from envpool.files import check_file

CALL = "make('Maps-v0', cfg_path=...)"


def test_what_is_refused(tmp_path):
    pipe, large = tmp_path / "pipe", tmp_path / "large"
    os.mkfifo(pipe)
    large.write_bytes(b"0123456789")
    for path, text in (
        (pipe, "a pipe or a device"),
        (tmp_path, "a folder"),
        ("/dev/zero", "a pipe or a device"),
        (large, r"a file of 10 bytes; allowed: a regular file of at most 9 bytes"),
    ):
        with pytest.raises(ConfigError, match=text) as caught:
            check_file(CALL, path, most_bytes=9)
        assert caught.value.asked == CALL


def test_what_passes(tmp_path):
    (tmp_path / "small").write_bytes(b"012")
    check_file(CALL, tmp_path / "small", most_bytes=3)
    check_file(CALL, tmp_path / "nothing")
    check_file(CALL, "a\0b")
