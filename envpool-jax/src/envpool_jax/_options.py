# SPDX-License-Identifier: Apache-2.0
"""This wheel's options, beside those of every pool."""

from __future__ import annotations

ARRAYS = ("numpy", "jax", "torch")
RESETS = ("", "cond", "chunks", "select", "auto")
OWN_OPTIONS: dict[str, object] = {
    "env_kwargs": {},
    "array": "numpy",
    "copy": True,
    "device": "",
    "resets": "",
}
OPTION_DOCS = {
    "env_kwargs": "what the library's own function that makes the environment gets",
    "array": "what results are made of: 'numpy', 'jax' or 'torch'",
    "copy": "with array='numpy': False gives views of JAX's memory, which are read-only",
    "device": "where it runs, as 'cpu', 'gpu' or 'gpu:1'; empty: JAX's default",
    "resets": "how resets within a step are computed: 'cond', 'chunks', 'select', or 'auto', "
    "which measures the three; empty: as the environment's adapter says",
}
