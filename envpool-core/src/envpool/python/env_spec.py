# SPDX-License-Identifier: Apache-2.0
"""The names of upstream's `envpool.python.env_spec`."""

from .._specs.spec import EnvSpec as EnvSpecMixin

__all__ = ["EnvSpecMixin"]
