# SPDX-License-Identifier: Apache-2.0
"""Upstream's base of specs: here it is the class itself."""

from .._specs.spec import EnvSpec as EnvSpecMixin

__all__ = ["EnvSpecMixin"]
