# SPDX-License-Identifier: Apache-2.0
"""The references round as expected: if not, the other tests have no meaning."""

from __future__ import annotations

import platform
from pathlib import Path

import numpy as np
from envpool_mujoco import _mujoco

# x * x is 1 + 2**-26 + 2**-54, and without its last bit if it is rounded before it is added to.
X = 1 + 2.0**-27
ROUNDED = 1 + 2.0**-26


def test_dot_rounds_products() -> None:
    for zeros in range(12):
        a = np.array([1, X] + [0] * zeros)
        assert a.dot(np.array([-ROUNDED, X] + [0] * zeros)) == 0


def test_dot_of_a_matrix_rounds_as_the_cpu_does() -> None:
    matrix = np.array([[-ROUNDED, 1, -ROUNDED], [X, 1, X], [0, 1, 0]])
    left = 0 if platform.machine() == "x86_64" else 2.0**-54  # fused, as AddProduct is there
    assert np.array([1, X, 0]).dot(matrix)[0] == left
    assert np.array([1, X, 0]).dot(matrix)[2] == left


def test_matrices_are_fused() -> None:
    matrix = np.array([[-ROUNDED, 1, -ROUNDED], [X, 1, X], [0, 1, 0]])
    rows = np.array([[1, X, 0], [0, 1, 0], [1, X, 0]])
    assert rows.dot(matrix)[0, 0] == 2.0**-54
    assert rows.dot(matrix)[2, 2] == 2.0**-54


def test_no_compiler_made_one_call_of_two() -> None:
    # For sincos, whose last bits differ before glibc 2.36; this machine may have a newer glibc.
    names = Path(_mujoco.__file__).read_bytes()
    assert b"sin\0" in names
    assert b"cos\0" in names
    assert b"sincos\0" not in names
