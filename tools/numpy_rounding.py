# SPDX-License-Identifier: Apache-2.0
"""Imported before NumPy, it makes NumPy round equally on every CPU that can.

    import numpy_rounding  # noqa: F401 (before NumPy)

NumPy's wheels have a BLAS with code for several kinds of CPU. For most kinds of x86-64, the product
of two short vectors rounds each product of two numbers; for those with AVX-512 multiplication and
addition are fused. On aarch64 those with SVE round, and those without fuse. With AVX-512, NumPy has
loops of its own for exp and others, too. Ours round everywhere like a CPU with AVX2 and no AVX-512.

Two variables switch it, OPENBLAS_CORETYPE and NPY_DISABLE_CPU_FEATURES; NumPy reads them when it is
imported. With `ENVPOOL_TEST_AVX512=1` neither is set: NumPy rounds as on this CPU.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

_AT_HWCAP, _HWCAP_SVE = 16, 1 << 22  # of Linux on aarch64
_CPUINFO = Path("/proc/cpuinfo")

if os.environ.get("ENVPOOL_TEST_AVX512") == "1":
    _core = ""
elif platform.machine() == "x86_64":
    _core = "Haswell"
elif sys.platform == "linux" and ctypes.CDLL(None).getauxval(_AT_HWCAP) & _HWCAP_SVE:
    _core = "ARMV8SVE"
else:
    _core = ""
if _core:
    if "numpy" in sys.modules and os.environ.get("OPENBLAS_CORETYPE") != _core:
        raise RuntimeError("something, as a plugin of pytest, has imported NumPy before")
    os.environ["OPENBLAS_CORETYPE"] = _core
if _core == "Haswell" and _CPUINFO.exists() and "avx512f" in _CPUINFO.read_text():
    # The names in NumPy 2.4 and newer, and in older versions; NumPy warns of unknown names.
    _new = tuple(map(int, version("numpy").split(".")[:2])) >= (2, 4)
    _older = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"
    os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V4 AVX512_ICL AVX512_SPR" if _new else _older
