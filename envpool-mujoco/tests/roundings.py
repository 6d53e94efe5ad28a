# SPDX-License-Identifier: Apache-2.0
"""Imported before NumPy, it makes the references round alike on every CPU that can.

NumPy's wheels have a BLAS with code for several kinds of CPU. For most kinds of x86-64, the product
of two short vectors rounds each product of two numbers; for those with AVX-512 multiplication and
addition are fused. On aarch64 those with SVE round, and those without fuse. We round everywhere,
and BLAS can be told to use the code for another kind.
"""

from __future__ import annotations

import ctypes
import os
import platform

_AT_HWCAP, _HWCAP_SVE = 16, 1 << 22  # of Linux on aarch64

if platform.machine() == "x86_64":
    os.environ["OPENBLAS_CORETYPE"] = "Haswell"  # with AVX2 and without AVX-512
elif ctypes.CDLL(None).getauxval(_AT_HWCAP) & _HWCAP_SVE:
    os.environ["OPENBLAS_CORETYPE"] = "ARMV8SVE"
