# SPDX-License-Identifier: Apache-2.0
"""Types of what a compiled family offers, for its stub file.

    from envpool.typing import EnvType

    Counter: EnvType

They are protocols: a family may also offer an object of its own that has these attributes.
"""

from ._raw import EnvType, RawArray, RawPool

__all__ = ["EnvType", "RawArray", "RawPool"]
