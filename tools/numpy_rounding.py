# SPDX-License-Identifier: Apache-2.0
"""Imported before NumPy, it makes NumPy round alike on every x86-64 CPU that can.

    import numpy_rounding  # noqa: F401 (before NumPy)

NumPy's wheels have a BLAS with code for several kinds of CPU, and loops of their own for exp and
others with AVX-512. Ours are those of a CPU with AVX2 and without AVX-512.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import version
from pathlib import Path

if "numpy" in sys.modules and os.environ.get("OPENBLAS_CORETYPE") != "Haswell":
    raise RuntimeError("something, as a plugin of pytest, has imported NumPy before")
os.environ["OPENBLAS_CORETYPE"] = "Haswell"
_CPUINFO = Path("/proc/cpuinfo")
if _CPUINFO.exists() and "avx512f" in _CPUINFO.read_text():
    # As NumPy 2.4 and newer call them, and as older ones do; it warns of others.
    _new = tuple(map(int, version("numpy").split(".")[:2])) >= (2, 4)
    _older = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"
    os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V4 AVX512_ICL AVX512_SPR" if _new else _older
