# SPDX-License-Identifier: Apache-2.0
"""Imported before NumPy, it makes the references round alike on every x86-64 CPU.

NumPy's wheels have a BLAS with code for several kinds of CPU. For most kinds, the product of two
short vectors rounds each product of two numbers; for those with AVX-512 multiplication and addition
are fused. We round, as most do, and BLAS can be told to use the code for another kind.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_CORETYPE"] = "Haswell"  # with AVX2 and without AVX-512; ARM does not know it
